// The pictures of the path, chapter by chapter: a class of students was asked whether they ever cheated in an exam.
"use strict";

(() => {
  const { ALL, short } = dpbi.pictures;
  const { mechanisms, optimum, inference, simplex, audit } = dpbi;
  const { latest, shareBelow, uniform } = dpbi.special;

  const {
    ONE, TWO, THREE, WORDS, COMPARED, DIFFERENT, named, plural, sentence, EPSILON, WEIGHT, records, count, setting,
    curve, dots, place, level, along, percent, share, times, between, hills,
  } = dpbi.parts;

  // What a posterior says

  // draws two distributions of the share, fills the middle 95 % of the first, and returns the 95 % intervals of both
  function beliefs(figure, title, mixtures, names) {
    const { ends, curves: [points, others], y } = hills(mixtures);
    const filled = points.filter(([x]) => x >= ends[0][0] && x <= ends[0][1]);
    figure(title).show({
      x: { label: "share of all students who cheated", low: 0, high: 1 },
      y,
      marks: [
        { kind: "area", points: filled, color: ONE, opacity: 0.22 },
        curve(others, TWO, names[1], { dash: "7 4", width: 3.2 }),
        curve(points, ONE, names[0]),
      ],
      values: points.map(([x, y], i) => ({
        x, y, text: () => `share ${short(x)}: density ${short(y)} (${names[0]}), ${short(others[i][1])} (${names[1]})`,
      })),
      start: Math.floor(points.length / 2),
      caption: `The filled area is the middle 95 %, ${between(ends[0])}.`,
    });
    return ends;
  }

  ALL.posterior = {
    knobs: { n: records(10_000, 20), x: count("yes answers", 14), weight: WEIGHT },
    draw({ n, x, weight }, { figure }) {
      const both = [inference.plugIn(setting({ n, weight }), x), inference.plugIn(setting({ n: 0, weight }), 0)];
      const [ends] = beliefs(figure, "What to believe after the answers", both, ["posterior", "prior"]);
      return (
        `After ${x} of ${plural(n, "student")} said yes, the posterior mean of the share is ${share(both[0].mean)}, and with probability ` +
        `95 % the share is ${between(ends)}. The probability that more than half of all students cheated is ` +
        `${share(shareBelow(n - x + weight, x + weight, 0.5))}.`
      );
    },
  };

  const MESH = 60;
  ALL.triangle = {
    knobs: {
      never: { label: "never", low: 0, high: 40, whole: true, start: 9 },
      once: { label: "once", low: 0, high: 40, whole: true, start: 7 },
      often: { label: "often", low: 0, high: 40, whole: true, start: 4 },
      weight: WEIGHT,
    },
    draw({ never, once, often, weight }, { triangle }) {
      const a = [never, once, often].map((answers) => answers + weight);
      const sum = a[0] + a[1] + a[2];
      const logs = simplex.lattice(MESH).map((cell) => {
        const place = cell.map((units) => units + 0.5);
        return { counts: place, log: place.reduce((log, units, i) => log + (a[i] - 1) * Math.log(units / (MESH + 1.5)), 0) };
      });
      const top = logs.reduce((most, { log }) => Math.max(most, log), -Infinity);
      const cells = logs.map(({ counts, log }) => ({ counts, weight: Math.exp(log - top) }));
      triangle("Three shares in one triangle").show({
        cells, m: MESH + 1.5, corners: ["all never", "all once", "all often"], rings: [{ counts: a, look: "mean" }],
        caption: "A stronger colour means that the three shares are more probable. The ring marks the posterior mean.",
      });
      const [x, y, z] = a.map((weights) => short(weights / sum));
      return `The mean shares are ${x} for never, ${y} for once and ${z} for often. A corner stands for a class in which everybody gives the same answer.`;
    },
  };

  // Privacy as a game

  // The attacker knows every answer except Kim's, which is yes with probability one half, sees a release and guesses.
  // With an ε-private mechanism, the guess is right with probability at most e^ε / (1 + e^ε).
  const most = (epsilon) => 1 / (1 + Math.exp(-epsilon));
  const CLASS = { n: 20, others: 13 };

  ALL.game = {
    knobs: { epsilon: EPSILON },
    state: { seed: Math.floor(Math.random() * 2 ** 30), rounds: 0, right: 0, last: "" },
    buttons: {
      yes: { label: "Guess: Kim did", act: (values) => guess(values, 1) },
      no: { label: "Guess: Kim did not", act: (values) => guess(values, 0) },
    },
    draw(values, { figure }) {
      if (values.at !== values.epsilon) Object.assign(values, { at: values.epsilon, rounds: 0, right: 0, last: "" });
      const { epsilon, rounds, right, last } = values; // the score starts again when the privacy loss changes
      const { without, within, released } = played(values);
      const show = (logs) => [...logs].map((log, r) => [r, Math.exp(log)]);
      const points = [show(without), show(within)];
      figure("What the attacker sees and could have seen").show({
        x: { label: "published number of yes answers", low: -0.5, high: CLASS.n + 0.5 },
        y: { label: "probability", low: 0, high: 1.12 * Math.max(...points.flat().map(([, p]) => p)) },
        marks: [
          place(released, "currentColor", `published: ${released}`),
          dots(points[0], TWO, "s", "if Kim did not: 13 yes"),
          dots(points[1], ONE, "o", "if Kim did: 14 yes"),
        ],
        values: points[0].map(([r, p], i) => ({
          x: r, y: Math.max(p, points[1][i][1]),
          text: () => `${r} is published with probability ${short(p)} if Kim did not, and ${short(points[1][i][1])} if Kim did`,
        })),
        start: released,
        caption: "",
      });
      const question = `The published number is ${released}. What is your guess?`;
      const score = rounds ? ` You were right in ${right} of ${plural(rounds, "round")}; the best attacker is right ${percent(most(epsilon))} of the time.` : "";
      return `${last} ${question}${score}`;
    },
  };

  // one round: Kim's answer, the published number, and the log odds of the two answers at every output
  function played({ epsilon, seed }) {
    const s = setting({ n: CLASS.n, epsilon });
    const [without, within] = [0, 1].map((more) => mechanisms.law(s, CLASS.others + more).logs);
    const secret = Number(uniform(2 * seed) < 0.5);
    const released = audit.inverse((secret ? within : without).map(Math.exp), uniform(2 * seed + 1));
    return { without, within, secret, released, odds: within.map((log, r) => log - without[r]) };
  }

  function guess(values, said) {
    const { secret, released, odds } = played(values);
    const [factor, side] = [Math.exp(Math.abs(odds[released])), odds[released] > 0 ? "did" : "did not"];
    values.rounds += 1;
    values.right += Number(said === secret);
    values.last = `${said === secret ? "Right" : "Wrong"}: Kim ${secret ? "did" : "did not"}. The odds were ${short(factor)} to 1 for “${side}”. Here is a new class.`;
    values.seed += 1;
  }

  ALL.hundred = {
    knobs: { epsilon: EPSILON },
    draw({ epsilon }, { board }) {
      const right = 100 * most(epsilon);
      const factor = short(Math.exp(epsilon));
      board().show({ right, words: `At most ${short(right)} of 100 guesses are right; tossing a coin gives 50.` });
      return `At ε = ${short(epsilon)} a release changes the odds by at most the factor ${factor}: odds of 1 to 1 become at most ${factor} to 1.`;
    },
  };

  // Noise on counts

  ALL.noise = {
    knobs: {
      mechanism: { label: "mechanism", choices: named("geometric", "lshist", "staircase", "lsdim", "lszhang"), start: "geometric" },
      epsilon: EPSILON,
      n: records(200, 20),
      x: count("yes answers", 14),
    },
    draw(values, { figure }) {
      const { n, x, epsilon, mechanism } = values;
      const s = setting(values);
      const next = x < n ? x + 1 : x - 1;
      const logs = [x, next].map((y) => [...mechanisms.law(s, y).logs]);
      const [here, there] = logs.map((law) => law.map((log, r) => [r, Math.exp(log)]));
      const reading = (r) => `${r} is published with probability ${short(here[r][1])} if ${x} said yes, and ${short(there[r][1])} if ${next} said yes`;
      const axis = { label: "published number of yes answers", low: -0.5, high: n + 0.5 };
      figure("Distribution of the published count").show({
        x: axis,
        y: { label: "probability", low: 0, high: 1.12 * Math.max(...here.concat(there).map(([, p]) => p)) },
        marks: [along(there, TWO, "s", `if ${next} said yes`), along(here, ONE, "o", `if ${x} said yes`)],
        values: here.map(([r, p]) => ({ x: r, y: p, text: () => reading(r) })),
        start: x,
        caption: "Each class publishes a noisy count. The two classes differ in one answer.",
      });
      const factors = logs[0].map((log, r) => [r, log - logs[1][r]]);
      const ticks = [-1, -0.5, 0, 0.5, 1].map((part) => [part * epsilon, short(Math.exp(part * epsilon))]);
      figure("How much each published count reveals").show({
        x: axis,
        y: { label: `odds of ${x} against ${next}`, low: -1.08 * epsilon, high: 1.08 * epsilon, ticks },
        marks: [level(epsilon, "limits eᵋ and e⁻ᵋ"), level(-epsilon), along(factors, THREE, "D", "odds")],
        values: factors.map(([r, y]) => ({ x: r, y, text: () => `${r}: odds of ${short(Math.exp(y))} to 1 for ${x} against ${next}` })),
        start: x,
        caption: "The dashed lines are the limits that the privacy loss sets. The axis of the odds is logarithmic.",
      });
      const near = here.reduce((sum, [r, p]) => sum + (Math.abs(r - x) <= 2 ? p : 0), 0);
      return (
        `With ${WORDS[mechanism]} the true count is published with probability ${share(here[x][1])}, and a count at ` +
        `most 2 away from it with probability ${share(near)}.`
      );
    },
  };

  // Choosing by distance

  ALL.distance = {
    knobs: { epsilon: { ...EPSILON, start: 2 }, n: records(200, 20), x: count("yes answers", 14) },
    draw(values, { figure }) {
      const { n, x } = values;
      const s = setting({ ...values, mechanism: "ehd" });
      const { logs, distances } = mechanisms.law(s, x);
      const noisy = mechanisms.law({ ...s, mechanism: "geometric" }, x).logs;
      const axis = { label: "candidate: number of yes answers", low: -0.5, high: n + 0.5 };
      const far = [...distances].map((H, r) => [r, H]);
      figure("How far each candidate is from the truth").show({
        x: axis,
        y: { label: "Hellinger distance", low: 0, high: 1.02 },
        marks: [along(far, THREE, "D", "distance"), place(x, "currentColor", "truth")],
        values: far.map(([r, H]) => ({ x: r, y: H, text: () => `candidate ${r} is at distance ${short(H)} from the truth` })),
        start: x,
        caption: "At distance 0 the two posteriors are equal. At distance 1 no share is possible under both.",
      });
      const [drawn, noise] = [logs, noisy].map((law) => [...law].map((log, r) => [r, Math.exp(log)]));
      figure("How probable each candidate is").show({
        x: axis,
        y: { label: "probability", low: 0, high: 1.12 * Math.max(...drawn.concat(noise).map(([, p]) => p)) },
        marks: [along(noise, TWO, "s", WORDS.geometric), along(drawn, ONE, "o", WORDS.ehd)],
        values: drawn.map(([r, p]) => ({ x: r, y: p, text: () => `${r} has probability ${short(p)}, and ${short(noise[r][1])} with geometric noise` })),
        start: x,
        caption: "The exponential mechanism favours candidates close to the truth, and does so more strongly if the budget is larger.",
      });
      const mean = (law) => law.reduce((sum, [r, p]) => sum + p * distances[r], 0);
      return `The mean distance from the published posterior to the true one is ${short(mean(drawn))} with the exponential mechanism and ${short(mean(noise))} with geometric noise.`;
    },
  };

  ALL.simplex = {
    knobs: {
      mechanism: { label: "mechanism", choices: named(...simplex.NAMES), start: "ehd" },
      epsilon: { ...EPSILON, start: 3, high: 20 },
      n: { label: "students asked", low: 3, high: 60, whole: true, start: 20 },
      never: { label: "never", low: 0, high: ({ n }) => n, whole: true, start: 9 },
      once: { label: "once", low: 0, high: ({ n, never }) => n - never, whole: true, start: 7 },
    },
    draw(values, { triangle }) {
      const { n, never, once, mechanism } = values;
      const counts = [never, once, n - never - once];
      const { outputs, logs, distances } = simplex.law({ ...setting(values), prior: [1, 1, 1], counts });
      const inside = [];
      let [legal, mean] = [0, 0];
      outputs.forEach((output, i) => {
        const weight = Math.exp(logs[i]);
        mean += weight * distances[i];
        if (output[0] + output[1] + output[2] !== n) return;
        legal += weight;
        inside.push({ counts: output, weight });
      });
      triangle("What may be published for three answers").show({
        cells: inside, m: n, corners: ["all never", "all once", "all often"], rings: [{ counts, look: "truth" }],
        caption: "A stronger colour means that the release is more probable. The ring marks the truth.",
      });
      const beyond = legal < 1 - 1e-9 ? ` With probability ${short(1 - legal)} the published counts do not add up to ${n}; such releases are not drawn.` : "";
      return `The true counts are ${never}, ${once} and ${counts[2]}. The mean distance from the published posterior to the true one is ${short(mean)}.${beyond}`;
    },
  };

  // What is best

  // pairs of a dataset and its expected error, without a remap if `targets` is null and with it otherwise
  function errors(s, targets) {
    const log = mechanisms.laws(s);
    const size = s.n + 1;
    const H = dpbi.special.distances(s.first, s.second, s.n);
    return Array.from({ length: size }, (_, x) => {
      let sum = 0;
      for (let z = 0; z < size; z++) sum += Math.exp(log[x * size + z]) * H[x * size + (targets ? targets[z] : z)];
      return [x, sum];
    });
  }

  ALL.best = {
    knobs: {
      mechanism: { label: "mechanism", choices: COMPARED, start: "ehd" },
      epsilon: EPSILON,
      n: records(200, 20),
      weight: WEIGHT,
    },
    draw(values, { figure }) {
      const s = setting(values);
      const { n } = values;
      const geometric = { ...s, mechanism: "geometric" };
      const best = optimum.remapped(geometric);
      const own = errors(s, null);
      const least = errors(geometric, best.targets);
      const w = optimum.datasets(s).map(Math.exp);
      const average = own.reduce((sum, [x, error]) => sum + w[x] * error, 0);
      figure("Expected error at every true count").show({
        x: { label: "true number of yes answers", low: -0.5, high: n + 0.5 },
        y: { label: "expected error", low: 0, high: 1.1 * Math.max(...own.concat(least).map(([, e]) => e)) },
        marks: [along(own, TWO, "s", WORDS[s.mechanism]), along(least, ONE, "o", "geometric noise, remapped")],
        values: own.map(([x, e]) => ({ x, y: e, text: () => `true count ${x}: expected error ${short(e)}, and ${short(least[x][1])} for remapped geometric noise` })),
        caption: "Of all private mechanisms that publish the posterior of a possible count, remapped geometric noise has the smallest average error under the prior.",
      });
      const moves = [...best.targets].map((r, z) => [z, r]);
      figure("The remap: what is published for each noisy count").show({
        x: { label: "noisy count", low: -0.5, high: n + 0.5 },
        y: { label: "published count", low: -0.5, high: n + 0.5 },
        marks: [curve([[0, 0], [n, n]], "currentColor", "unchanged", { dash: "2 3", width: 1 }), along(moves, THREE, "D", "best remap")],
        values: moves.map(([z, r]) => ({ x: z, y: r, text: () => `for a noisy count of ${z}, the remap publishes ${r}` })),
        caption: "If the noise is strong, an extreme noisy count probably comes from a true count nearer to the middle.",
      });
      return (
        `With ${WORDS[s.mechanism]} the average error is ${short(average)}, ${times(average / best.expected)}the smallest possible: no mechanism ` +
        `with privacy loss at most ${short(s.epsilon)} that publishes the posterior of a possible count has an average error below ${short(best.expected)}.`
      );
    },
  };

  // The average error of all mechanisms, relative to the least one of those that publish a possible posterior
  ALL.landing = {
    knobs: { epsilon: EPSILON, n: { ...records(60, 20), label: "people asked" }, weight: WEIGHT },
    draw(values, { bars }) {
      const of = (mechanism) => optimum.remapped({ ...setting({ ...values, mechanism }), delta: 1e-8 });
      const least = of("geometric").expected;
      const rows = DIFFERENT.map((name) => ({ name: sentence(WORDS[name]), times: of(name).before / least }));
      rows.push({ name: "Geometric noise, remapped", times: 1, look: "best" });
      rows.sort((one, other) => one.times - other.times || (other.look ?? "").length - (one.look ?? "").length);
      bars("Average error relative to the smallest possible").show({
        rows,
        high: Math.max(4, ...rows.map(({ times }) => times)),
        caption:
          "The bars begin at one, which stands for the smallest average error of a private mechanism that publishes the posterior " +
          "of a possible count. The scale is logarithmic.",
      });
      const [last] = rows.slice(-1);
      return (
        `${values.n === 1 ? "1 person is" : `${values.n} people are`} asked. No mechanism with privacy loss at most ` +
        `${short(values.epsilon)} that publishes the posterior of a possible count has an average error below ${short(least)}; ` +
        `the largest average error shown is ${times(last.times)}as large.`
      );
    },
  };

  // What to conclude from a release

  ALL.conclude = {
    knobs: {
      mechanism: { label: "mechanism", choices: named("geometric", "lshist", "staircase", "lsdim", "lszhang"), start: "geometric" },
      epsilon: { ...EPSILON, start: 0.3 },
      n: records(10_000, 20),
      x: count("published count", 17),
    },
    draw(values, { figure }) {
      const s = setting(values);
      const both = [inference.given(s, values.x), inference.plugIn(s, values.x)];
      const names = ["accounting for the noise", "treating the release as data"];
      const [aware, naive] = beliefs(figure, "What to believe after the release", both, names);
      const width = ([low, high]) => high - low;
      return (
        `The published count is ${values.x} of ${s.n}. With probability 95 % the share is ${between(aware)} if the noise is accounted for, ` +
        `and ${between(naive)} if the release is treated as data. The first interval is ${times(width(aware) / width(naive))}as long as the second.`
      );
    },
  };

  // the probability, for every dataset and release, that the share is in the interval that treats the release as data
  const insides = latest((weight, n) => {
    const size = n + 1;
    const found = new Float64Array(size * size);
    for (let r = 0; r < size; r++) {
      const [low, high] = inference.plugIn(setting({ n, weight }), r).interval(0.95);
      for (let x = 0; x < size; x++) {
        const [a, b] = [weight + x, weight + (n - x)];
        found[x * size + r] = shareBelow(a, b, high) - shareBelow(a, b, low);
      }
    }
    return found;
  });

  // the coverage of that interval, on average over the prior
  function coverage(s) {
    const inside = insides(s.first, s.n);
    const log = mechanisms.laws(s);
    const w = optimum.datasets(s);
    const size = s.n + 1;
    let sum = 0;
    for (let x = 0; x < size; x++) {
      for (let r = 0; r < size; r++) sum += Math.exp(w[x] + log[x * size + r]) * inside[x * size + r];
    }
    return sum;
  }

  const BUDGETS = Array.from({ length: 31 }, (_, i) => 0.03 * 10 ** (i / 10));
  const TICKS = [0.03, 0.1, 0.3, 1, 3, 10, 30].map((epsilon) => [Math.log10(epsilon), epsilon]);
  const coverages = latest((n) => BUDGETS.map((epsilon) => [Math.log10(epsilon), coverage(setting({ n, epsilon }))]));
  ALL.coverage = {
    knobs: { epsilon: { ...EPSILON, low: 0.05, high: 20, start: 0.1 }, n: records(100, 10) },
    draw(values, { figure }) {
      const s = setting(values);
      const points = coverages(s.n);
      const right = coverage(s);
      figure("How often the interval is right").show({
        x: { label: "privacy loss ε", low: TICKS[0][0], high: TICKS[6][0], ticks: TICKS },
        y: { label: "coverage", low: 0, high: 1.02 },
        marks: [
          level(0.95, "accounting for the noise: 0.95"),
          curve(points, TWO, "treating the release as data", { width: 2.4 }),
          place(Math.log10(s.epsilon), "currentColor", "ε"),
        ],
        values: points.map(([x, y]) => ({ x, y, text: () => `ε = ${short(10 ** x)}: right ${percent(y)} of the time` })),
        caption: "Both intervals claim 95 %. The one that accounts for the noise keeps this on average over the prior; the other comes close only if there is little noise.",
      });
      return (
        `At ε = ${short(s.epsilon)} and with ${plural(s.n, "student")}, the interval that treats the release as data is right ` +
        `${percent(right)} of the time${percent(right) === "95 %" ? "" : ", although it claims 95 %"}.`
      );
    },
  };
})();
