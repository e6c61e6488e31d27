// Theorem 4.5 of the notes: what it prints for the probability of an error below t, and what is true.
//
// k₊ steps up and k₋ steps down are inside t; the printed k is read upwards. Every line compares the exact
// Pr[H < t] with its right side.
"use strict";

dpbi.theorem = (() => {
  const { PRINTED_SENSITIVITY, localSensitivity } = dpbi.mechanisms;
  const { exp, min } = Math;
  const ROUNDING = 1e-12; // as near as this, relatively, counts as equal

  // noise that rounds down: a side that reaches an end loses nothing
  const tails = ({ x, n }, rate, { down, up }) =>
    1 - (x > down ? exp(-down * rate) / 2 : 0) - (x + up < n ? exp(-(up + 1) * rate) / 2 : 0);
  const interior = (rate, k) => 1 - (exp(-k * rate) + exp(-(k + 1) * rate)) / 2;
  const share = ({ n }, { down, up }) => (down + up + 1) / (n + 1);

  function exponential(rate, printedLower, printedUpper) {
    return [
      { id: "lower", relation: ">", text: printedLower[0], bound: printedLower[1] },
      { id: "upper", relation: "<", text: printedUpper[0], bound: printedUpper[1] },
      { id: "lower-corrected", relation: "≥", text: "(k₋ + k₊ + 1) / (n + 1)", bound: share },
      { id: "upper-corrected", relation: "<", text: `(k₋ + k₊ + 1) / ((n + 1) ${printedUpper[2]})`, bound: (s, reach) => share(s, reach) * exp(rate(s)) },
    ];
  }

  const localRate = (s) => s.epsilon / (2 * localSensitivity(s, s.x));

  const LINES = {
    lszhang: [
      { id: "", relation: "=", text: "(1 − ½(e^(−kε/2) + e^(−(k+1)ε/2)))²", bound: (s, { up }) => interior(s.epsilon / 2, up) ** 2 },
      { id: "lower", relation: "≥", text: "(1 − e^(−kε/2))²", bound: (s, { up }) => (1 - exp((-up * s.epsilon) / 2)) ** 2 },
      { id: "corrected", relation: "=", text: "1 − ½e^(−k₋ε/4)[x > k₋] − ½e^(−(k₊+1)ε/4)[x + k₊ < n]", bound: (s, reach) => tails(s, s.epsilon / 4, reach) },
      { id: "lower-corrected", relation: "≥", text: "1 − e^(−min(k₋, k₊)ε/4)", bound: (s, { down, up }) => 1 - exp((-min(down, up) * s.epsilon) / 4) },
    ],
    lshist: [
      { id: "", relation: "=", text: "1 − ½(e^(−kε) + e^(−(k+1)ε))", bound: (s, { up }) => interior(s.epsilon, up) },
      { id: "lower", relation: "≥", text: "1 − e^(−kε)", bound: (s, { up }) => 1 - exp(-up * s.epsilon) },
      { id: "corrected", relation: "=", text: "1 − ½e^(−k₋ε)[x > k₋] − ½e^(−(k₊+1)ε)[x + k₊ < n]", bound: (s, reach) => tails(s, s.epsilon, reach) },
      { id: "lower-corrected", relation: "≥", text: "1 − e^(−min(k₋, k₊)ε)", bound: (s, { down, up }) => 1 - exp(-min(down, up) * s.epsilon) },
    ],
    ehd: exponential(
      (s) => s.epsilon / (2 * PRINTED_SENSITIVITY),
      ["(2k e^(−ε) + 1) / n", (s, { up }) => (2 * up * exp(-s.epsilon) + 1) / s.n],
      ["(2k + 1) / (n e^(−ε))", (s, { up }) => ((2 * up + 1) * exp(s.epsilon)) / s.n, "e^(−ε/(2G))"],
    ),
    ehdl: exponential(
      localRate,
      ["(2k e^(−ε/(2LS)) + 1) / n", (s, { up }) => (2 * up * exp(-localRate(s)) + 1) / s.n],
      ["(2k + 1) / (n e^(−ε/(2LS)))", (s, { up }) => ((2 * up + 1) * exp(localRate(s))) / s.n, "e^(−ε/(2LS))"],
    ),
  };

  // the theorem runs EHD at the printed sensitivity, and has no line for the other mechanisms
  function lines(setting) {
    if (setting.mechanism === "ehd" && setting.sensitivity !== "printed") return [];
    return (LINES[setting.mechanism] ?? []).map((line) => ({
      ...line,
      claim: ["notes/4.5", setting.mechanism, line.id].filter(Boolean).join("-"),
      corrected: line.id.includes("corrected"),
      side: line.id.split("-")[0] === "upper" ? "upper" : line.relation === "=" ? "equation" : "lower",
    }));
  }

  function holds(relation, exact, bound) {
    const size = Math.max(Math.abs(exact), Math.abs(bound), 1e-6);
    const close = Math.abs(exact - bound) <= ROUNDING * size;
    if (relation === "=") return close;
    if (relation === "≥") return close || exact > bound;
    return !close && (relation === ">" ? exact > bound : exact < bound);
  }

  // every line at t: its value, and whether it is true
  function check(setting, found) {
    return lines(setting).map((line) => {
      const value = line.bound(setting, found);
      return { ...line, value, holds: holds(line.relation, found.below, value) };
    });
  }

  return { lines, check };
})();
