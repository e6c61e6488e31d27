r"""Section 1: distances between posteriors, and how far one record moves them."""

from typing import Any

import numpy as np

from ... import model
from ...arithmetic import digamma, exp, integral, largest, lgamma, log, number, smallest, sqrt, trigamma
from ..claim import REFUTED, Condition, grid
from ..premises import Dataset, Reals, Shapes, Weights, Wholes, premises
from ..quantities import distances, farthest_move, mean_of_equals, printed_sensitivity
from .source import FLAT, NOTES, PRIVACY, THEOREM

ANY = premises(prior=Weights((2, 3, 4)), n=Wholes(1, 15))
"""Any prior and any number of records."""


@NOTES.item(
    "hellinger",
    "Section 1, Hellinger distance",
    cases=[
        {"a": (2, 4), "b": (4, 2)},
        {"a": (1, 1), "b": (3, 5)},
        {"a": (2.5, 6), "b": (3.5, 2)},
        {"a": (9, 3), "b": (1, 11)},
    ],
    calls=model.hellinger,
    page=PRIVACY,
)
def distance(a: Any, b: Any) -> Any:
    r"""\(\mathcal H\) between two Dirichlet distributions."""
    return model.hellinger(a, b)


@distance.said(
    r"\mathcal H(\mathrm{Dir}(\alpha_1), \mathrm{Dir}(\alpha_2)) = \sqrt{1 - \frac{B((\alpha_1+\alpha_2)/2)}{\sqrt{B(\alpha_1)B(\alpha_2)}}}",
    premises=premises(
        r"the exponents of the integral are whole, and the distributions differ",
        lambda a, b: tuple(a) != tuple(b) and all(int(s + t) % 2 == 0 for s, t in zip(a, b, strict=True)),
        a=Shapes(most=30, categories=2),
        b=Shapes(most=30, categories=2),
    ),
    proof=True,
)
def hellinger_formula(a: Any, b: Any) -> Any:
    r"""The definition is \(H^2 = 1 - \int \sqrt{f g}\). The exponents of two Dirichlet densities average under the root,
    so the integrand is the kernel of \(\mathrm{Dir}((\alpha_1 + \alpha_2)/2)\), and
    \[ \int \sqrt{f g} = B\bigl(\tfrac{\alpha_1+\alpha_2}{2}\bigr) / \sqrt{B(\alpha_1) B(\alpha_2)}. \]

    The cases compare the closed form with the integral, for two categories.
    """
    p, q = (round(float(s + t) / 2) - 1 for s, t in zip(a, b, strict=True))  # whole in all cases
    area = integral(lambda theta: theta**p * (1 - theta) ** q, 0, 1)
    scale = exp(sum(lgamma(z) for z in (*a, *b)) - lgamma(sum(a)) - lgamma(sum(b)))
    return sqrt(1 - area / sqrt(scale))


@NOTES.item(
    "global-sensitivity",
    "Section 1, GS",
    cases=[
        *grid(prior=[(1, 1)], n=[1, 2, 20]),
        *grid(prior=[(1, 1, 1), (1, 1, 7)], n=[1, 4]),
        *grid(prior=[(0.5, 0.5)], n=[1, 8, 9]),
        {"prior": (0.5, 0.5, 0.5), "n": 3},
        {"prior": (2, 1, 3), "n": 3},
    ],
    calls=model.global_sensitivity,
    page=PRIVACY,
)
def largest_sensitivity(prior: Any, n: Any) -> Any:
    r"""GS at a prior and n."""
    return model.global_sensitivity(prior, n)


@largest_sensitivity.said(
    r"GS = \sqrt{1 - \pi/4}",
    condition=Condition(
        r"the two smallest prior weights are 1, and \(k \ge 3\) or \(n = 1\)",
        lambda prior, n: sorted(prior)[:2] == [1, 1] and (len(prior) > 2 or n == 1),
    ),
    premises=ANY,
    proof=True,
)
def global_sensitivity(prior: Any, n: Any) -> Any:
    r"""At \(\alpha = 1\) the move between two empty categories has \(e^{-2u(1)} = g(1)^2 = \pi/4\): the constant is the
    closed form of the corrected statement at \(\alpha_{(1)} = \alpha_{(2)} = 1\). With two categories both
    are empty, but for the moving record, only if n = 1: at n = 2 the sensitivity is 0.4086 already, and it falls to
    \((1 - \sqrt\pi/2)^{1/2} = 0.3373\). For smaller prior weights it is larger, 0.6028 for Jeffreys' prior
    with \(k \ge 3\) or n = 1.
    """
    return printed_sensitivity()


@largest_sensitivity.said(
    r"GS \le \sqrt{1 - \pi/4}",
    suffix="bound",
    relation="<=",
    cases=[
        *grid(prior=[(1, 1), (1, 4), (2, 2), (3, 1)], n=[1, 2, 20]),
        *grid(prior=[(1, 1, 1), (2, 1, 3)], n=[1, 4]),
        *grid(prior=[(0.5, 0.5)], n=[1, 3, 8]),
        {"prior": (0.9, 0.9, 0.9), "n": 2},
    ],
    tight={"prior": (1, 1, 1), "n": 4},
    premises=ANY,
    condition=Condition(r"every prior weight is at least 1", lambda prior, n: min(prior) >= 1),
    proof=True,
    origin="reading",
)
def global_sensitivity_bound(prior: Any, n: Any) -> Any:
    r"""u decreases, so every exponent \(u(a_i) + u(a_j - 1)\) is at most \(2u(1)\) when all parameters are at least 1."""
    return printed_sensitivity()


@largest_sensitivity.instead(
    r"GS^2 = 1 - g(\alpha_{(1)}) g(\alpha_{(2)}) \text{ for } k \ge 3, \quad "
    r"GS^2 = 1 - \min\{g(\alpha_1) g(\alpha_2+n-1),\ g(\alpha_1+n-1) g(\alpha_2)\} \text{ for } k = 2, \quad "
    r"g(z) = \frac{\Gamma(z+1/2)}{\sqrt{\Gamma(z)\Gamma(z+1)}}",
    cases=[
        *grid(prior=[(1, 1), (0.5, 0.5), (0.3, 2.5), (4, 0.1)], n=[1, 2, 7, 20]),
        *grid(prior=[(1, 1, 1), (0.5, 1, 3), (0.01, 5, 0.2)], n=[1, 3, 6]),
        {"prior": (1, 0.5, 2, 3), "n": 4},
    ],
    premises=ANY,
    proof=True,
)
def global_sensitivity_corrected(prior: Any, n: Any) -> Any:
    r"""By the triangle inequality the score changes most at \(r = x\), by \(F(u(a_i) + u(a_j - 1))\).

    For \(k \ge 3\) take the two smallest prior weights, the moving record in one and the others in a third category:
    \(a_i = \alpha_{(1)}\), \(a_j - 1 = \alpha_{(2)}\), and no exponent is larger because u decreases.
    For k = 2, \(a_1 + a_2 - 1 = \alpha_1 + \alpha_2 + n - 1\) is fixed, u is convex (\(\psi'\) is), so the exponent is
    largest at an end, \(a_1 = \alpha_1\) or \(a_2 - 1 = \alpha_2\). The right side is
    compared with a maximum over all datasets.
    """
    defined = largest(model.local_sensitivity(prior, model.count_vectors(int(n), len(prior))))
    if len(prior) == 2:
        ends = [(prior[0], prior[1] + n - 1), (prior[0] + n - 1, prior[1])]
    else:
        ends = [tuple(sorted(prior)[:2])]
    printed = farthest_move(*ends)
    return mean_of_equals(defined, printed)


@NOTES.item(
    "local-sensitivity",
    "Section 1, LS",
    cases=[
        *({"prior": p, "counts": x} for p in (FLAT, (0.3, 2.5)) for x in ((0, 5), (1, 1), (2, 7))),
        *({"prior": (0.5, 1, 3), "counts": x} for x in ((0, 0, 4), (1, 2, 1), (3, 0, 1))),
        {"prior": FLAT, "counts": (7, 2)},  # the last neighbour is the farthest
    ],
    calls=model.local_sensitivity,
    page=PRIVACY,
)
def sensitivity_at(prior: Any, counts: Any) -> Any:
    r"""LS at a dataset."""
    return model.local_sensitivity(prior, counts)


@sensitivity_at.said(
    r"LS(x) = \max_{x' \sim x,\, r} |\mathcal H(x, r) - \mathcal H(x', r)| = \sqrt{1 - \min_{i \ne j,\, x_j \ge 1} g(a_i)\, g(a_j - 1)}",
    premises=premises(prior=Weights((2, 3, 4)), counts=Dataset(most=20)),
    proof=True,
)
def local_sensitivity(prior: Any, counts: Any) -> Any:
    r"""\(|H(x, r) - H(x', r)| \le H(x, x')\) by the triangle inequality, with equality at \(r = x\), which is a
    candidate. Moving a record from j to i changes two parameters by one, so \(1 - H^2 = g(a_i)\, g(a_j - 1)\).
    """
    rows = model.count_vectors(int(sum(counts)), len(counts))
    here = distances(prior, counts, rows)
    defined = largest([largest(abs(here - distances(prior, y, rows))) for y in model.neighbours(counts)])
    a = [weight + count for weight, count in zip(prior, counts, strict=True)]
    moves = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j and counts[j] > 0]
    printed = farthest_move(*((a[i], a[j] - 1) for i, j in moves))
    return mean_of_equals(defined, printed)


AT_AN_END = [{"prior": FLAT, "counts": (0, 10**power)} for power in (1, 3, 6, 9)]


@sensitivity_at.said(
    r"\lim_{n \to \infty} LS(x) \to 0, \text{ so } LS(x) < 0.3 \text{ from some } n \text{ on}",
    suffix="limit",
    where="Theorem 4.5, proof",
    relation="<",
    cases=[*AT_AN_END, {"prior": FLAT, "counts": (500, 500)}],
    expected=REFUTED,
    origin="reading",
    erratum=True,
    page=THEOREM,
)
def sensitivity_limit(prior: Any, counts: Any) -> Any:
    r"""At x = (0, n) the exponent is \(u(1) + u(n)\) for the flat prior: LS(x) falls to \(F(u(1)) = (1 - \sqrt\pi/2)^{1/2} =
    0.3373\) and never below, so that no bound less than that is passed by any n. It tends to 0 where both counts grow
    (``notes/local-sensitivity-limit-corrected``).
    """
    return number(0.3)


@sensitivity_at.instead(
    r"LS(x) \le \frac{1}{2\sqrt c}, \quad c = \min(\alpha_1 + x,\ \alpha_2 + n - x) - 1 > 0",
    suffix="limit-corrected",
    where="Theorem 4.5, proof",
    relation="<=",
    cases=[{"prior": p, "counts": x} for p in (FLAT, (0.3, 2.5)) for x in ((1, 4), (5, 5), (500, 500), (3, 999))],
    tight={"prior": FLAT, "counts": (500, 500)},
    premises=premises(
        r"c is positive",
        lambda prior, counts: all(weight + count > 1 for weight, count in zip(prior, counts, strict=True)),
        prior=Weights(),
        counts=Dataset(most=2000, least=2),
    ),
    corrects="notes/local-sensitivity-limit",
    page=THEOREM,
    proof=True,
)
def sensitivity_limit_corrected(prior: Any, counts: Any) -> Any:
    r"""\(LS^2 = 1 - e^{-w} \le w\), \(w = u(a_i) + u(a_j - 1)\), and \(u(z) \le \int_0^\infty e^{-zt}/8\,dt = 1/(8z)\)
    (``notes/smooth-sensitivity-concave``): \(w \le 1/(4c)\). Balanced data nearly attain it.
    """
    a, b = (weight + count for weight, count in zip(prior, counts, strict=True))
    return 1 / (2 * sqrt(smallest([a, b]) - 1))


@NOTES.item(
    "smooth-sensitivity",
    "Section 1, S",
    cases=[*grid(prior=[FLAT, (0.01, 5)], n=[6, 30], gamma=[0.1, 1.0]), {"prior": (1, 1, 1), "n": 6, "gamma": 0.3}],
    relation="<=",
    calls=(model.reciprocal_smooth_sensitivity, model.local_sensitivity),
    page=PRIVACY,
)
def largest_jump(prior: Any, n: Any, gamma: Any) -> Any:
    r"""The largest \(|1/S(x) - 1/S(x')|\), S(x) as the library has it and S(x') a maximum over all datasets."""
    vectors = model.count_vectors(int(n), len(prior))
    replaced = abs(vectors[:, None] - vectors).sum(axis=-1) // 2
    defined = smallest(1 / model.local_sensitivity(prior, vectors) + gamma * replaced, axis=1)
    found = 1 / model.reciprocal_smooth_sensitivity(prior, vectors, gamma)
    return largest(np.concatenate([abs(found[x] - defined[y]) for x, y in model.moves(int(n), len(prior))]))


@largest_jump.said(
    r"\Bigl|\frac{1}{S(x)} - \frac{1}{S(x')}\Bigr| \le \gamma \ \text{ for neighbours, } \quad S(x) = \max_{x'} \frac{1}{1/LS(x') + \gamma\, d(x, x')}",
    tight={"prior": FLAT, "n": 30, "gamma": 0.1},
    premises=premises(prior=Weights((2, 3)), n=Wholes(1, 12), gamma=Reals(high=1000, above=0)),
    proof=True,
)
def smooth_sensitivity(prior: Any, n: Any, gamma: Any) -> Any:
    r"""By definition \(1/S(x) = \min_z (1/LS(z) + \gamma\, d(x, z))\), and \(d(x, z) \le d(x', z) + 1\). This is the
    largest function below \(1/LS\) whose slope is at most \(\gamma\). So \(1/S\) also moves by no more than \(1/LS\)
    does at worst.
    """
    return gamma


@NOTES.item(
    "smooth-sensitivity-concave",
    "Section 1, S",
    cases=grid(a=[1e-6, 0.02, 0.3, 0.473, 1.0, 1.5, 20.0]),
    relation=">=",
    apart="a lemma on the gamma function, on which the closed forms of the smooth sensitivities rest",
    page=PRIVACY,
)
def curvature(a: Any) -> Any:
    r"""R(a)."""
    half = number(0.5)
    u = lgamma(a) + log(a) / 2 - lgamma(a + half)
    first = digamma(a) + 1 / (2 * a) - digamma(a + half)
    second = trigamma(a) - 1 / (2 * a**2) - trigamma(a + half)
    return (exp(u) - 1) * (second / first**2 - 1)


@curvature.said(
    r"a \mapsto 1/F(u(a) + v) \text{ is concave for every } v \ge 0\text{: } R(a) = (e^{u} - 1)\Bigl(\frac{u''}{u'^2} - 1\Bigr) \ge \frac32",
    premises=premises(a=Reals(low=1e-6, high=1e6, above=0, corners=(0.473,))),
    proof=True,
    origin="ours",
)
def reciprocal_concave(a: Any) -> Any:
    r"""With \(f = e^{-u}\) and \(\kappa = e^{-v}\), \(1/F = (1 - \kappa f)^{-1/2}\) is concave when
    \(\frac32 \kappa f'^2 \le -f''(1 - \kappa f)\), hardest at \(\kappa = 1\), where it says \(R \ge \frac32\).
    From \(\psi(z) = \int_0^\infty (e^{-t}/t - e^{-zt}/(1 - e^{-t}))\,dt\),
    \[ u(a) = \int_0^\infty \frac{e^{-at}}{t}\, T(t)\,dt, \qquad T(t) = \tfrac12 \tanh\tfrac t4, \qquad
       \tfrac t8 - \tfrac{t^3}{384} \le T(t) \le \tfrac t8 . \]
    For \(a \ge 3/2\) put these bounds into u, \(-u'\) and \(u''\), and \(e^u - 1 \ge u\):
    \[ R \ge 2\Bigl(1 - \frac{1}{24a^2}\Bigr)\Bigl(1 - \frac{1}{16a} - \frac{1}{4a^2}\Bigr) > \tfrac32 . \]
    For \(a \le 1/50\), \(u' = -\frac{1}{2a} + d\) with \(d = \psi(a+1) - \psi(a+\frac12) \in (0, \frac{1}{2a})\), and
    \(|d'| \le \psi'(\frac12) - \psi'(1) = \pi^2/3\), so \(u''/u'^2 \ge 2 - 4a^2\pi^2/3\), while \(e^u \ge 3.9\) there:
    \(R \ge 2.8\). Between these the tests decide by interval arithmetic. The least value is about 1.936, at a = 0.468.

    The closed forms of both smooth sensitivities rest on this lemma.
    """
    return number(1.5)
