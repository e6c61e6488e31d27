r"""The claims of the notes "Differentially Private Bayesian Inference", in both versions.

One version is dated March 12, 2020; the other, undated one adds LSZhang, prints EHDL where the dated one prints EHD in
the last line of Theorem 4.5, and divides by \(2(1+\gamma)\) where the dated one divides by 4. Throughout, neighbours
differ in one replaced record and n is fixed; \(a = \text{prior} + x\) is the posterior, \(q = e^{-\varepsilon}\),

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \]

so that moving a record from j to i moves the posterior by \(F(u(a_i) + u(a_j - 1))\). The letter G stands for the
printed sensitivity \(\sqrt{1 - \pi/4}\). In Section 4 there are two categories, x counts the first,
\(H_r\) is the distance from the posterior of x to that of r, and the printed k, the largest number of steps with a
distance below t, is read upwards, as printed: \(k = k_+\). Downwards it may be another number, \(k_-\).
"""

import math
from types import ModuleType
from typing import Any

from . import floats
from .claim import (
    CONDITIONAL,
    HOLDS,
    NOT_CHECKABLE,
    NOT_WELL_FORMED,
    PROVED,
    REFUTED,
    Case,
    Claim,
    Condition,
    claim,
    grid,
)

Sides = tuple[Any, Any]

FLAT = (1, 1)
JEFFREYS = (0.5, 0.5)

PRIVACY = "notes/privacy_of_the_mechanisms"
LAPLACE_ERROR = "notes/error_of_the_laplace_mechanism"
STEPS = "notes/errors_in_steps"
THEOREM = "notes/theorem_4_5"
CROSSOVERS = "notes/crossovers"


# Quantities that several statements share


def printed_sensitivity(real: ModuleType) -> Any:
    r"""\(G = \sqrt{1 - \pi/4}\), the global sensitivity as printed."""
    return real.sqrt(1 - real.pi / 4)


def step_affinity(real: ModuleType, z: Any) -> Any:
    r"""\(g(z) = \Gamma(z + \frac12) / \sqrt{\Gamma(z)\Gamma(z+1)} = e^{-u(z)}\)."""
    return real.exp(real.lgamma(z + real.number(0.5)) - (real.lgamma(z) + real.lgamma(z + 1)) / 2)


def reciprocal_step(real: ModuleType) -> Any:
    r"""\(\gamma_0 = (1 - \frac{\sqrt\pi}{2})^{-1/2} - 1\), the most that 1/LS moves for two categories."""
    return 1 / real.sqrt(1 - real.sqrt(real.pi) / 2) - 1


def reciprocal_jump(real: ModuleType, prior: Any, n: Any) -> Any:
    r"""\(\kappa = \max_{x \sim x'} |1/LS(x) - 1/LS(x')|\), by listing all datasets."""
    return _largest_jump(real, prior, n, lambda x: real.local_sensitivity(prior, x))


def pure_bound(real: ModuleType, prior: Any, n: Any, sensitivity: Any) -> Any:
    r"""\(\max (2 + \Delta (1 - 2 S'))\) over neighbours with \(S' \le S\) and \(\Delta = 1/S' - 1/S\).

    Let \(D(r) = H(x', r)/S' - H(x, r)/S\) and \(a = H(x, x') \le S'\). From \(|H(x', r) - H(x, r)| \le a\) and
    \(0 \le H \le 1\),
    \[ -\frac aS \le D(r) \le \Delta + \frac aS , \qquad
       \max D - \min D \le \Delta + \frac{2a}{S} \le \Delta + \frac{2S'}{S} = 2 + \Delta(1 - 2S') . \]
    The weights \(e^{-\lambda H / S}\) then lose at most \(\lambda(\max D - \min D)\): one part is the exponent
    itself, the other the ratio of the normalisers, an average of \(e^{-\lambda D}\).
    """
    rows = real.count_vectors(n, len(prior)).tolist()
    found = {tuple(x): sensitivity(real.number(tuple(x))) for x in rows}
    values = []
    for x, here in found.items():
        for y in real.neighbours(x).tolist():
            there = found[tuple(y)]
            if float(there) <= float(here):
                values.append(2 + (1 / there - 1 / here) * (1 - 2 * there))
    return real.largest(values)


def _largest_jump(real: ModuleType, prior: Any, n: Any, sensitivity: Any) -> Any:
    rows = real.count_vectors(n, len(prior)).tolist()
    found = {tuple(x): 1 / sensitivity(real.number(tuple(x))) for x in rows}
    return real.largest(abs(here - found[tuple(y)]) for x, here in found.items() for y in real.neighbours(x).tolist())


def tails(real: ModuleType, prior: Any, counts: Any, rate: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for floored Laplace noise with \(\Pr[|Y| \ge j] = e^{-\text{rate}\,j}\), kept within 0..n.

    The error is below t exactly when \(-k_- \le \lfloor Y \rfloor \le k_+\). A side that reaches 0 or n loses nothing,
    the noise beyond being cut back to the end:
    \[ 1 - \tfrac12 e^{-k_-\,\text{rate}}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\,\text{rate}}\,[x + k_+ < n] . \]
    """
    down, up = real.reach(prior, counts, t)
    x, n = counts[0], sum(counts)
    low = real.exp(-down * rate) / 2 if x > down else 0
    high = real.exp(-(up + 1) * rate) / 2 if x + up < n else 0
    return 1 - low - high


def interior(real: ModuleType, rate: Any, k: Any) -> Any:
    r"""\(1 - \frac12(e^{-k\,\text{rate}} + e^{-(k+1)\,\text{rate}})\)."""
    return 1 - (real.exp(-k * rate) + real.exp(-(k + 1) * rate)) / 2


def laplace_mass(real: ModuleType, rate: Any, low: Any, high: Any) -> Any:
    r"""\(\Pr[\text{low} \le Y < \text{high}]\) for \(Y \sim \mathrm{Lap}(0, 1/\text{rate})\), by integrating the density."""

    def half(end: Any) -> Any:  # the mass between 0 and a positive end
        return real.integral(lambda y: rate * real.exp(-rate * y) / 2, 0, end)

    return (half(high) if high > 0 else -half(-high)) - (half(low) if low > 0 else -half(-low))


def inside(real: ModuleType, prior: Any, counts: Any, t: Any) -> Any:
    r"""The number of candidates at a distance below t, \(k_- + k_+ + 1\)."""
    return sum(real.reach(prior, counts, t)) + 1


def lshist_below(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for LSHist."""
    return real.error_below(real.lshist(epsilon), prior, counts, t)


def ehd_below(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for EHD at the printed sensitivity G."""
    return real.error_below(real.ehd(epsilon, printed_sensitivity(real)), prior, counts, t)


def claimed_crossover(real: ModuleType, epsilon: Any, k: Any) -> Any:
    r"""The size in the proof of Corollary 4.5.1, \((2k+1) e^{\varepsilon} / (1 - e^{-k\varepsilon})\)."""
    return (2 * k + 1) * real.exp(epsilon) / (1 - real.exp(-k * epsilon))


def proved_crossover(real: ModuleType, epsilon: Any, k: Any) -> Any:
    r"""The size from which LSHist is proved better, \((2k+1) e^{\varepsilon/(2G)} / (1 - e^{-k\varepsilon}) - 1\)."""
    rate = epsilon / (2 * printed_sensitivity(real))
    return (2 * k + 1) * real.exp(rate) / (1 - real.exp(-k * epsilon)) - 1


def radius(prior: Any, counts: tuple[int, int], k: int) -> float:
    """The shortest decimal t at which exactly k steps up are nearer than t; 1 more step is not, if there is one."""
    x, n = counts[0], sum(counts)
    rows = [(x + k, n - x - k)] + ([(x + k + 1, n - x - k - 1)] if x + k < n else [])
    inside, outside = ([float(h) for h in floats.distances(prior, counts, rows)] + [1.0])[:2]
    for digits in range(1, 16):
        scale = float(10**digits)
        t = round(math.floor(inside * scale + 1) / scale, digits)
        if inside < t < outside:
            return t
    raise ValueError(f"counts must leave room for k={k} steps, got counts={counts}")


def balanced(n: int) -> tuple[int, int]:
    """The balanced dataset of n records, or the nearest below it."""
    return (n // 2, n - n // 2)


def within(k: int, **values: Any) -> list[Case]:
    """Cases in which the k nearest steps up are inside t."""
    return [{**case, "t": radius(case["prior"], case["counts"], k)} for case in grid(**values)]


def unclamped(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """As many steps down as up are inside t, and neither end is reached."""
    down, up = floats.reach(prior, counts, t)
    return down == up and up < int(min(counts))


def no_farther_down(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """At most as many steps down as up are inside t."""
    down, up = floats.reach(prior, counts, t)
    return down <= up


SMALL = [(2, 1), (3, 5), (4, 4), (10, 10), (20, 20)]
ERRORS = (
    within(0, prior=[FLAT], counts=SMALL, epsilon=[0.1, 0.8, 2.0])
    + within(1, prior=[FLAT], counts=[(1, 2), (4, 4), (10, 10), (3, 17)], epsilon=[0.1, 0.8, 2.0])
    + within(5, prior=[FLAT, JEFFREYS], counts=[(10, 10), (30, 30)], epsilon=[0.1, 0.8])
    + grid(
        prior=[FLAT], counts=[(1, 2), (2, 1)], epsilon=[0.1, 0.8], t=[0.35]
    )  # one step on one side, none on the other
)


# Section 1


@claim(
    id="notes/hellinger",
    source="notes2020, Section 1, Hellinger distance",
    statement=r"\mathcal H(\mathrm{Dir}(\alpha_1), \mathrm{Dir}(\alpha_2)) = \sqrt{1 - \frac{B((\alpha_1+\alpha_2)/2)}{\sqrt{B(\alpha_1)B(\alpha_2)}}}",
    cases=[
        {"a": (2, 4), "b": (4, 2)},
        {"a": (1, 1), "b": (3, 5)},
        {"a": (2.5, 6), "b": (3.5, 2)},
        {"a": (9, 3), "b": (1, 11)},
    ],
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def hellinger_formula(real: ModuleType, a: Any, b: Any) -> Sides:
    r"""The definition is \(H^2 = 1 - \int \sqrt{f g}\). The exponents of two Dirichlet densities average under the root,
    so the integrand is the kernel of \(\mathrm{Dir}((\alpha_1 + \alpha_2)/2)\), and
    \[ \int \sqrt{f g} = B\bigl(\tfrac{\alpha_1+\alpha_2}{2}\bigr) / \sqrt{B(\alpha_1) B(\alpha_2)}. \]

    The cases compare the closed form with the integral, for two categories.
    """
    p, q = (round(float(s + t) / 2) - 1 for s, t in zip(a, b, strict=True))  # whole in all cases
    area = real.integral(lambda theta: theta**p * (1 - theta) ** q, 0, 1)
    scale = real.exp(sum(real.lgamma(z) for z in (*a, *b)) - real.lgamma(sum(a)) - real.lgamma(sum(b)))
    return real.hellinger(a, b), real.sqrt(1 - area / real.sqrt(scale))


@claim(
    id="notes/global-sensitivity",
    source="notes2020, Section 1, GS",
    statement=r"GS = \sqrt{1 - \pi/4}",
    cases=[
        *grid(prior=[(1, 1)], n=[1, 2, 20]),
        *grid(prior=[(1, 1, 1), (1, 1, 7)], n=[1, 4]),
        *grid(prior=[(0.5, 0.5)], n=[1, 8, 9]),
        {"prior": (0.5, 0.5, 0.5), "n": 3},
        {"prior": (2, 1, 3), "n": 3},
    ],
    condition=Condition(
        r"the two smallest prior weights are 1, and \(k \ge 3\) or \(n = 1\)",
        lambda prior, n: sorted(prior)[:2] == [1, 1] and (len(prior) > 2 or n == 1),
    ),
    proof=True,
    expected=CONDITIONAL,
    notebook=PRIVACY,
)
def global_sensitivity(real: ModuleType, prior: Any, n: Any) -> Sides:
    r"""At \(\alpha = 1\) the move between two empty categories has \(e^{-2u(1)} = g(1)^2 = \pi/4\): the constant is the
    closed form of the corrected statement at \(\alpha_{(1)} = \alpha_{(2)} = 1\). With two categories the record
    needs n = 1 for both to be empty: at n = 2 the sensitivity is 0.4086 already, and it falls to
    \((1 - \sqrt\pi/2)^{1/2} = 0.3373\). For smaller prior weights it is larger, 0.6028 for Jeffreys' prior.
    """
    return real.global_sensitivity(prior, n), printed_sensitivity(real)


@claim(
    id="notes/global-sensitivity-bound",
    source="notes2020, Section 1, GS",
    statement=r"GS \le \sqrt{1 - \pi/4}",
    relation="<=",
    cases=[
        *grid(prior=[(1, 1), (1, 4), (2, 2), (3, 1)], n=[1, 2, 20]),
        *grid(prior=[(1, 1, 1), (2, 1, 3)], n=[1, 4]),
        *grid(prior=[(0.5, 0.5)], n=[1, 3, 8]),
        {"prior": (0.9, 0.9, 0.9), "n": 2},
    ],
    condition=Condition(r"every prior weight is at least 1", lambda prior, n: min(prior) >= 1),
    proof=True,
    tight={"prior": (1, 1, 1), "n": 4},
    expected=CONDITIONAL,
    notebook=PRIVACY,
)
def global_sensitivity_bound(real: ModuleType, prior: Any, n: Any) -> Sides:
    r"""u decreases, so every exponent \(u(a_i) + u(a_j - 1)\) is at most \(2u(1)\) when all parameters are at least 1."""
    return real.global_sensitivity(prior, n), printed_sensitivity(real)


@claim(
    id="notes/global-sensitivity-corrected",
    source="notes2020, Section 1, GS",
    statement=r"GS^2 = 1 - g(\alpha_{(1)}) g(\alpha_{(2)}) \text{ for } k \ge 3, \quad "
    r"GS^2 = 1 - \min\{g(\alpha_1) g(\alpha_2+n-1),\ g(\alpha_1+n-1) g(\alpha_2)\} \text{ for } k = 2, \quad "
    r"g(z) = \frac{\Gamma(z+1/2)}{\sqrt{\Gamma(z)\Gamma(z+1)}}",
    cases=[
        *grid(prior=[(1, 1), (0.5, 0.5), (0.3, 2.5), (4, 0.1)], n=[1, 2, 7, 20]),
        *grid(prior=[(1, 1, 1), (0.5, 1, 3), (0.01, 5, 0.2)], n=[1, 3, 6]),
        {"prior": (1, 0.5, 2, 3), "n": 4},
    ],
    corrects="notes/global-sensitivity",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def global_sensitivity_corrected(real: ModuleType, prior: Any, n: Any) -> Sides:
    r"""By the triangle inequality the score changes most at \(r = x\), by \(F(u(a_i) + u(a_j - 1))\).

    For \(k \ge 3\) take the two smallest prior weights, the moving record in one and the others in a third category:
    \(a_i = \alpha_{(1)}\), \(a_j - 1 = \alpha_{(2)}\), and no exponent is larger because u decreases.
    For k = 2, \(a_1 + a_2 - 1 = \alpha_1 + \alpha_2 + n - 1\) is fixed, u is convex (\(\psi'\) is), so the exponent is
    largest at an end, \(a_1 = \alpha_1\) or \(a_2 - 1 = \alpha_2\). The exact side is a maximum over all datasets.
    """
    rows = real.count_vectors(n, len(prior)).tolist()
    exact = real.largest(real.local_sensitivity(prior, real.number(tuple(x))) for x in rows)
    if len(prior) == 2:
        ends = [(prior[0], prior[1] + n - 1), (prior[0] + n - 1, prior[1])]
    else:
        ends = [tuple(sorted(prior)[:2])]
    return exact, real.sqrt(1 - real.smallest(step_affinity(real, y) * step_affinity(real, z) for y, z in ends))


@claim(
    id="notes/local-sensitivity",
    source="notes2020, Section 1, LS",
    statement=r"LS(x) = \max_{x' \sim x,\, r} |\mathcal H(x, r) - \mathcal H(x', r)| = \sqrt{1 - \min_{i \ne j,\, x_j \ge 1} g(a_i)\, g(a_j - 1)}",
    cases=[
        *({"prior": p, "counts": x} for p in (FLAT, (0.3, 2.5)) for x in ((0, 5), (1, 1), (2, 7))),
        *({"prior": (0.5, 1, 3), "counts": x} for x in ((0, 0, 4), (1, 2, 1), (3, 0, 1))),
    ],
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def local_sensitivity(real: ModuleType, prior: Any, counts: Any) -> Sides:
    r"""\(|H(x, r) - H(x', r)| \le H(x, x')\) by the triangle inequality, with equality at \(r = x\), which is a
    candidate. Moving a record from j to i changes two parameters by one, so \(1 - H^2 = g(a_i)\, g(a_j - 1)\).
    """
    rows = real.count_vectors(sum(counts), len(counts))
    here = real.distances(prior, counts, rows)
    exact = real.largest(
        abs(h - k)
        for y in real.neighbours(counts).tolist()
        for h, k in zip(here, real.distances(prior, real.number(tuple(y)), rows), strict=True)
    )
    a = [weight + count for weight, count in zip(prior, counts, strict=True)]
    moves = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j and counts[j] > 0]
    return exact, real.sqrt(
        1 - real.smallest(step_affinity(real, a[i]) * step_affinity(real, a[j] - 1) for i, j in moves)
    )


@claim(
    id="notes/smooth-sensitivity",
    source="notes2020, Section 1, S",
    statement=r"\Bigl|\frac{1}{S(x)} - \frac{1}{S(x')}\Bigr| \le \gamma \ \text{ for neighbours, } \quad S(x) = \max_{x'} \frac{1}{1/LS(x') + \gamma\, d(x, x')}",
    relation="<=",
    cases=[*grid(prior=[FLAT, (0.01, 5)], n=[6, 30], gamma=[0.1, 1.0]), {"prior": (1, 1, 1), "n": 6, "gamma": 0.3}],
    tight={"prior": FLAT, "n": 30, "gamma": 0.1},
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def smooth_sensitivity(real: ModuleType, prior: Any, n: Any, gamma: Any) -> Sides:
    r"""\(1/S(x) = \min_z (1/LS(z) + \gamma\, d(x, z))\) and \(d(x, z) \le d(x', z) + 1\): the largest function with
    slope at most \(\gamma\) below \(1/LS\). So \(1/S\) also moves by no more than \(1/LS\) does at worst.
    """
    return _largest_jump(real, prior, n, lambda x: real.reciprocal_smooth_sensitivity(prior, x, gamma)), gamma


@claim(
    id="notes/smooth-sensitivity-concave",
    source="notes2020, Section 1, S",
    statement=r"a \mapsto 1/F(u(a) + v) \text{ is concave for every } v \ge 0\text{: } R(a) = (e^{u} - 1)\Bigl(\frac{u''}{u'^2} - 1\Bigr) \ge \frac32",
    relation=">=",
    cases=grid(a=[1e-6, 0.02, 0.3, 0.473, 1.0, 1.5, 20.0]),
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def reciprocal_concave(real: ModuleType, a: Any) -> Sides:
    r"""With \(f = e^{-u}\) and \(\kappa = e^{-v}\), \(1/F = (1 - \kappa f)^{-1/2}\) is concave when
    \(\frac32 \kappa f'^2 \le -f''(1 - \kappa f)\), hardest at \(\kappa = 1\), where it says \(R \ge \frac32\).
    From \(\psi(z) = \int_0^\infty (e^{-t}/t - e^{-zt}/(1 - e^{-t}))\,dt\),
    \[ u(a) = \int_0^\infty \frac{e^{-at}}{t}\, T(t)\,dt, \qquad T(t) = \tfrac12 \tanh\tfrac t4, \qquad
       \tfrac t8 - \tfrac{t^3}{384} \le T(t) \le \tfrac t8 . \]
    For \(a \ge 3/2\) put these bounds into u, \(-u'\) and \(u''\), and \(e^u - 1 \ge u\):
    \[ R \ge 2\Bigl(1 - \frac{1}{24a^2}\Bigr)\Bigl(1 - \frac{1}{16a} - \frac{1}{4a^2}\Bigr) > \tfrac32 . \]
    For \(a \le 1/50\), \(u' = -\frac{1}{2a} + d\) with \(d = \psi(a+1) - \psi(a+\frac12) \in (0, \frac{1}{2a})\), and
    \(|d'| \le \psi'(\frac12) - \psi'(1) = \pi^2/3\), so \(u''/u'^2 \ge 2 - 4a^2\pi^2/3\), while \(e^u \ge 3.9\) there:
    \(R \ge 2.8\). Between, interval arithmetic in the tests. The least value is about 1.936, at a = 0.473.

    The closed forms of both smooth sensitivities rest on this lemma.
    """
    half = real.number(0.5)
    u = real.lgamma(a) + real.log(a) / 2 - real.lgamma(a + half)
    first = real.digamma(a) + 1 / (2 * a) - real.digamma(a + half)
    second = real.trigamma(a) - 1 / (2 * a**2) - real.trigamma(a + half)
    return (real.exp(u) - 1) * (second / first**2 - 1), real.number(1.5)


# Section 2


@claim(
    id="notes/algorithm-lszhang",
    source="notes2020, undated version, Algorithm 1",
    statement=r"\tilde\alpha = (0, \dots, 0), \quad \tilde\alpha_i = \alpha_i + \lfloor (\alpha'_i - \alpha_i) + \mathrm{Lap}(2|\mathcal X|/\varepsilon) \rfloor_0^n \ \ (i < |\mathcal X|), \quad \textbf{return } \tilde\alpha",
    malformed=r"the last parameter stays 0, which is no Dirichlet distribution, and its Hellinger distance is undefined",
    expected=NOT_WELL_FORMED,
    notebook=PRIVACY,
)
def lszhang_algorithm(real: ModuleType) -> Sides:
    """The loop ends before the last category, and unlike LSDim nothing completes it afterwards."""
    raise NotImplementedError("the algorithm returns no distribution")


@claim(
    id="notes/algorithm-lszhang-corrected",
    source="notes2020, undated version, Algorithm 1",
    statement=r"\text{LSZhang, completed as LSDim, loses at most } \varepsilon/4 \ (k = 2), \quad \varepsilon/k \ (k \ge 3)",
    relation="<=",
    cases=[
        *grid(prior=[FLAT], n=[1, 2, 10], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1)], n=[1, 4], epsilon=[0.1, 1.0]),
        {"prior": (1, 1, 1, 1), "n": 2, "epsilon": 1.0},
    ],
    tight={"prior": (1, 1, 1), "n": 4, "epsilon": 1.0},
    corrects="notes/algorithm-lszhang",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def lszhang_privacy(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""One replaced record changes the k - 1 noisy counts by 1 in sum for k = 2 and by at most 2 otherwise. Noise of
    scale \(b = 2k/\varepsilon\) loses that sum over b; rounding, clamping and completing are post-processing.
    """
    k = len(prior)
    return real.audit(real.lszhang(epsilon), prior, n), epsilon * (1 if k == 2 else 2) / (2 * k)


@claim(
    id="notes/algorithm-lsdim-noise",
    source="notes2020, undated version, Algorithm 2",
    statement=r"\tilde\alpha_i = \alpha_i + \lfloor (\alpha'_i - \alpha_i) + \mathrm{Lap}(0, |\mathcal X|/\varepsilon) \rfloor_0^n, \qquad \tilde\alpha_{|\mathcal X|} = \alpha_{|\mathcal X|} + \lfloor n - \sum_i \lfloor (\alpha'_i - \alpha_i) + \eta_i \rfloor_0^n \rfloor_0^n",
    malformed=r"the last line uses \(\eta_i\), which is never defined: the noise is drawn inside the line before. The dated version draws \(\eta\) first",
    expected=NOT_WELL_FORMED,
    notebook=PRIVACY,
)
def lsdim_algorithm(real: ModuleType) -> Sides:
    r"""With fresh noise in the last line the total would not be n. Both versions are read as drawing each \(\eta_i\) once;
    what then holds is ``notes/3.1-lsdim``.
    """
    raise NotImplementedError("the algorithm uses noise that it does not define")


@claim(
    id="notes/algorithm-ehd-probability",
    source="notes2020, undated version, Algorithm 4",
    statement=r"\Pr[z = r] = \frac{\exp(-\varepsilon \mathcal H(x, r') / (2\, GS))}{\sum_{r'} \exp(-\varepsilon \mathcal H(x, r') / (2\, GS))}",
    malformed=r"the numerator contains the summation variable \(r'\) in place of r",
    expected=NOT_WELL_FORMED,
    notebook=PRIVACY,
)
def ehd_algorithm(real: ModuleType) -> Sides:
    """The dated version prints r. What holds of it is in ``notes/3.1-ehd-corrected``."""
    raise NotImplementedError("the numerator does not depend on the output")


# Section 3


@claim(
    id="notes/3.1-lsdim",
    source="notes2020, Theorem 3.1, LSDim",
    statement=r"\text{LSDim is } \varepsilon\text{-differentially private}",
    relation="<=",
    cases=[
        *grid(prior=[FLAT], n=[1, 2, 10], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1)], n=[1, 4], epsilon=[0.1, 1.0]),
        {"prior": (1, 1, 1, 1), "n": 2, "epsilon": 1.0},
    ],
    corrects="notes/algorithm-lsdim-noise",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def lsdim_private(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    """Follows from the sharper ``notes/3.1-lsdim-sharp``."""
    return real.audit(real.lsdim(epsilon), prior, n), epsilon


@claim(
    id="notes/3.1-lsdim-sharp",
    source="notes2020, Theorem 3.1, LSDim",
    statement=r"\text{LSDim loses at most } \varepsilon/2 \ (k = 2), \quad 2\varepsilon/k \ (k \ge 3)",
    relation="<=",
    cases=lsdim_private.cases,
    tight={"prior": (1, 1, 1), "n": 4, "epsilon": 1.0},
    corrects="notes/3.1-lsdim",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def lsdim_sharp(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""One replaced record changes the noisy counts by s = 1 in sum for k = 2 and by s = 2 otherwise; noise of scale
    \(b = k/\varepsilon\) loses at most \(s/b\), and the rest is post-processing. From n = 2 on it is lost exactly:
    one count is released as n and, for \(k \ge 3\), another as 0.
    """
    k = len(prior)
    return real.audit(real.lsdim(epsilon), prior, n), epsilon * (1 if k == 2 else 2) / k


@claim(
    id="notes/3.1-lshist",
    source="notes2020, Theorem 3.1, LSHist",
    statement=r"\text{LSHist is } \varepsilon\text{-differentially private}",
    relation="<=",
    cases=lsdim_private.cases,
    tight={"prior": FLAT, "n": 10, "epsilon": 1.0},
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def lshist_private(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""One replaced record changes the noisy counts by s in sum, s = 1 for k = 2 and s = 2 otherwise, and the scale is
    \(s/\varepsilon\). From n = 2 on \(\varepsilon\) is lost exactly: noise of scale \(1/\varepsilon\) would lose
    \(2\varepsilon\) for \(k \ge 3\).
    """
    return real.audit(real.lshist(epsilon), prior, n), epsilon


@claim(
    id="notes/3.1-ehd",
    source="notes2020, Theorem 3.1, EHD",
    statement=r"\text{EHD with } GS = \sqrt{1 - \pi/4} \text{ is } \varepsilon\text{-differentially private}",
    relation="<=",
    cases=[
        *grid(prior=[FLAT], n=[1, 2, 20], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1)], n=[1, 6], epsilon=[1.0]),
        *grid(prior=[(0.5, 0.5), (0.01, 0.01)], n=[1, 5], epsilon=[0.1, 1.0]),
    ],
    condition=Condition(
        r"the global sensitivity of the prior and n at hand is at most \(\sqrt{1 - \pi/4}\), as it is when every prior weight is at least 1",
        lambda prior, n, epsilon: floats.global_sensitivity(prior, n) <= printed_sensitivity(floats) * (1 + 1e-12),
    ),
    proof=True,
    expected=CONDITIONAL,
    notebook=PRIVACY,
)
def ehd_private(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""The exponential mechanism loses at most \(\varepsilon\) when its divisor is at least twice the sensitivity. The
    printed constant is less than the sensitivity when prior weights are small. At n = 1 with a symmetric prior of
    weight a both normalisers agree and the loss is \(\varepsilon H / (2G)\), more than \(\varepsilon/2\) as soon as
    H exceeds G, and more than \(\varepsilon\) once \(H > 2G\), which is \(g(a)^2 < \pi - 3\), \(a < 0.0516\).
    """
    return real.audit(real.ehd(epsilon, printed_sensitivity(real)), prior, n), epsilon


@claim(
    id="notes/3.1-ehd-corrected",
    source="notes2020, Theorem 3.1, EHD",
    statement=r"\text{EHD with the global sensitivity of the prior and } n \text{ at hand is } \varepsilon\text{-differentially private}",
    relation="<=",
    cases=[
        *grid(prior=[FLAT, (0.5, 0.5), (0.01, 0.01), (0.1, 5)], n=[1, 5, 20], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1), (0.02, 0.02, 3)], n=[1, 6], epsilon=[1.0]),
    ],
    tight={"prior": (1e7, 1e7), "n": 300, "epsilon": 1e-6},
    corrects="notes/3.1-ehd",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def ehd_corrected(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""With \(D(r) = H(x', r) - H(x, r) \in [-GS, GS]\) the loss is at most
    \(\frac{\varepsilon}{2\,GS}(\max D - \min D) \le \varepsilon\): the exponent loses \(\max D\), the normalisers
    another \(-\min D\).

    The constant cannot be improved for all priors at once. As the prior weights grow with n fixed, the posteriors
    become equidistant, \(H(x, r) \approx GS\,|x - r|\); between x = 0 and x' = 1 then \(D = GS\) at r = 0 and
    \(-GS\) at the n other candidates, and as \(\varepsilon \to 0\) the loss is \(\varepsilon\, n/(n+1)\).
    """
    return real.audit(real.ehd(epsilon), prior, n), epsilon


_MANY_GAMMAS = [
    *grid(prior=[FLAT], n=[4, 20], epsilon=[1.0], gamma=[0.1, 1.0, 2.0, 5.0]),
    *grid(prior=[(0.01, 5)], n=[20], epsilon=[0.1], gamma=[0.5, 2.0, 30.0]),
    *grid(prior=[(1, 1, 1)], n=[6], epsilon=[1.0], gamma=[0.1, 1.0, 5.0]),
]


def worst_loss(real: ModuleType, mechanism: Any, prior: Any, counts: Any, neighbour: Any, n: Any) -> Any:
    """The loss from one dataset to one neighbour if they are given, over all neighbours otherwise."""
    if counts is None:
        return real.audit(mechanism, prior, n)
    return real.loss(mechanism, prior, counts, neighbour)


@claim(
    id="notes/3.1-ehds",
    source="notes2020, version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    statement=r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (4 S)) \text{ is } \varepsilon\text{-differentially private, for every } \gamma",
    relation="<=",
    cases=[
        *_MANY_GAMMAS,
        {
            "prior": (40, 40, 0.1),
            "n": 160,
            "epsilon": 0.1,
            "gamma": 3.3,
            "counts": (0, 0, 160),
            "neighbour": (0, 1, 159),
        },
        {
            "prior": (1000, 1000, 1_000_000),
            "n": 20,
            "epsilon": 0.1,
            "gamma": 30.0,
            "counts": (0, 0, 20),
            "neighbour": (0, 1, 19),
        },
    ],
    condition=Condition(r"\(\gamma \le 2\), or \(k = 2\)", lambda prior, gamma, **_: gamma <= 2 or len(prior) == 2),
    proof=True,
    expected=CONDITIONAL,
    notebook=PRIVACY,
)
def ehds_private(
    real: ModuleType, prior: Any, n: Any, epsilon: Any, gamma: Any, counts: Any = None, neighbour: Any = None
) -> Sides:
    r"""The loss is at most \(\frac{\varepsilon}{4}(2 + \Delta)\), \(\Delta = |1/S(x) - 1/S(x')|\) (``pure_bound``), and
    \(\Delta \le \gamma\). So \(\gamma \le 2\) suffices. For two categories \(\Delta < \gamma_0 = 1.9647\) whatever
    \(\gamma\) is (``notes/reciprocal-sensitivity``), so there every \(\gamma\) will do.

    For three categories it will not. Put all n records into the third category, \(x' = (0, 0, n)\), and
    \(x = (0, 1, n-1)\). The dataset x can move its record between two small categories, x' cannot:
    \[ LS(x) = F(2u(\alpha)), \qquad LS(x') = F(u(\alpha) + u(\alpha_3 + n - 1)) \to F(u(\alpha)), \]
    and \(1/LS(x') - 1/LS(x) \to \sqrt{8\alpha}\,(1 - 1/\sqrt2) + \dots\) grows without bound with \(\alpha\). Nearly all
    candidates are at distance one from both, so the normalisers differ by \(e^{\varepsilon\Delta/4}\), and once
    \(\gamma\) no longer smooths this away the loss exceeds \(\varepsilon\): from about 3.23 on. Between 2 and there, for
    three categories or more, the statement is open. With a large \(\gamma\) and a third weight that is large too, n = 20
    records are enough.
    """
    mechanism = real.ehds(epsilon, gamma, 4)
    return worst_loss(real, mechanism, prior, counts, neighbour, n), epsilon


@claim(
    id="notes/3.1-ehds-corrected",
    source="notes2020, version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    statement=r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (4 S)) \text{ loses at most } \tfrac{\varepsilon}{4} \bigl(2 + \min(\gamma, \kappa)\bigr), \quad \kappa = \max_{x \sim x'} \Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr|",
    relation="<=",
    cases=_MANY_GAMMAS,
    corrects="notes/3.1-ehds",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def ehds_corrected(real: ModuleType, prior: Any, n: Any, epsilon: Any, gamma: Any) -> Sides:
    r"""The loss is at most \(\frac{\varepsilon}{4}(2 + \Delta(1 - 2S'))\) by ``pure_bound``, since
    \(H(x, x') \le LS \le S\) on both sides. \(1/S\) is the largest function below \(1/LS\) with slope at most
    \(\gamma\); if \(1/LS\) itself has slope \(\kappa \le \gamma\) then S = LS. So \(\Delta \le \min(\gamma, \kappa)\).
    """
    slope = real.smallest([gamma, reciprocal_jump(real, prior, n)])
    return real.audit(real.ehds(epsilon, gamma, 4), prior, n), epsilon * (2 + slope) / 4


@claim(
    id="notes/reciprocal-sensitivity",
    source="notes2020, version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    statement=r"\Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr| < \gamma_0 = \Bigl(1 - \frac{\sqrt\pi}{2}\Bigr)^{-1/2} - 1 = 1.9647 \ \text{ for neighbours, } k = 2",
    relation="<",
    cases=[
        *grid(prior=[FLAT, (0.5, 0.5), (1e-6, 1e-6), (1e-4, 3.0), (50, 0.001)], n=[2, 40]),
        {"prior": (16, 16, 1), "n": 60},
    ],
    tight={"prior": (1e-9, 1e-9), "n": 3000},
    condition=Condition(r"\(k = 2\)", lambda prior, n: len(prior) == 2),
    corrects="notes/3.1-ehds",
    proof=True,
    expected=CONDITIONAL,
    notebook=PRIVACY,
)
def reciprocal_sensitivity(real: ModuleType, prior: Any, n: Any) -> Sides:
    r"""The datasets are 0..n; the edge from m to m + 1 has the exponent
    \(w_m = u(\alpha_1 + m) + u(\alpha_2 + n - 1 - m)\), and \(LS(m) = F(\max(w_{m-1}, w_m))\). Neighbours share an edge.
    Say \(LS(m) > LS(m+1)\), the other order being its mirror image; then \(LS(m) = F(w_{m-1})\) and
    \(LS(m+1) \ge F(w_m)\). With \(A = \alpha_1 + m - 1 > 0\), \(v = u(\alpha_2 + n - m)\) and
    \(u(\alpha_2 + n - m - 1) \ge v\),
    \[ \frac{1}{LS(m+1)} - \frac{1}{LS(m)} \le h(A + 1, v) - h(A, v), \qquad h(a, v) = 1 / F(u(a) + v) . \]
    h is increasing, and concave in a by ``notes/smooth-sensitivity-concave``, so its unit
    increment is largest as \(A \to 0\), where \(u \to \infty\) and \(h \to 1\): it is less than
    \(h(1, v) - 1 \le 1/F(u(1)) - 1 = \gamma_0\), as \(e^{-u(1)} = \sqrt\pi/2\).

    It is approached as \(\alpha \to 0\), \(n \to \infty\), from m = 1 to 2. For three categories nothing of the kind
    holds: neighbours there need not share their best edge, see ``notes/3.1-ehds``.
    """
    return reciprocal_jump(real, prior, n), reciprocal_step(real)


@claim(
    id="notes/3.1-ehds-gamma",
    source="notes2020, undated version, Theorem 3.1 and Algorithm 6",
    statement=r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (2(1+\gamma) S)) \text{ is } \varepsilon\text{-differentially private}",
    relation="<=",
    cases=_MANY_GAMMAS,
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def ehds_gamma_private(real: ModuleType, prior: Any, n: Any, epsilon: Any, gamma: Any) -> Sides:
    r"""By ``notes/3.1-ehds-gamma-sharp`` the loss is at most \(\varepsilon (2+\gamma)/(2+2\gamma) < \varepsilon\)."""
    return real.audit(real.ehds(epsilon, gamma, 2 * (1 + gamma)), prior, n), epsilon


@claim(
    id="notes/3.1-ehds-gamma-sharp",
    source="notes2020, undated version, Theorem 3.1 and Algorithm 6",
    statement=r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (2(1+\gamma) S)) \text{ loses at most } \varepsilon\, \frac{2 + \min(\gamma, \kappa)}{2 + 2\gamma}",
    relation="<=",
    cases=_MANY_GAMMAS,
    corrects="notes/3.1-ehds-gamma",
    proof=True,
    expected=PROVED,
    notebook=PRIVACY,
)
def ehds_gamma_sharp(real: ModuleType, prior: Any, n: Any, epsilon: Any, gamma: Any) -> Sides:
    r"""As ``notes/3.1-ehds-corrected`` with the divisor \(2(1+\gamma)\). A divisor of \(2 + \gamma\) would do, for every
    k and \(\gamma\); the two printed normalisations coincide at \(\gamma = 1\).
    """
    slope = real.smallest([gamma, reciprocal_jump(real, prior, n)])
    return real.audit(real.ehds(epsilon, gamma, 2 * (1 + gamma)), prior, n), epsilon * (2 + slope) / (2 + 2 * gamma)


# Section 4: the error of the Laplace mechanism


@claim(
    id="notes/4.1",
    source="notes2020, Theorem 4.1",
    statement=r"\frac{ELap(x)}{\varepsilon\, LS(x)} = O(1) \text{ in } n = |x| \ge 2, \qquad ELap(x) = \min\{t : \Pr[H < t] \ge 1 - \gamma\}",
    uncheckable=r"no constant is named, and with a strict inequality the minimum is not attained: it is read as the infimum. An explicit constant is in the corrected statement",
    expected=NOT_CHECKABLE,
    notebook=LAPLACE_ERROR,
)
def laplace_order(real: ModuleType) -> Sides:
    """No finite number of sizes decides a statement about all large n."""
    raise NotImplementedError("O(1) names no constant")


@claim(
    id="notes/4.1-corrected",
    source="notes2020, Theorem 4.1",
    statement=r"ELap(x) \le 1.1183\, \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil LS(x) \quad \text{for the prior } \mathrm{Beta}(1, 1) \text{ and every } x",
    relation="<=",
    cases=grid(n=[2, 10, 50], epsilon=[0.3, 0.8, 2.0], gamma=[0.1, 0.4]),
    corrects="notes/4.1",
    expected=HOLDS,
    notebook=LAPLACE_ERROR,
)
def laplace_order_corrected(real: ModuleType, n: Any, epsilon: Any, gamma: Any) -> Sides:
    r"""By ``notes/4.3-corrected`` the error is within \(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\) steps, and m steps go
    at most \(1.1183\,m\,LS\) (``notes/4.3-order-corrected``). The exact side is the worst ratio over all x.
    """
    prior = real.number(FLAT)
    m = math.ceil(float(real.log(1 / gamma) / epsilon))
    mechanism = real.lshist(epsilon)
    ratios = []
    for row in real.count_vectors(n, 2).tolist():
        x = real.number(tuple(row))
        ratios.append(real.error_quantile(mechanism, prior, x, gamma) / (m * real.local_sensitivity(prior, x)))
    return real.largest(ratios), real.number(1.1183)


@claim(
    id="notes/4.2",
    source="notes2020, Theorem 4.2, proof",
    statement=r"\frac{ELap(x)}{\varepsilon\, LS(x)} = \frac{1}{\varepsilon} \text{ when } \gamma = e^{-\varepsilon}",
    cases=[
        *({"prior": FLAT, "counts": x, "epsilon": 0.8} for x in ((0, 2), (1, 1), (5, 5), (0, 10))),
    ],
    expected=REFUTED,
    notebook=LAPLACE_ERROR,
)
def laplace_ratio(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""At x = (0, n) all noise below 1 is cut back to x itself, which is released with probability
    \(1 - e^{-\varepsilon}/2 > 1 - \gamma\): ELap = 0. At balanced x the equation holds.
    """
    quantile = real.error_quantile(real.lshist(epsilon), prior, counts, real.exp(-epsilon))
    return quantile / (epsilon * real.local_sensitivity(prior, counts)), 1 / epsilon


@claim(
    id="notes/4.2-corrected",
    source="notes2020, Theorem 4.2",
    statement=r"\Pr[H \le LS(x)] > 1 - e^{-\varepsilon}, \text{ so } ELap(x) \le LS(x) \text{ when } \gamma = e^{-\varepsilon}",
    relation=">",
    cases=[
        {"prior": p, "counts": x, "epsilon": e}
        for p in (FLAT, (0.2, 3))
        for x in ((0, 2), (1, 1), (5, 5), (3, 17))
        for e in (0.1, 0.8, 2.0)
    ],
    corrects="notes/4.2",
    proof=True,
    expected=PROVED,
    notebook=LAPLACE_ERROR,
)
def laplace_ratio_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""Noise in \([-1, 2)\) is rounded to -1, 0 or 1 and moves the posterior to itself or to a neighbour, which is within
    LS(x); that has probability \(1 - \frac12(q + q^2) > 1 - q\), and clamping only brings outputs nearer.
    """
    other = real.farthest_neighbour(prior, counts)
    return real.as_near(real.lshist(epsilon), prior, counts, other), 1 - real.exp(-epsilon)


@claim(
    id="notes/4.2-order",
    source="notes2020, Theorem 4.2",
    statement=r"\text{there is } C \text{ with } \frac{ELap(x)}{\varepsilon\, LS(x)} \le C \varepsilon \text{ for all small } \varepsilon, \text{ when } \gamma = e^{-\varepsilon}",
    relation="<=",
    cases=[{"C": c, "epsilon": round(0.5 / math.sqrt(c), 4)} for c in (1, 10, 100, 1000)],
    expected=REFUTED,
    notebook=LAPLACE_ERROR,
)
def laplace_ratio_order(real: ModuleType, C: Any, epsilon: Any) -> Sides:
    r"""Printed with \(\gamma = e^{O(\varepsilon)}\), which for a positive exponent is no probability and is read as
    \(e^{-\varepsilon}\). At the balanced x = (1, 1) the ratio is exactly \(1/\varepsilon\), because
    \(\Pr[\text{out} = x] = (1 - q)/2 < 1 - q\): no C survives \(\varepsilon < C^{-1/2}\).
    """
    prior, counts = real.number(FLAT), real.number((1, 1))
    quantile = real.error_quantile(real.lshist(epsilon), prior, counts, real.exp(-epsilon))
    return quantile / (epsilon * real.local_sensitivity(prior, counts)), C * epsilon


@claim(
    id="notes/4.2-tail",
    source="notes2020, Theorem 4.2, proof",
    statement=r"\Pr[H < LS(x)] \ge 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})",
    relation=">=",
    cases=[
        *({"prior": FLAT, "counts": x, "epsilon": 1.0} for x in ((0, 1), (0, 2), (1, 1), (5, 5), (2, 8))),
        {"prior": FLAT, "counts": (1, 1), "epsilon": 0.1},
    ],
    expected=REFUTED,
    notebook=LAPLACE_ERROR,
)
def laplace_tail(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""In a balanced dataset both neighbours lie at distance exactly LS(x), and a strict inequality excludes them: only x
    itself is left, with probability \((1 - q)/2\). The smallest counterexample is x = (1, 1).
    """
    other = real.farthest_neighbour(prior, counts)
    return real.nearer(real.lshist(epsilon), prior, counts, other), interior(real, epsilon, 1)


@claim(
    id="notes/4.2-tail-corrected",
    source="notes2020, Theorem 4.2, proof",
    statement=r"\Pr[H \le LS(x)] \ge 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})",
    relation=">=",
    cases=laplace_tail.cases,
    tight={"prior": FLAT, "counts": (5, 5), "epsilon": 1.0},
    corrects="notes/4.2-tail",
    proof=True,
    expected=PROVED,
    notebook=LAPLACE_ERROR,
)
def laplace_tail_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""Noise in \([-1, 2)\) is rounded to -1, 0 or 1 and stays within a neighbour, hence within LS(x); clamping only brings
    outputs nearer. Equality when neither clamping nor a second step within LS(x) adds anything.
    """
    other = real.farthest_neighbour(prior, counts)
    return real.as_near(real.lshist(epsilon), prior, counts, other), interior(real, epsilon, 1)


# Theorems 4.3 and 4.4


def farthest_within(real: ModuleType, prior: Any, counts: Any, steps: int) -> Any:
    """The largest distance to a dataset at most that many steps away."""
    x, n = int(counts[0]), int(sum(counts))
    rows = real.count_vectors(n, 2)[max(x - steps, 0) : min(x + steps, n) + 1]
    return real.largest(real.distances(prior, counts, rows))


STEP_CASES = [
    {"prior": p, "counts": x, "epsilon": e, "gamma": g}
    for p in (FLAT, (0.2, 3))
    for x in ((1, 1), (0, 4), (5, 5), (3, 17))
    for e, g in ((1.0, 0.5), (0.8, 0.1), (0.1, 0.05))
]


@claim(
    id="notes/4.3",
    source="notes2020, Theorem 4.3, first inequality",
    statement=r"ELap(x) \le \max_{|k| \le \lg(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor))",
    relation="<=",
    cases=STEP_CASES,
    expected=REFUTED,
    notebook=STEPS,
)
def error_in_steps(real: ModuleType, prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Sides:
    r"""Read with integer k, the second parameter being \(\beta - k\): as printed, \(n - \lfloor\alpha + k\rfloor\) drops the
    prior and is negative at x = n. Rounding down reaches one step farther on the left than on the right:
    \(\gamma = 1/2\), \(\varepsilon = 1\) allow only k = 0, while the noise floors to -1 with probability
    \((1 - q)/2\), and x = (1, 1) is released with probability \((1 - q)/2 < 1/2\).
    """
    steps = math.floor(float(real.log(1 / gamma) / epsilon))
    quantile = real.error_quantile(real.lshist(epsilon), prior, counts, gamma)
    return quantile, farthest_within(real, prior, counts, steps)


@claim(
    id="notes/4.3-corrected",
    source="notes2020, Theorem 4.3, first inequality",
    statement=r"ELap(x) \le \max_{|k| \le \lceil \ln(1/\gamma)/\varepsilon \rceil} H_{x+k}",
    relation="<=",
    cases=STEP_CASES,
    corrects="notes/4.3",
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def error_in_steps_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Sides:
    r"""\(|Y| \le L = \ln(1/\gamma)/\varepsilon\) has probability \(1 - \gamma\) and gives
    \(-\lceil L \rceil \le \lfloor Y \rfloor \le \lfloor L \rfloor\). Clamping to 0..n moves an output towards x, and H
    grows with the number of steps on either side.
    """
    steps = math.ceil(float(real.log(1 / gamma) / epsilon))
    quantile = real.error_quantile(real.lshist(epsilon), prior, counts, gamma)
    return quantile, farthest_within(real, prior, counts, steps)


@claim(
    id="notes/4.3-order",
    source="notes2020, Theorem 4.3, second inequality",
    statement=r"\max_{|k| \le m} H_{x+k} / LS(x) \le O(m), \quad m = \lg(1/\gamma)/\varepsilon",
    uncheckable=r"no constant is named; explicit ones are in the corrected statement",
    expected=NOT_CHECKABLE,
    notebook=STEPS,
)
def steps_order(real: ModuleType) -> Sides:
    """By the triangle inequality m steps go at most m times the largest LS on the way, which may exceed LS(x)."""
    raise NotImplementedError("O(m) names no constant")


@claim(
    id="notes/4.3-order-corrected",
    source="notes2020, Theorem 4.3, second inequality",
    statement=r"\max_{|k| \le m} H_{x+k} \le C\, m\, LS(x), \quad C = 1.1183 \text{ for the prior } \mathrm{Beta}(1,1), \ C = \tfrac{1+\gamma_0}{2} = 1.4824 \text{ for every prior}",
    relation="<=",
    cases=[
        *grid(prior=[FLAT], n=[2, 8, 60], C=[1.1183]),
        {"prior": FLAT, "n": 1_000_000, "C": 1.1183, "x": 3, "k": -3},
        *grid(prior=[(0.5, 0.5), (0.001, 0.001), (0.01, 2), (7, 0.3), (30, 30)], n=[4, 30], C=[None]),
    ],
    tight={"prior": (1e-8, 1e-8), "n": 300, "C": None},
    corrects="notes/4.3-order",
    expected=HOLDS,
    notebook=STEPS,
)
def steps_order_corrected(real: ModuleType, prior: Any, n: Any, C: Any, x: Any = None, k: Any = None) -> Sides:
    r"""The exact side is the largest \(H_{x+k} / (|k|\, LS(x))\), over all x and k or at those given. Both constants are
    limits as \(n \to \infty\), where the second category no longer counts. For the uniform prior it is three steps from
    x = 3 to 0,
    \[ \frac{\sqrt{1 - \Gamma(5/2)/\sqrt{\Gamma(4)\Gamma(1)}}}{3\sqrt{1 - g(3)}} = 1.11828 ; \]
    up to n = 200 all ratios are below 1.114, and at n = 256 that is no bound any more. For every prior it is two steps
    from x = 2 to 0 as \(\alpha \to 0\), where H is 1 and \(LS(2) = F(u(1))\).
    """
    if k is not None:
        there = real.distances(prior, (x, n - x), real.count_vectors(n, 2)[int(x + k)][None])[0]
        return there / (abs(k) * real.local_sensitivity(prior, (x, n - x))), C
    rows = real.count_vectors(n, 2)
    ratios = []
    for row in rows.tolist():
        here = real.number(tuple(row))
        scale = real.local_sensitivity(prior, here)
        found = real.distances(prior, here, rows)
        ratios += [h / (abs(r - row[0]) * scale) for r, h in enumerate(found) if r != row[0]]
    return real.largest(ratios), (1 + reciprocal_step(real)) / 2 if C is None else C


@claim(
    id="notes/4.4",
    source="notes2020, Theorem 4.4",
    statement=r"\text{for } \gamma = e^{O(k)\varepsilon}, \ O(\lg(1/\gamma)/\varepsilon) \text{ is bounded by } O(k)",
    malformed=r"with a positive exponent \(\gamma\) exceeds 1; with a negative one the statement repeats its definition, \(\ln(e^{k\varepsilon})/\varepsilon = k\)",
    expected=NOT_WELL_FORMED,
    notebook=STEPS,
)
def exponent_order(real: ModuleType) -> Sides:
    """What it is meant to give is in ``notes/4.4-corrected``."""
    raise NotImplementedError("gamma exceeds 1")


@claim(
    id="notes/4.4-corrected",
    source="notes2020, Theorem 4.4",
    statement=r"ELap(x) \le \max_{|j| \le k} H_{x+j} \ \text{ for } \gamma = e^{-k\varepsilon}: \quad \Pr[|\mathrm{out} - x| \le k] \ge 1 - \tfrac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}) > 1 - e^{-k\varepsilon}",
    relation=">",
    cases=[
        {"counts": x, "epsilon": e, "k": k}
        for x in ((0, 1), (1, 1), (5, 5), (3, 17))
        for e in (0.1, 0.8)
        for k in (1, 2, 3)
    ],
    corrects="notes/4.4",
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def exponent_corrected(real: ModuleType, counts: Any, epsilon: Any, k: Any) -> Sides:
    r"""\(-k \le \lfloor Y \rfloor \le k\) has the probability stated, and clamping only adds to it."""
    outputs, probabilities = real.law(real.lshist(epsilon), real.number(FLAT), counts)
    x = int(counts[0])
    near = sum(p for row, p in zip(outputs.tolist(), probabilities, strict=True) if abs(row[0] - x) <= int(k))
    return near, 1 - real.exp(-k * epsilon)


@claim(
    id="notes/4.4.1-distance",
    source="notes2020, Corollary 4.4.1, equation (1)",
    statement=r"H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor)) \le LS(x) \ \text{ for } -1 \le k < 2",
    relation="<=",
    cases=[
        {"prior": FLAT, "counts": x, "k": k}
        for x, k in (((1, 1), 1.0), ((1, 1), 1.99), ((5, 5), 0.5), ((5, 5), 1.99), ((5, 5), -0.5))
    ],
    expected=REFUTED,
    notebook=STEPS,
)
def one_step(real: ModuleType, prior: Any, counts: Any, k: Any) -> Sides:
    r"""Read with the second parameter \(\beta - \lfloor k \rfloor\). The first parameter moves by nearly 2 while the second
    moves by 1, and the total changes: that is farther than any neighbour.
    """
    a, b = (weight + count for weight, count in zip(prior, counts, strict=True))
    whole = math.floor(float(k))
    return real.hellinger((a, b), (a + k, b - whole)), real.local_sensitivity(prior, counts)


@claim(
    id="notes/4.4.1-distance-corrected",
    source="notes2020, Corollary 4.4.1, equation (1)",
    statement=r"H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + \lfloor k \rfloor, \beta - \lfloor k \rfloor)) \le LS(x) \ \text{ for } -1 \le k < 2",
    relation="<=",
    cases=one_step.cases,
    tight={"prior": FLAT, "counts": (5, 5), "k": 1.99},
    corrects="notes/4.4.1-distance",
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def one_step_corrected(real: ModuleType, prior: Any, counts: Any, k: Any) -> Sides:
    r"""\(\lfloor k \rfloor\) is -1, 0 or 1: x itself or a neighbour, and LS(x) is the distance to the farthest one."""
    a, b = (weight + count for weight, count in zip(prior, counts, strict=True))
    whole = math.floor(float(k))
    return real.hellinger((a, b), (a + whole, b - whole)), real.local_sensitivity(prior, counts)


@claim(
    id="notes/4.4.1-tail",
    source="notes2020, Corollary 4.4.1, proof",
    statement=r"\Pr[|k| \le b/\varepsilon] = 1 - e^{-b} \ \text{ for } k \sim \mathrm{Lap}(0, 1/\varepsilon)",
    cases=grid(b=[0.5, 3.0], epsilon=[0.1, 2.0]),
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def laplace_absolute(real: ModuleType, b: Any, epsilon: Any) -> Sides:
    r"""\(|k|\) is exponential with rate \(\varepsilon\)."""
    return 2 * laplace_mass(real, epsilon, 0, b / epsilon), 1 - real.exp(-b)


@claim(
    id="notes/4.4.1-probability",
    source="notes2020, Corollary 4.4.1, equation (2)",
    statement=r"\Pr[-1 \le k < 2] = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon}) \ \text{ for } k \sim \mathrm{Lap}(0, 1/\varepsilon)",
    cases=grid(epsilon=[0.1, 0.8, 2.0]),
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def laplace_interval(real: ModuleType, epsilon: Any) -> Sides:
    r"""What is missing is \(\Pr[k < -1] = q/2\) and \(\Pr[k \ge 2] = q^2/2\). The cases integrate the density."""
    return laplace_mass(real, epsilon, -1, 2), interior(real, epsilon, 1)


@claim(
    id="notes/4.4.1",
    source="notes2020, Corollary 4.4.1",
    statement=r"\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < 2",
    relation="<",
    cases=grid(epsilon=[0.001, 0.1, 0.8, 3.0, 20.0]),
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def one_step_order(real: ModuleType, epsilon: Any) -> Sides:
    r"""With lg read as the natural logarithm, on the right of which the corollary has the constant 2. Follows from the
    sharp form, 3/2. For its purpose the bound is not needed: \(ELap \le LS(x)\) at this \(\gamma\) by
    ``notes/4.2-tail-corrected``, a ratio of 1.
    """
    return real.log(2 / (real.exp(-epsilon) + real.exp(-2 * epsilon))) / epsilon, real.number(2)


@claim(
    id="notes/4.4.1-sharp",
    source="notes2020, Corollary 4.4.1",
    statement=r"\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < \frac32",
    relation="<",
    cases=one_step_order.cases,
    tight={"epsilon": 0.001},
    corrects="notes/4.4.1",
    proof=True,
    expected=PROVED,
    notebook=STEPS,
)
def one_step_sharp(real: ModuleType, epsilon: Any) -> Sides:
    r"""\(\frac12(q + q^2) > q^{3/2}\), the means being of different numbers; equality as \(\varepsilon \to 0\)."""
    return real.log(2 / (real.exp(-epsilon) + real.exp(-2 * epsilon))) / epsilon, real.number(1.5)


@claim(
    id="notes/4.4.1-binary-logarithm",
    source="notes2020, Corollary 4.4.1",
    statement=r"\frac{1}{\varepsilon} \log_2 \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < 2",
    relation="<",
    cases=one_step_order.cases,
    expected=REFUTED,
    notebook=STEPS,
)
def one_step_binary(real: ModuleType, epsilon: Any) -> Sides:
    r"""The other reading of lg. The limit at \(\varepsilon \to 0\) is \(1.5 / \ln 2 = 2.164\)."""
    exact, bound = one_step_order.body(real, epsilon)
    return exact / real.log(2), bound


# Theorem 4.5


@claim(
    id="notes/4.5-lshist",
    source="notes2020, Theorem 4.5, LSHist, equation",
    statement=r"\Pr[H < t] = 1 - \tfrac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})",
    cases=[*ERRORS, *within(1, prior=[FLAT], counts=[(1, 1)], epsilon=[0.8])],
    condition=Condition(r"as many steps down as up are inside t, and fewer than reach 0 or n", unclamped),
    proof=True,
    expected=CONDITIONAL,
    notebook=THEOREM,
)
def lshist_equation(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""H < t is the event \(-k_- \le \lfloor Y \rfloor \le k_+\), whose complement has two tails,
    \(\frac12 e^{-k_-\varepsilon}\) and \(\frac12 e^{-(k_+ + 1)\varepsilon}\). The printed k stands for both numbers of
    steps, and nothing is said of an end that the noise is cut back to. With x = (1, 1) and one step, everything is
    inside: the probability is 1.
    """
    _, k = real.reach(prior, counts, t)
    return lshist_below(real, prior, counts, epsilon, t), interior(real, epsilon, k)


@claim(
    id="notes/4.5-lshist-corrected",
    source="notes2020, Theorem 4.5, LSHist, equation",
    statement=r"\Pr[H < t] = 1 - \tfrac12 e^{-k_-\varepsilon}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\varepsilon}\,[x + k_+ < n]",
    cases=lshist_equation.cases,
    corrects="notes/4.5-lshist",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def lshist_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""H grows with the number of steps on either side, so H < t is the interval
    \(x - k_- \le \mathrm{out} \le x + k_+\). Below it lies \(Y < -k_-\), above it \(Y \ge k_+ + 1\); where an end of 0..n
    is inside the interval, the noise beyond is cut back into it.
    """
    return lshist_below(real, prior, counts, epsilon, t), tails(real, prior, counts, epsilon, t)


@claim(
    id="notes/4.5-lshist-lower",
    source="notes2020, Theorem 4.5, LSHist, inequality",
    statement=r"\Pr[H < t] \ge 1 - e^{-k\varepsilon}",
    relation=">=",
    cases=[*ERRORS, *within(1, prior=[FLAT], counts=[(1, 1)], epsilon=[0.8])],
    condition=Condition(
        r"at least as many steps down as up are inside t",
        lambda prior, counts, t, **_: no_farther_down(prior[::-1], counts[::-1], t),
    ),
    proof=True,
    expected=CONDITIONAL,
    notebook=THEOREM,
)
def lshist_lower(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""From the corrected equation with \(k_- \ge k_+\). At x = (1, 2), t = 0.35 one step up is inside and none down."""
    _, k = real.reach(prior, counts, t)
    return lshist_below(real, prior, counts, epsilon, t), 1 - real.exp(-k * epsilon)


@claim(
    id="notes/4.5-lshist-lower-corrected",
    source="notes2020, Theorem 4.5, LSHist, inequality",
    statement=r"\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon}",
    relation=">=",
    cases=lshist_lower.cases,
    corrects="notes/4.5-lshist-lower",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def lshist_lower_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Each tail of the corrected equation is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon}\)."""
    k = min(real.reach(prior, counts, t))
    return lshist_below(real, prior, counts, epsilon, t), 1 - real.exp(-k * epsilon)


def lszhang_below(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for LSZhang, completed."""
    return real.error_below(real.lszhang(epsilon), prior, counts, t)


@claim(
    id="notes/4.5-lszhang",
    source="notes2020, undated version, Theorem 4.5, LSZhang, equation",
    statement=r"\Pr[H < t] = \bigl(1 - \tfrac12(e^{-k\varepsilon/2} + e^{-(k+1)\varepsilon/2})\bigr)^2",
    cases=[*ERRORS, *within(2, prior=[FLAT], counts=[(20, 20)], epsilon=[0.8])],
    expected=REFUTED,
    notebook=THEOREM,
)
def lszhang_equation(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""The square is the probability that two independent noises of scale \(2/\varepsilon\) both stay within k steps.
    Algorithm 1 draws one noise for two categories, of scale \(4/\varepsilon\).
    """
    _, k = real.reach(prior, counts, t)
    return lszhang_below(real, prior, counts, epsilon, t), interior(real, epsilon / 2, k) ** 2


@claim(
    id="notes/4.5-lszhang-corrected",
    source="notes2020, undated version, Theorem 4.5, LSZhang, equation",
    statement=r"\Pr[H < t] = 1 - \tfrac12 e^{-k_-\varepsilon/4}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\varepsilon/4}\,[x + k_+ < n]",
    cases=lszhang_equation.cases,
    corrects="notes/4.5-lszhang",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def lszhang_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""As ``notes/4.5-lshist-corrected``, with noise of scale \(4/\varepsilon\)."""
    return lszhang_below(real, prior, counts, epsilon, t), tails(real, prior, counts, epsilon / 4, t)


@claim(
    id="notes/4.5-lszhang-lower",
    source="notes2020, undated version, Theorem 4.5, LSZhang, inequality",
    statement=r"\Pr[H < t] \ge (1 - e^{-k\varepsilon/2})^2",
    relation=">=",
    cases=[*ERRORS, *within(10, prior=[FLAT], counts=[(12, 12)], epsilon=[0.44])],
    expected=REFUTED,
    notebook=THEOREM,
)
def lszhang_lower(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Fails in balanced data too: with \(z = e^{-k\varepsilon/4}\) the two sides are about \(1 - z\) and
    \((1 - z)^2 (1 + z)^2\), and \((1-z)(1+z)^2\) reaches 32/27 at z = 1/3.
    """
    _, k = real.reach(prior, counts, t)
    return lszhang_below(real, prior, counts, epsilon, t), (1 - real.exp(-k * epsilon / 2)) ** 2


@claim(
    id="notes/4.5-lszhang-lower-corrected",
    source="notes2020, undated version, Theorem 4.5, LSZhang, inequality",
    statement=r"\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon/4}",
    relation=">=",
    cases=lszhang_lower.cases,
    corrects="notes/4.5-lszhang-lower",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def lszhang_lower_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Each tail of the corrected equation is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon/4}\)."""
    k = min(real.reach(prior, counts, t))
    return lszhang_below(real, prior, counts, epsilon, t), 1 - real.exp(-k * epsilon / 4)


SMALLEST = [{"prior": FLAT, "counts": (0, 1), "epsilon": e, "t": 0.3} for e in (0.1, 1.0)]


@claim(
    id="notes/4.5-ehd-lower",
    source="notes2020, Theorem 4.5, EHD, left inequality",
    statement=r"\Pr[H < t] > \frac{2k e^{-\varepsilon} + 1}{n}",
    relation=">",
    cases=[*SMALLEST, *ERRORS, *within(0, prior=[FLAT], counts=[(1, 1), (7, 7)], epsilon=[0.1, 1.0])],
    expected=REFUTED,
    notebook=THEOREM,
)
def ehd_lower(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""There are n + 1 candidates, not n. The smallest counterexample is a single record: with no step inside t the bound
    is 1, and the probability is \(1 / (1 + e^{-\varepsilon/2})\). Balanced data with n = 2 and n = 14 refute it too.
    """
    _, k = real.reach(prior, counts, t)
    return ehd_below(real, prior, counts, epsilon, t), (2 * k * real.exp(-epsilon) + 1) / sum(counts)


@claim(
    id="notes/4.5-ehd-lower-corrected",
    source="notes2020, Theorem 4.5, EHD, left inequality",
    statement=r"\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}",
    relation=">=",
    cases=ehd_lower.cases,
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehd-lower",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def ehd_lower_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Weights fall with the distance, and the candidates inside t are the nearest ones: their average weight is at least
    the average over all n + 1. So they hold at least their share of the probability. This is true of every x and of
    every weight that falls with H; no \(e^{-\varepsilon}\) is needed. Equality as \(\varepsilon \to 0\).
    """
    return ehd_below(real, prior, counts, epsilon, t), inside(real, prior, counts, t) / (sum(counts) + 1)


@claim(
    id="notes/4.5-ehd-upper",
    source="notes2020, Theorem 4.5, EHD, right inequality",
    statement=r"\Pr[H < t] < \frac{2k + 1}{n e^{-\varepsilon}}",
    relation="<",
    cases=[
        *ERRORS,
        *within(0, prior=[FLAT], counts=[(417, 417)], epsilon=[0.5]),
        *within(0, prior=[FLAT], counts=[(492, 492), (500, 500)], epsilon=[0.8]),
    ],
    expected=REFUTED,
    notebook=THEOREM,
)
def ehd_upper(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""\(1/(2G) = 1.0793 > 1\), so \(e^{-\varepsilon/(2G)}\) is less than \(e^{-\varepsilon}\) and the last step of the
    printed chain goes the wrong way (``notes/4.5-ehd-proof``). In balanced data it shows from n = 834 on; with more
    steps inside t downwards than upwards already at n = 3.
    """
    _, k = real.reach(prior, counts, t)
    return ehd_below(real, prior, counts, epsilon, t), (2 * k + 1) * real.exp(epsilon) / sum(counts)


@claim(
    id="notes/4.5-ehd-upper-corrected",
    source="notes2020, Theorem 4.5, EHD, right inequality",
    statement=r"\Pr[H < t] < \frac{k_- + k_+ + 1}{(n + 1)\, e^{-\varepsilon/(2G)}}, \quad G = \sqrt{1 - \pi/4}",
    relation="<",
    cases=ehd_upper.cases,
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehd-upper",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def ehd_upper_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Each weight is at most 1, and each of the n + 1 terms of the normaliser exceeds \(e^{-\varepsilon/(2G)}\), as
    H < 1. Equality as \(\varepsilon \to 0\); for any \(\varepsilon\) it is also approached as n grows with t small, when almost
    all candidates lie at distance 1.
    """
    rate = epsilon / (2 * printed_sensitivity(real))
    bound = inside(real, prior, counts, t) * real.exp(rate) / (sum(counts) + 1)
    return ehd_below(real, prior, counts, epsilon, t), bound


@claim(
    id="notes/4.5-ehd-proof",
    source="notes2020, Theorem 4.5, proof, last step",
    statement=r"\frac{2k+1}{n \exp(-\varepsilon/(2\sqrt{1 - \pi/4}))} < \frac{2k+1}{n \exp(-\varepsilon)}",
    relation="<",
    cases=grid(epsilon=[0.01, 0.8, 5.0]),
    expected=REFUTED,
    notebook=THEOREM,
)
def ehd_proof(real: ModuleType, epsilon: Any) -> Sides:
    r"""\(2G = 0.9265 < 1\). The sides are compared at k = 0, n = 1; the common factor changes nothing."""
    return real.exp(epsilon / (2 * printed_sensitivity(real))), real.exp(epsilon)


@claim(
    id="notes/4.5-ehd-proof-lower",
    source="notes2020, version of March 12, 2020, Theorem 4.5, proof, lower chain",
    statement=r"\Pr[H < t] \ge \frac{2k \exp(-0\varepsilon/(2G)) + 1}{n \exp(-\varepsilon/(2G))}",
    relation=">=",
    cases=ehd_lower.cases,
    expected=REFUTED,
    notebook=THEOREM,
)
def ehd_proof_lower(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""This is the expression that the chain before it gives as an upper bound. A lower bound would need the least weight
    in the numerator and the largest in the denominator; the other version prints an unreadable variant.
    """
    _, k = real.reach(prior, counts, t)
    rate = epsilon / (2 * printed_sensitivity(real))
    return ehd_below(real, prior, counts, epsilon, t), (2 * k + 1) * real.exp(rate) / sum(counts)


def local_rate(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\varepsilon / (2\,LS(x))\)."""
    return epsilon / (2 * real.local_sensitivity(prior, counts))


@claim(
    id="notes/4.5-ehdl-lower",
    source="notes2020, undated version, Theorem 4.5, EHDL, left inequality",
    statement=r"\Pr[H < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}",
    relation=">",
    cases=ehd_lower.cases,
    expected=REFUTED,
    notebook=THEOREM,
)
def ehdl_lower(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""As for EHD there are n + 1 candidates, not n: a single record refutes it."""
    _, k = real.reach(prior, counts, t)
    exact = real.error_below(real.ehdl(epsilon), prior, counts, t)
    return exact, (2 * k * real.exp(-local_rate(real, prior, counts, epsilon)) + 1) / sum(counts)


@claim(
    id="notes/4.5-ehdl-lower-corrected",
    source="notes2020, undated version, Theorem 4.5, EHDL, left inequality",
    statement=r"\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}",
    relation=">=",
    cases=ehd_lower.cases,
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehdl-lower",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def ehdl_lower_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    """The nearest candidates have more than the average weight, as for ``notes/4.5-ehd-lower-corrected``."""
    exact = real.error_below(real.ehdl(epsilon), prior, counts, t)
    return exact, inside(real, prior, counts, t) / (sum(counts) + 1)


@claim(
    id="notes/4.5-ehdl-upper",
    source="notes2020, undated version, Theorem 4.5, EHDL, right inequality",
    statement=r"\Pr[H < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}",
    relation="<",
    cases=ehd_lower.cases,
    condition=Condition(r"at most as many steps down as up are inside t", no_farther_down),
    proof=True,
    expected=CONDITIONAL,
    notebook=THEOREM,
)
def ehdl_upper(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""The normaliser is more than \((n+1)\, e^{-\varepsilon/(2 LS)}\), as H < 1; the numerator is at most
    \(k_- + k_+ + 1 \le 2k + 1\).
    """
    _, k = real.reach(prior, counts, t)
    exact = real.error_below(real.ehdl(epsilon), prior, counts, t)
    return exact, (2 * k + 1) * real.exp(local_rate(real, prior, counts, epsilon)) / sum(counts)


@claim(
    id="notes/4.5-ehdl-upper-corrected",
    source="notes2020, undated version, Theorem 4.5, EHDL, right inequality",
    statement=r"\Pr[H < t] < \frac{k_- + k_+ + 1}{(n + 1) \exp(-\varepsilon/(2\,LS(x)))}",
    relation="<",
    cases=ehd_lower.cases,
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehdl-upper",
    proof=True,
    expected=PROVED,
    notebook=THEOREM,
)
def ehdl_upper_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""For every x: weights are at most 1, and more than \(e^{-\varepsilon/(2 LS)}\) as H < 1."""
    exact = real.error_below(real.ehdl(epsilon), prior, counts, t)
    rate = local_rate(real, prior, counts, epsilon)
    return exact, inside(real, prior, counts, t) * real.exp(rate) / (sum(counts) + 1)


@claim(
    id="notes/4.5-ehd-local-lower",
    source="notes2020, version of March 12, 2020, Theorem 4.5, third line, left inequality",
    statement=r"\Pr[H(x, \mathrm{EHD}(x)) < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}",
    relation=">",
    cases=ehd_lower.cases,
    expected=REFUTED,
    notebook=THEOREM,
)
def ehd_local_lower(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""This version prints EHD where the other prints EHDL. A single record refutes it either way."""
    _, bound = ehdl_lower.body(real, prior, counts, epsilon, t)
    return ehd_below(real, prior, counts, epsilon, t), bound


@claim(
    id="notes/4.5-ehd-local-upper",
    source="notes2020, version of March 12, 2020, Theorem 4.5, third line, right inequality",
    statement=r"\Pr[H(x, \mathrm{EHD}(x)) < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}",
    relation="<",
    cases=[
        *ehd_lower.cases,
        {"prior": (0.001, 0.001), "counts": (1, 299), "epsilon": 2.0, "t": 0.01},
    ],
    condition=Condition(
        r"at most as many steps down as up are inside t, and \(LS(x) \le \sqrt{1 - \pi/4}\)",
        lambda prior, counts, epsilon, t: (
            no_farther_down(prior, counts, t)
            and float(floats.local_sensitivity(prior, counts)) <= printed_sensitivity(floats) * (1 + 1e-12)
        ),
    ),
    proof=True,
    expected=CONDITIONAL,
    notebook=THEOREM,
)
def ehd_local_upper(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Where \(LS(x) \le G\) the rate of EHD is at most \(\varepsilon/(2 LS)\), and the argument for EHDL applies."""
    _, bound = ehdl_upper.body(real, prior, counts, epsilon, t)
    return ehd_below(real, prior, counts, epsilon, t), bound


# Corollaries of Theorem 4.5


def lshist_and_ehd(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""\(\Pr[H < t]\) for LSHist and for EHD at the printed sensitivity.

    Beyond 5000 records the value for EHD is a lower bound: only the candidates 0..2000 are listed, and each of the
    others, farther from x than the last of them, weighs at most as much as that one.
    """
    if sum(counts) <= 5000:
        return lshist_below(real, prior, counts, epsilon, t), ehd_below(real, prior, counts, epsilon, t)
    n, listed = sum(counts), 2000
    rate = epsilon / (2 * printed_sensitivity(real))
    rows = real.count_vectors(listed, 2) + [0, int(n) - listed]
    distances = real.distances(prior, counts, rows)
    weights = [real.exp(-rate * h) for h in distances]
    near = sum(w for w, h in zip(weights, distances, strict=True) if real.less(h, t))
    return tails(real, prior, counts, epsilon, t), near / (sum(weights) + (n - listed) * weights[-1])


def beyond(size: Any, k: list[int], epsilon: list[float]) -> list[Case]:
    """Balanced datasets, just above and at twice a claimed size, with k steps inside t."""
    cases: list[Case] = []
    for case in grid(k=k, epsilon=epsilon):
        least = max(math.floor(size(floats, case["epsilon"], case["k"])) // 2 + 1, case["k"] + 1)
        cases += within(
            case["k"], prior=[FLAT], counts=[(least, least), (2 * least, 2 * least)], epsilon=[case["epsilon"]]
        )
    return cases


def as_far_down_as_up(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """As many steps down as up are inside t."""
    down, up = floats.reach(prior, counts, t)
    return down == up


@claim(
    id="notes/4.5.1",
    source="notes2020, Corollary 4.5.1, size in the proof",
    statement=r"n > \frac{(2k+1)\, e^{\varepsilon}}{1 - e^{-k\varepsilon}} \implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]",
    relation=">",
    cases=[
        *beyond(claimed_crossover, k=[1, 2, 5], epsilon=[0.1, 0.8, 2.0]),
        {"prior": FLAT, "counts": (1, 9_807_056), "epsilon": 15.0, "t": 0.3},
    ],
    condition=Condition(r"as many steps down as up are inside t", as_far_down_as_up),
    expected=CONDITIONAL,
    notebook=CROSSOVERS,
)
def crossover(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""The proof uses the upper bound on EHD that fails (``notes/4.5-ehd-upper``). In balanced data no case is known where
    the conclusion fails too, and with \(e^{\varepsilon/(2G)}\) it is proved.

    For x = (1, n - 1) and t = 0.3 one step up is inside and none down. LSHist then stays below 1/2, at
    \(\frac12(1 - e^{-2\varepsilon})\), and EHD exceeds 1/2 once \(n e^{-\varepsilon/(2G)}\) is small, which for large
    \(\varepsilon\) it is beyond the claimed size.
    """
    return lshist_and_ehd(real, prior, counts, epsilon, t)


@claim(
    id="notes/4.5.1-corrected",
    source="notes2020, Corollary 4.5.1",
    statement=r"n + 1 \ge \frac{(2k+1)\, e^{\varepsilon/(2G)}}{1 - e^{-k\varepsilon}},\ k_- = k_+ = k \implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]",
    relation=">",
    cases=beyond(proved_crossover, k=[1, 2, 5], epsilon=[0.1, 0.8, 2.0]),
    corrects="notes/4.5.1",
    proof=True,
    expected=PROVED,
    notebook=CROSSOVERS,
)
def crossover_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""\(\Pr[\mathrm{LSHist}] \ge 1 - e^{-k\varepsilon} \ge (2k+1) e^{\varepsilon/(2G)} / (n+1) > \Pr[\mathrm{EHD}]\), by the
    corrected inequalities of Theorem 4.5. The size is far from the exact one: at \(\varepsilon = 0.8\), k = 1, LSHist is
    ahead from n = 6 on.
    """
    return lshist_and_ehd(real, prior, counts, epsilon, t)


def below_size(real: ModuleType, epsilon: Any, k: Any) -> Any:
    r"""The size in the proof of Corollary 4.5.2, \((2k e^{-\varepsilon} + 1) / (1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}))\)."""
    return (2 * k * real.exp(-epsilon) + 1) / interior(real, epsilon, k)


def _below() -> list[Case]:
    cases: list[Case] = []
    for case in grid(k=[0, 1, 2, 5], epsilon=[0.02, 0.1, 0.4, 0.8]):
        k, most = case["k"], math.ceil(below_size(floats, case["epsilon"], case["k"])) - 1
        halves = sorted({k + 1, (k + 1 + most // 2) // 2, most // 2} & set(range(k + 1, most // 2 + 1)))
        cases += within(k, prior=[FLAT], counts=[(h, h) for h in halves], epsilon=[case["epsilon"]])
    return cases


@claim(
    id="notes/4.5.2",
    source="notes2020, Corollary 4.5.2, size in the proof",
    statement=r"n < \frac{2k e^{-\varepsilon} + 1}{1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})} \implies \Pr[H(x, \mathrm{LSHist}) < t] < \Pr[H(x, \mathrm{EHD}) < t]",
    relation="<",
    cases=[
        *_below(),
        {"prior": FLAT, "counts": (0, 1), "epsilon": 0.8, "t": 0.5},
        {"prior": FLAT, "counts": (1, 1), "epsilon": 0.8, "t": 0.4},
        {"prior": FLAT, "counts": (0, 3), "epsilon": 0.05, "t": 0.5},
    ],
    condition=Condition(r"as many steps down as up are inside t, and fewer than reach 0 or n", unclamped),
    expected=CONDITIONAL,
    notebook=CROSSOVERS,
)
def small_sizes(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""The proof uses the lower bound on EHD that fails (``notes/4.5-ehd-lower``). Where all candidates are inside both
    probabilities are 1, so one record refutes it; where the noise is cut back to an end LSHist does better than the
    formula says. Inside the condition it is proved for \(k \ge 1\) (``notes/4.5.2-corrected``).
    """
    return lshist_and_ehd(real, prior, counts, epsilon, t)


@claim(
    id="notes/4.5.2-corrected",
    source="notes2020, Corollary 4.5.2",
    statement=r"n < \frac{2k e^{-\varepsilon} + 1}{1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})},\ k_- = k_+ = k \ge 1,\ k < \min(x, n - x) \implies \Pr[H(x, \mathrm{LSHist}) < t] < \Pr[H(x, \mathrm{EHD}) < t]",
    relation="<",
    cases=[case for case in _below() if floats.reach(case["prior"], case["counts"], case["t"])[1] >= 1],
    corrects="notes/4.5.2",
    proof=True,
    expected=PROVED,
    notebook=CROSSOVERS,
)
def small_sizes_corrected(real: ModuleType, prior: Any, counts: Any, epsilon: Any, t: Any) -> Sides:
    r"""Let \(p = 1 - \frac12(q^k + q^{k+1})\), the probability of LSHist. EHD has at least \((2k+1)/(n+1)\)
    (``notes/4.5-ehd-lower-corrected``), so \((n+1)p < 2k + 1\) is enough. The premise is \(np < 2kq + 1\), and
    \[ p = (1 - q^k) + \tfrac12 q^k (1 - q) \le (k + \tfrac12)(1 - q) \le 2k(1 - q) \quad (k \ge 1), \]
    so \((n+1)p < 2kq + 1 + 2k(1-q) = 2k + 1\).
    """
    return lshist_and_ehd(real, prior, counts, epsilon, t)


def good_outputs(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""\(\Pr[H \le LS(x)]\) for LSHist and for EHD at the printed sensitivity."""
    other = real.farthest_neighbour(prior, counts)
    ehd = real.ehd(epsilon, printed_sensitivity(real))
    return real.as_near(real.lshist(epsilon), prior, counts, other), real.as_near(ehd, prior, counts, other)


def good_size(epsilon: float) -> float:
    r"""The size in the proof of Corollary 4.5.3, \(3 / (e^{-\varepsilon/(2G)} (1 - e^{-\varepsilon}))\)."""
    return 3 * math.exp(epsilon / (2 * printed_sensitivity(floats))) / -math.expm1(-epsilon)


@claim(
    id="notes/4.5.3",
    source="notes2020, Corollary 4.5.3, size in the proof",
    statement=r"n > \frac{3}{e^{-\varepsilon/c}(1 - e^{-\varepsilon})},\ c = 2\sqrt{1 - \pi/4} \implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g], \quad R_g = \{r : H_r \le LS(x)\}",
    relation=">",
    cases=[
        *(
            {"prior": p, "counts": (x, n - x), "epsilon": e}
            for p in (FLAT, (1, 4))
            for e in (0.1, 0.8, 2.0)
            for n in (math.floor(good_size(e)) + 1,)
            for x in (0, 1, n // 2, n - 1)
        ),
        {"prior": (1e-14, 5), "counts": (1, 12), "epsilon": 0.8},
    ],
    condition=Condition(r"every prior weight is at least 1", lambda prior, counts, epsilon: min(prior) >= 1),
    proof=True,
    expected=CONDITIONAL,
    notebook=CROSSOVERS,
)
def good_set(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""LSHist is in \(R_g\) with probability at least \(1 - \frac12(q + q^2) > 1 - q\). If \(R_g\) has at most three members,
    EHD is with probability less than \(3 e^{\varepsilon/(2G)}/(n+1)\).

    It has, for prior weights of at least 1: two steps go farther than any neighbour. For two steps up,
    \(D(a, a+2) = \frac12\ln\frac{a+1}{a}\), where \(a \ge 2\) if there is a step down, and the first category's share of
    the step down is \(u(a - 1) < \frac12\ln\frac{a-1}{a-5/4}\), by \(\Gamma(c+\frac12)/\Gamma(c) > (c - \frac14)^{1/2}\);
    this is less as \(a \ge 5/3\). The second category adds more on two steps as well, and the mirror image does the rest.
    With a tiny prior weight \(LS(x)\) is nearly 1 at x = (1, n - 1); then all candidates may be good, both probabilities are
    1, and neither is greater.
    """
    return good_outputs(real, prior, counts, epsilon)


@claim(
    id="notes/4.5.3-chain",
    source="notes2020, Corollary 4.5.3, proof, last step",
    statement=r"\frac{3}{n \exp(-\varepsilon/(2\sqrt{1-\pi/4}))} \le \frac{3}{n \exp(-\varepsilon)}",
    relation="<=",
    cases=grid(epsilon=[0.01, 0.8, 5.0]),
    expected=REFUTED,
    notebook=CROSSOVERS,
)
def good_chain(real: ModuleType, epsilon: Any) -> Sides:
    r"""\(2G = 0.9265 < 1\): reversed for every \(\varepsilon > 0\). Compared at n = 3."""
    return ehd_proof.body(real, epsilon)


@claim(
    id="notes/4.5.3-order",
    source="notes2020, Corollary 4.5.3",
    statement=r"n > \frac{e^{\varepsilon}}{1 - e^{-\varepsilon}} \implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]",
    relation=">",
    cases=[
        {"prior": FLAT, "counts": (2, 10), "epsilon": 0.1},
        {"prior": FLAT, "counts": (2, 3), "epsilon": 0.5},
        {"prior": FLAT, "counts": (10, 10), "epsilon": 0.8},
    ],
    expected=REFUTED,
    notebook=CROSSOVERS,
)
def good_order(real: ModuleType, prior: Any, counts: Any, epsilon: Any) -> Sides:
    r"""Printed as \(n > O(\cdot)\), read with the constant 1. With any constant the form is wrong for large
    \(\varepsilon\): the size in the proof grows like \(e^{\varepsilon/(2G)} = e^{1.079\,\varepsilon}\).
    """
    return good_outputs(real, prior, counts, epsilon)


CLAIMS: tuple[Claim, ...] = (
    hellinger_formula,
    global_sensitivity,
    global_sensitivity_bound,
    global_sensitivity_corrected,
    local_sensitivity,
    smooth_sensitivity,
    reciprocal_concave,
    lszhang_algorithm,
    lszhang_privacy,
    lsdim_algorithm,
    ehd_algorithm,
    lsdim_private,
    lsdim_sharp,
    lshist_private,
    ehd_private,
    ehd_corrected,
    ehds_private,
    ehds_corrected,
    reciprocal_sensitivity,
    ehds_gamma_private,
    ehds_gamma_sharp,
    laplace_order,
    laplace_order_corrected,
    laplace_ratio,
    laplace_ratio_corrected,
    laplace_ratio_order,
    laplace_tail,
    laplace_tail_corrected,
    error_in_steps,
    error_in_steps_corrected,
    steps_order,
    steps_order_corrected,
    exponent_order,
    exponent_corrected,
    one_step,
    one_step_corrected,
    laplace_absolute,
    laplace_interval,
    one_step_order,
    one_step_sharp,
    one_step_binary,
    lshist_equation,
    lshist_corrected,
    lshist_lower,
    lshist_lower_corrected,
    lszhang_equation,
    lszhang_corrected,
    lszhang_lower,
    lszhang_lower_corrected,
    ehd_lower,
    ehd_lower_corrected,
    ehd_upper,
    ehd_upper_corrected,
    ehd_proof,
    ehd_proof_lower,
    ehdl_lower,
    ehdl_lower_corrected,
    ehdl_upper,
    ehdl_upper_corrected,
    ehd_local_lower,
    ehd_local_upper,
    crossover,
    crossover_corrected,
    small_sizes,
    small_sizes_corrected,
    good_set,
    good_chain,
    good_order,
)
"""Every claim of the notes, in the order of the text."""
