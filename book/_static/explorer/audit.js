// The exact results for a setting: its worst loss with a witness, the law of its error, and a draw.
"use strict";

dpbi.audit = (() => {
  const { distances, uniform } = dpbi.special;
  const { ALL, laws, localSensitivity, globalSensitivity } = dpbi.mechanisms;

  const TIE = 1e-11; // losses with a smaller difference count as equal: only rounding separates them
  const SAME = 1e-12; // distances with a smaller relative difference count as equal

  // the worst loss between neighbours: down[x] for x against x − 1, and up[x] for x against x + 1
  function losses(log, n) {
    const size = n + 1;
    const down = new Float64Array(size).fill(-Infinity);
    const up = new Float64Array(size).fill(-Infinity);
    for (let x = 1; x <= n; x++) {
      const here = x * size;
      const there = here - size;
      let most = -Infinity;
      let least = Infinity;
      for (let r = 0; r <= n; r++) {
        const loss = log[here + r] - log[there + r];
        if (loss > most) most = loss;
        if (loss < least) least = loss;
      }
      down[x] = most;
      up[x - 1] = -least;
    }
    return { down, up };
  }

  // the worst loss over all neighbours and outputs, and its first witness: moves down come before moves up
  function worst(log, n, { down, up }) {
    const top = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);
    const [highest, other] = [top(down), top(up)];
    const step = other > highest + TIE ? 1 : -1;
    const [values, named] = step > 0 ? [up, other] : [down, highest];
    const x = values.findIndex((value) => value >= named - TIE);
    const size = n + 1;
    let output = 0;
    while (log[x * size + output] - log[(x + step) * size + output] < named - TIE) output++;
    return { epsilon: Math.max(highest, other, 0), x, neighbour: x + step, output };
  }

  // the possible distances in ascending order, each with its probability and the largest steps down and up within it
  function errorLaw(H, probabilities, x) {
    const order = [...probabilities.keys()].sort((r, s) => H[r] - H[s]);
    const law = [];
    let [before, first, piece] = [-1, 0, 0];
    let [down, up] = [0, 0];
    for (const r of order) {
      down = Math.max(down, x - r);
      up = Math.max(up, r - x);
      const apart = H[r] - before > SAME * H[r];
      if (apart) [first, piece] = [H[r], 0];
      const next = Math.floor((H[r] - first) / SAME); // near 1, a long chain of close distances is divided
      if (apart || next > piece) law.push({ distance: H[r], probability: 0, down, up });
      piece = next;
      const atom = law[law.length - 1];
      atom.probability += probabilities[r];
      [atom.down, atom.up] = [down, up];
      before = H[r];
    }
    let below = 0;
    for (const atom of law) atom.upTo = below += atom.probability;
    let beyond = 0;
    for (const atom of [...law].reverse()) {
      atom.beyond = beyond;
      beyond += atom.probability;
    }
    return law;
  }

  // everything that the explorer shows for a setting
  function explore(setting) {
    const { first, second, n, x, t } = setting;
    const mechanism = ALL[setting.mechanism];
    const size = n + 1;
    const log = laws(setting);
    const H = distances(first, second, n).subarray(x * size, (x + 1) * size);
    const logProbabilities = log.slice(x * size, (x + 1) * size);
    const probabilities = logProbabilities.map(Math.exp);
    const errors = errorLaw(H, probabilities, x);
    const inside = errors.filter((atom) => atom.distance < t * (1 - SAME));
    const nearest = inside[inside.length - 1];
    const moves = losses(log, n);
    const audit = worst(log, n, moves);
    const released = inverse(probabilities, uniform(setting.seed));
    return {
      logProbabilities,
      probabilities,
      distances: H,
      errors,
      meanError: errors.reduce((sum, { distance, probability }) => sum + distance * probability, 0),
      quantile: quantile(errors, 0.1),
      below: nearest.upTo,
      down: nearest.down,
      up: nearest.up,
      losses: moves,
      audit,
      promise: mechanism.promise(setting),
      guarantee: mechanism.guarantee(setting),
      localSensitivity: localSensitivity(setting, x),
      globalSensitivity: globalSensitivity(setting),
      released,
      releasedError: H[released],
    };
  }

  // the least distance that the error exceeds with probability at most `share`
  const quantile = (errors, share) => errors.find(({ beyond }) => beyond <= share * (1 + SAME)).distance;

  // the worst loss without its witness
  function loss(setting, log = laws(setting)) {
    const { down, up } = losses(log, setting.n);
    return [...down, ...up].reduce((most, value) => Math.max(most, value), 0);
  }

  // the least δ with which the mechanism is (ε, δ)-private
  function delta(setting) {
    const { n, epsilon } = setting;
    const log = laws(setting);
    const size = n + 1;
    let most = 0;
    for (let x = 0; x < n; x++) {
      for (const [one, other] of [[x, x + 1], [x + 1, x]]) {
        let sum = 0;
        for (let r = 0; r < size; r++) {
          const above = log[one * size + r] - log[other * size + r] - epsilon;
          if (above > 0) sum -= Math.exp(log[one * size + r]) * Math.expm1(-above);
        }
        most = Math.max(most, sum);
      }
    }
    return most;
  }

  // the first output whose cumulative probability exceeds a uniform number `share` times the total
  function inverse(probabilities, share) {
    const level = share * probabilities.reduce((sum, p) => sum + p, 0);
    let cumulated = 0;
    const found = probabilities.findIndex((p) => (cumulated += p) > level);
    return found < 0 ? probabilities.length - 1 : found;
  }

  return { explore, inverse, errorLaw, quantile, loss, delta };
})();
