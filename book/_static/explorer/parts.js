// What the pictures share: colours, the names of mechanisms in words, knobs, a setting of the engine, and marks.
"use strict";

dpbi.parts = (() => {
  const { mechanisms } = dpbi;
  const { digits } = dpbi.draw;
  const short = (value) => digits(value, 3);

  const [ONE, TWO, THREE] = ["var(--one)", "var(--two)", "var(--three)"];
  const WORDS = Object.fromEntries(Object.entries(dpbi.table.mechanisms).map(([name, { words }]) => [name, words]));
  WORDS.ehd = `the ${WORDS.ehd}`; // the others are kinds of noise and of mechanisms
  // the notes run EHD with a constant in place of the exact sensitivity, which makes another mechanism
  const ofPrinted = ({ mechanism, sensitivity }) => mechanism === "ehd" && sensitivity === "printed";
  const called = (setting) => (ofPrinted(setting) ? "EHD with the printed sensitivity" : WORDS[setting.mechanism]);
  const about = (setting) =>
    ofPrinted(setting) ? "exponential, weight exp(−εH / (2 G)), G = √(1 − π/4)" : mechanisms.ALL[setting.mechanism].about;
  const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;
  // discrete Gaussian noise has no privacy loss that holds for all outputs, so the least error says nothing about it
  const { discrete_gaussian, ...COMPARED } = WORDS;
  // those that do not do the same for two categories as one before them
  const patterns = Object.keys(COMPARED).map((name) => JSON.stringify(mechanisms.ALL[name].pattern));
  const DIFFERENT = Object.keys(COMPARED).filter((_, i) => patterns.indexOf(patterns[i]) === i);
  const named = (...names) => Object.fromEntries(names.map((name) => [name, WORDS[name]]));

  // Knobs that several pictures have
  const EPSILON = { label: "privacy loss ε", low: 0.05, high: 6, log: true, start: 1 };
  const WEIGHT = { label: "prior weight", low: 0.1, high: 20, log: true, start: 1 };
  const records = (high, start) => ({ label: "students asked", low: 1, high, log: high > 500, whole: true, start });
  const count = (label, start) => ({ label, low: 0, high: ({ n }) => n, whole: true, start });

  const setting = ({ n, x = 0, epsilon, weight = 1, mechanism = "geometric" }) => ({
    first: weight, second: weight, n, x, epsilon, mechanism,
    sensitivity: "exact", gamma: 1, delta: 1e-6, divisor: mechanisms.ALL[mechanism].divisor ?? 4,
  });

  // Marks
  const curve = (points, color, label, more = {}) => ({ kind: "line", points, color, label, ...more });
  const dots = (points, color, marker, label) => ({ kind: "points", points, color, marker, radius: 4, width: 0.2, label });
  const place = (at, color, label, dash = "5 4") => ({ kind: "vertical", at, color, dash, label });
  const level = (at, label) => ({ kind: "horizontal", at, color: "currentColor", dash: "5 4", width: 1.2, label });
  // points of a function of whole numbers: as dots where they can be told apart
  const along = (points, color, marker, label) =>
    points.length > 70 ? curve(points, color, label) : dots(points, color, marker, label);
  const percent = (p) => `${short(100 * p)} %`;
  const between = ([low, high]) => `between ${short(low)} and ${short(high)}`;

  return {
    ONE, TWO, THREE, WORDS, COMPARED, DIFFERENT, called, about, named, sentence, EPSILON, WEIGHT, records, count, setting,
    curve, dots, place, level, along, percent, between, short,
  };
})();
