// Privacy as a game. All records but one are known, and m of these n − 1 are in the first category. The last is in the
// first category or not, with equal chances; an attacker sees a release and guesses.
"use strict";

dpbi.game = (() => {
  const { law } = dpbi.mechanisms;

  // the most that any ε-private mechanism lets an attacker guess right: e^ε / (1 + e^ε)
  const most = (epsilon, chance = 0.5) => 1 / (1 + ((1 - chance) / chance) * Math.exp(-epsilon));

  // what each output says: its probability without and with the first category, and the odds for it
  function rounds(setting, others) {
    const [without, within] = [law(setting, others).logs, law(setting, others + 1).logs];
    const odds = within.map((value, r) => value - without[r]); // logarithms
    const chances = [without, within].map((logs) => logs.map(Math.exp));
    // right with each output where the more probable one is guessed
    const right = chances[0].reduce((sum, p, r) => sum + Math.max(p, chances[1][r]), 0) / 2;
    const worst = odds.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    return { chances, odds, right, worst };
  }

  return { most, rounds };
})();
