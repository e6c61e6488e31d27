// Theorem 4.5 of the notes: its printed values and bounds for the probability of an error below t, and corrected ones.
//
// The errors of k₊ steps up and of k₋ steps down are below t; the printed k is taken to be k₊. Every line of the
// theorem relates the exact Pr[H < t] to its right side.
"use strict";

dpbi.theorem = (() => {
  const { PRINTED_SENSITIVITY, localSensitivity } = dpbi.mechanisms;
  const { abs, exp, max, min } = Math;
  const ROUNDING = 1e-12; // two values with a smaller relative difference count as equal

  // The lines of each mechanism, by the last words of their ids: a relation, and its right side as a function of a
  // setting and of the numbers of steps whose error is below t.

  // noise that is rounded down, with the square printed for LSZhang; no tail is lost at an end whose error is below t
  function noise(rate, printedRate, power) {
    const lost = (steps, share) => exp(-steps * share) / 2;
    return {
      "": ["=", (s, { up }) => (1 - lost(up, printedRate(s)) - lost(up + 1, printedRate(s))) ** power],
      lower: ["≥", (s, { up }) => (1 - exp(-up * printedRate(s))) ** power],
      corrected: [
        "=",
        (s, { down, up }) =>
          1 - (s.x > down ? lost(down, rate(s)) : 0) - (s.x + up < s.n ? lost(up + 1, rate(s)) : 0),
      ],
      "lower-corrected": ["≥", (s, { down, up }) => 1 - exp(-min(down, up) * rate(s))],
    };
  }

  // the exponential mechanism: bounds from the number of candidates whose error is below t
  function exponential(rate, printedRate) {
    const inside = ({ down, up }) => down + up + 1;
    return {
      lower: [">", (s, { up }) => (2 * up * exp(-printedRate(s)) + 1) / s.n],
      upper: ["<", (s, { up }) => ((2 * up + 1) * exp(printedRate(s))) / s.n],
      "lower-corrected": ["≥", (s, reach) => inside(reach) / (s.n + 1)],
      "upper-corrected": [
        "≤",
        (s, reach) => inside(reach) / (inside(reach) + (s.n + 1 - inside(reach)) * exp(-rate(s))),
      ],
    };
  }

  const times = (factor) => (s) => s.epsilon * factor;
  const local = (s) => s.epsilon / (2 * localSensitivity(s, s.x));
  const LINES = {
    lszhang: noise(times(1 / 4), times(1 / 2), 2),
    lshist: noise(times(1), times(1), 1),
    ehd: exponential(times(1 / (2 * PRINTED_SENSITIVITY)), times(1)),
    ehdl: exponential(local, local),
  };

  function holds(relation, exact, bound) {
    const close = abs(exact - bound) <= ROUNDING * max(abs(exact), abs(bound), 1e-6);
    if (close) return relation === "=" || relation === "≥" || relation === "≤";
    return { "=": false, "≥": exact > bound, ">": exact > bound, "<": exact < bound, "≤": exact < bound }[relation];
  }

  // Every line at t: its value, and whether it is true. No line applies to EHD with the exact sensitivity or to a
  // mechanism outside of LINES.
  function check(setting, found) {
    const { mechanism, sensitivity } = setting;
    if (mechanism === "ehd" && sensitivity !== "printed") return [];
    return Object.entries(LINES[mechanism] ?? {}).map(([name, [relation, bound]]) => {
      const value = bound(setting, found);
      return {
        claim: ["notes/4.5", mechanism, name.replace(/-?corrected$/, "")].filter(Boolean).join("-"),
        corrected: name.endsWith("corrected"),
        side: relation === "=" ? "value" : "<≤".includes(relation) ? "upper bound" : "lower bound",
        bound,
        value,
        holds: holds(relation, found.below, value),
      };
    });
  }

  return { check };
})();
