// Theorem 4.5 of the notes: what it prints for the probability of an error below t, and what is true.
//
// k₊ steps up and k₋ steps down are inside t; the printed k is read upwards. Every line compares the exact
// Pr[H < t] with its right side.
"use strict";

dpbi.theorem = (() => {
  const { PRINTED_SENSITIVITY, localSensitivity } = dpbi.mechanisms;
  const { abs, exp, max, min } = Math;
  const ROUNDING = 1e-12; // as near as this, relatively, counts as equal

  // A mechanism's lines, by the last words of their ids: a relation, and its right side as a function of a setting and of
  // how many steps are inside.

  // noise that is rounded down, with the printed square or without: a side that reaches an end loses nothing
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

  // the exponential mechanism: bounds by the number of candidates inside
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

  // the theorem is about EHD with the printed sensitivity, and has no line for the other mechanisms
  function lines(setting) {
    const { mechanism, sensitivity } = setting;
    if (mechanism === "ehd" && sensitivity !== "printed") return [];
    return Object.entries(LINES[mechanism] ?? {}).map(([name, [relation, bound]]) => ({
      claim: ["notes/4.5", mechanism, name.replace(/-?corrected$/, "")].filter(Boolean).join("-"),
      corrected: name.endsWith("corrected"),
      side: relation === "=" ? "equation" : "<≤".includes(relation) ? "upper bound" : "lower bound",
      relation,
      bound,
    }));
  }

  function holds(relation, exact, bound) {
    const close = abs(exact - bound) <= ROUNDING * max(abs(exact), abs(bound), 1e-6);
    if (close) return relation === "=" || relation === "≥" || relation === "≤";
    return { "=": false, "≥": exact > bound, ">": exact > bound, "<": exact < bound, "≤": exact < bound }[relation];
  }

  // every line at t: its value, and whether it is true
  function check(setting, found) {
    return lines(setting).map((line) => {
      const value = line.bound(setting, found);
      return { ...line, value, holds: holds(line.relation, found.below, value) };
    });
  }

  return { check };
})();
