// Shared parts of the pictures: colours, names of the mechanisms in prose, knobs, settings of the engine, and marks.
"use strict";

dpbi.parts = (() => {
  const { mechanisms } = dpbi;
  const { digits, ticks } = dpbi.draw;
  const short = (value) => digits(value, 3);

  const [ONE, TWO, THREE] = ["var(--one)", "var(--two)", "var(--three)"];
  const WORDS = Object.fromEntries(Object.entries(dpbi.table.mechanisms).map(([name, { words }]) => [name, words]));
  WORDS.ehd = `the ${WORDS.ehd}`; // the other names need no article
  // in the notes EHD has a constant in place of the exact sensitivity, which makes it another mechanism
  const ofPrinted = ({ mechanism, sensitivity }) => mechanism === "ehd" && sensitivity === "printed";
  const called = (setting) => (ofPrinted(setting) ? "EHD with the printed sensitivity" : WORDS[setting.mechanism]);
  const about = (setting) =>
    ofPrinted(setting) ? "exponential, weight exp(−εH / (2 G)), G = √(1 − π/4)" : mechanisms.ALL[setting.mechanism].about;
  const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;
  // discrete Gaussian noise promises no ε, so the least error of ε-private mechanisms is no bound for it
  const { discrete_gaussian, ...COMPARED } = WORDS;
  // the mechanisms whose laws for two categories differ from those of every mechanism before them
  const patterns = Object.keys(COMPARED).map((name) => JSON.stringify(mechanisms.ALL[name].pattern));
  const DIFFERENT = Object.keys(COMPARED).filter((_, i) => patterns.indexOf(patterns[i]) === i);
  const named = (...names) => Object.fromEntries(names.map((name) => [name, WORDS[name]]));

  // Knobs of several pictures
  const EPSILON = { label: "privacy loss ε", low: 0.05, high: 6, log: true, start: 1 };
  const WEIGHT = { label: "prior weight", low: 0.1, high: 20, log: true, start: 1 };
  const records = (high, start) => ({ label: "students asked", low: 1, high, log: high > 500, whole: true, start });
  const count = (label, start) => ({ label, low: 0, high: ({ n }) => n, whole: true, start });

  const setting = ({ n, x = 0, epsilon, weight = 1, mechanism = "geometric" }) => ({
    first: weight, second: weight, n, x, epsilon, mechanism,
    sensitivity: "exact", gamma: 1, delta: 1e-6, divisor: mechanisms.ALL[mechanism].divisor ?? 4,
  });

  // A slider stops at its ends and at round values between them: ten in a decade, or the multiples of a round step
  const TEN = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
  const DECADES = Array.from({ length: 200 }, (_, i) => Number(`${TEN[i % 10]}e${Math.floor(i / 10) - 12}`));
  function stops({ low, high, log, whole }) {
    const round = log ? DECADES : ticks(low, high, 200);
    return [...new Set([low, ...round.filter((at) => at > low && at < high && (!whole || Number.isInteger(at))), high])];
  }
  // gives such stops to a range input: a function that shows a value in it, and one that reads its value
  function sliding(range) {
    let places;
    const show = (knob, value) => {
      places = stops(knob);
      Object.assign(range, { min: 0, max: places.length - 1, step: 1 });
      range.value = places.findIndex((place) => place >= value);
      range.setAttribute("aria-valuetext", digits(value));
    };
    return { show, value: () => places[range.value] };
  }

  // densities of the share at common places, which are dense in the middle 95 % of each mixture, with an axis for them
  const shares = Array.from({ length: 199 }, (_, i) => (i + 1) / 200);
  function hills(mixtures, densities = mixtures.map(({ density }) => density)) {
    const ends = mixtures.map((mixture) => mixture.interval(0.95));
    const close = ends.flatMap(([low, high]) => Array.from({ length: 91 }, (_, i) => low + (high - low) * (i / 30 - 1)));
    const places = [...new Set([...shares, ...close.filter((share) => share > 0 && share < 1)])].sort((a, b) => a - b);
    const curves = densities.map((density) => places.map((share) => [share, density(share)]));
    // With weights below one a density is infinite at an end: the axis stops at three times its height farther inside.
    const margin = Math.min(...ends.map(([low, high]) => (high - low) / 20));
    const top = (points) => points.reduce((most, [, y]) => Math.max(most, y), 0);
    const inside = (points) => points.filter(([share]) => share >= margin && share <= 1 - margin);
    const heights = curves.map((points) => Math.min(top(points), 3 * top(inside(points))));
    return { ends, curves, y: { label: "density", low: 0, high: 1.06 * Math.max(...heights) } };
  }

  // Marks
  const curve = (points, color, label, more = {}) => ({ kind: "line", points, color, label, ...more });
  const dots = (points, color, marker, label) => ({ kind: "points", points, color, marker, radius: 4, width: 0.2, label });
  const place = (at, color, label, dash = "5 4") => ({ kind: "vertical", at, color, dash, label });
  const level = (at, label) => ({ kind: "horizontal", at, color: "currentColor", dash: "5 4", width: 1.2, label });
  // the points of a function of integers, which are smaller if there are many
  const along = (points, color, marker, label) =>
    ({ ...dots(points, color, marker, label), radius: points.length > 70 ? 1.6 : 4 });
  const percent = (p) => `${short(100 * p)} %`;
  const share = (p) => (p < 1e-4 ? "less than 0.0001" : p > 0.9999 ? "more than 0.9999" : digits(p, p > 0.999 ? 4 : 3));
  const times = (ratio) => (short(ratio) === "1" ? "" : `${short(ratio)} times `); // before "as long" or "the smallest"
  const between = ([low, high]) => (share(low) === share(high) ? share(low) : `between ${share(low)} and ${share(high)}`);

  return {
    ONE, TWO, THREE, WORDS, COMPARED, DIFFERENT, called, about, named, plural, sentence, EPSILON, WEIGHT, records, count, setting,
    curve, dots, place, level, along, percent, share, times, between, short, sliding, hills,
  };
})();
