r"""Section 1: distances between posteriors, and how far one record moves them."""

import numpy as np

from ... import model
from ...arithmetic import digamma, exp, integral, largest, lgamma, log, number, smallest, sqrt, trigamma
from .. import at_least, at_most, equal, grid, rows, statement
from ..quantities import distances, farthest_move, printed_sensitivity
from .cases import FLAT


@statement(
    "notes/hellinger",
    "Section 1, Hellinger distance",
    says=r"$\mathcal H(\mathrm{Dir}(\alpha_1), \mathrm{Dir}(\alpha_2)) = \sqrt{1 - \frac{B((\alpha_1+\alpha_2)/2)}{\sqrt{B(\alpha_1)B(\alpha_2)}}}$",
    cases=rows("a b", ((2, 4), (4, 2)), ((1, 1), (3, 5)), ((2.5, 6), (3.5, 2)), ((9, 3), (1, 11))),
)
def hellinger_formula(a, b):
    r"""The cases compare the closed form of the library with the integral, for two categories and whole exponents.

    Proof: by definition \(H^2 = 1 - \int \sqrt{f g}\). The exponents of two Dirichlet densities average under the root,
    so the integrand is the kernel of \(\mathrm{Dir}((\alpha_1 + \alpha_2)/2)\), and
    \[ \int \sqrt{f g} = B\bigl(\tfrac{\alpha_1+\alpha_2}{2}\bigr) / \sqrt{B(\alpha_1) B(\alpha_2)}. \]
    """
    p, q = (round(float(s + t) / 2) - 1 for s, t in zip(a, b, strict=True))
    area = integral(lambda theta: theta**p * (1 - theta) ** q, 0, 1)
    scale = exp(sum(lgamma(z) for z in (*a, *b)) - lgamma(sum(a)) - lgamma(sum(b)))
    return model.hellinger(a, b), equal(sqrt(1 - area / sqrt(scale)))


@statement(
    "notes/global-sensitivity",
    "Section 1, GS",
    says=r"$GS = \sqrt{1 - \pi/4}$",
    holds=r"$GS^2 = 1 - g(\alpha_{(1)})\, g(\alpha_{(2)})$ for $k \ge 3$, "
    r"$GS^2 = 1 - \min\{g(\alpha_1)\, g(\alpha_2+n-1),\ g(\alpha_1+n-1)\, g(\alpha_2)\}$ for $k = 2$, "
    r"$g(z) = \frac{\Gamma(z+1/2)}{\sqrt{\Gamma(z)\Gamma(z+1)}}$",
    why="it is the value at two prior weights of 1, and with two categories at n = 1 only",
    only_if=(
        r"the two smallest prior weights are 1, and \(k \ge 3\) or \(n = 1\)",
        lambda prior, n: sorted(prior)[:2] == [1, 1] and (len(prior) > 2 or n == 1),
    ),
    cases=[
        *grid(prior=[FLAT, (0.5, 0.5), (0.3, 2.5), (4, 0.1)], n=[1, 2, 20]),
        *grid(prior=[(1, 1, 1), (1, 1, 7), (0.01, 5, 0.2)], n=[1, 4]),
        {"prior": (1, 0.5, 2, 3), "n": 4},
    ],
)
def global_sensitivity(prior, n):
    r"""With two categories both are empty, but for the moving record, only if n = 1: at n = 2 and the flat prior the
    sensitivity is 0.4086 already, and it falls to \((1 - \sqrt\pi/2)^{1/2} = 0.3373\). For smaller prior weights it is
    larger, 0.6028 for Jeffreys' prior with \(k \ge 3\) or n = 1. What holds is compared with a maximum over all datasets.

    Proof: \(g(1)^2 = \pi/4\) in what holds.

    Proof of what holds: by the triangle inequality the score changes most at \(r = x\), by \(F(u(a_i) + u(a_j - 1))\).
    For \(k \ge 3\) take the two smallest prior weights, the moving record in one and the others in a third category:
    \(a_i = \alpha_{(1)}\), \(a_j - 1 = \alpha_{(2)}\), and no exponent is larger because u decreases. For k = 2,
    \(a_1 + a_2 - 1 = \alpha_1 + \alpha_2 + n - 1\) is fixed, u is convex (\(\psi'\) is), so the exponent is largest at an
    end, \(a_1 = \alpha_1\) or \(a_2 - 1 = \alpha_2\).
    """
    defined = largest(model.local_sensitivity(prior, model.count_vectors(int(n), len(prior))))
    ends = [tuple(sorted(prior)[:2])]
    if len(prior) == 2:
        ends = [(prior[0], prior[1] + n - 1), (prior[0] + n - 1, prior[1])]
    sides = (printed_sensitivity(), farthest_move(*ends), defined)
    return model.global_sensitivity(prior, n), *map(equal, sides)


@statement(
    "notes/global-sensitivity-bound",
    "Section 1, GS",
    says=r"$GS \le \sqrt{1 - \pi/4}$",
    reading="The equation as an upper bound, which is all that privacy needs.",
    why="smaller prior weights have a larger sensitivity",
    only_if=("every prior weight is at least 1", lambda prior: min(prior) >= 1),
    cases=grid(prior=[FLAT, (3, 1), (0.5, 0.5), (2, 1, 3), (0.9, 0.9, 0.9)], n=[1, 3]),
)
def global_sensitivity_bound(prior, n):
    r"""Proof: u decreases, so every exponent \(u(a_i) + u(a_j - 1)\) is at most \(2u(1)\) when all parameters are at least
    1, and \(e^{-2u(1)} = \pi/4\).
    """
    return model.global_sensitivity(prior, n), at_most(printed_sensitivity())


@statement(
    "notes/local-sensitivity",
    "Section 1, LS",
    says=r"$LS(x) = \max_{x' \sim x,\, r} |\mathcal H(x, r) - \mathcal H(x', r)| = \sqrt{1 - \min_{i \ne j,\, x_j \ge 1} g(a_i)\, g(a_j - 1)}$",
    cases=[
        *grid(prior=[FLAT, (0.3, 2.5)], counts=[(0, 5), (1, 1), (2, 7), (7, 2)]),
        *grid(prior=[(0.5, 1, 3)], counts=[(0, 0, 4), (1, 2, 1), (3, 0, 1)]),
    ],
)
def local_sensitivity(prior, counts):
    r"""The print equates two expressions; the printed side is their mean, which is wrong as soon as one of them is.

    Proof: \(|H(x, r) - H(x', r)| \le H(x, x')\) by the triangle inequality, with equality at \(r = x\), which is a
    candidate. Moving a record from j to i changes two parameters by one, so \(1 - H^2 = g(a_i)\, g(a_j - 1)\).
    """
    rows = model.count_vectors(int(sum(counts)), len(counts))
    here = distances(prior, counts, rows)
    defined = largest([largest(abs(here - distances(prior, y, rows))) for y in model.neighbours(counts)])
    a = [weight + count for weight, count in zip(prior, counts, strict=True)]
    moves = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j and counts[j] > 0]
    printed = farthest_move(*((a[i], a[j] - 1) for i, j in moves))
    return model.local_sensitivity(prior, counts), equal((defined + printed) / 2)


@statement(
    "notes/smooth-sensitivity",
    "Section 1, S",
    says=r"$\Bigl|\frac{1}{S(x)} - \frac{1}{S(x')}\Bigr| \le \gamma$ for neighbours, $S(x) = \max_{x'} \frac{1}{1/LS(x') + \gamma\, d(x, x')}$",
    cases=[*grid(prior=[FLAT, (0.01, 5)], n=[6, 30], gamma=[0.1, 1.0]), {"prior": (1, 1, 1), "n": 6, "gamma": 0.3}],
)
def smooth_sensitivity(prior, n, gamma):
    r"""The exact side is the largest \(|1/S(x) - 1/S(x')|\), S(x) by the library and S(x') a maximum over all datasets.

    Proof: by definition \(1/S(x) = \min_z (1/LS(z) + \gamma\, d(x, z))\), and \(d(x, z) \le d(x', z) + 1\). This is the
    largest function below \(1/LS\) whose slope is at most \(\gamma\). So \(1/S\) also moves by no more than \(1/LS\) does
    at worst.
    """
    vectors = model.count_vectors(int(n), len(prior))
    replaced = abs(vectors[:, None] - vectors).sum(axis=-1) // 2
    defined = smallest(1 / model.local_sensitivity(prior, vectors) + gamma * replaced, axis=1)
    found = 1 / model.reciprocal_smooth_sensitivity(prior, vectors, gamma)
    jumps = [abs(found[x] - defined[y]) for x, y in model.moves(int(n), len(prior))]
    return largest(np.concatenate(jumps)), at_most(gamma)


@statement(
    "notes/smooth-sensitivity-concave",
    "Section 1, S",
    says=r"$z \mapsto 1/F(u(z) + v)$ is concave for every $v \ge 0$: $R(z) = (e^{u} - 1)\Bigl(\frac{u''}{u'^2} - 1\Bigr) \ge \frac32$",
    by="ours",
    cases=grid(z=[1e-6, 0.02, 0.3, 0.473, 1.0, 1.5, 20.0]),
)
def reciprocal_concave(z):
    r"""The closed forms of both smooth sensitivities rest on this lemma on the gamma function. The least value of R is
    about 1.936, at z = 0.468.

    Proof: with \(f = e^{-u}\) and \(\kappa = e^{-v}\), \(1/F = (1 - \kappa f)^{-1/2}\) is concave when
    \(\frac32 \kappa f'^2 \le -f''(1 - \kappa f)\), hardest at \(\kappa = 1\), where it says \(R \ge \frac32\).
    From \(\psi(z) = \int_0^\infty (e^{-t}/t - e^{-zt}/(1 - e^{-t}))\,dt\),
    \[ u(z) = \int_0^\infty \frac{e^{-zt}}{t}\, T(t)\,dt, \qquad T(t) = \tfrac12 \tanh\tfrac t4, \qquad
       \tfrac t8 - \tfrac{t^3}{384} \le T(t) \le \tfrac t8 . \]
    For \(z \ge 3/2\) put these bounds into u, \(-u'\) and \(u''\), and \(e^u - 1 \ge u\):
    \[ R \ge 2\Bigl(1 - \frac{1}{24z^2}\Bigr)\Bigl(1 - \frac{1}{16z} - \frac{1}{4z^2}\Bigr) > \tfrac32 . \]
    For \(z \le 1/50\), \(u' = -\frac{1}{2z} + d\) with \(d = \psi(z+1) - \psi(z+\frac12) \in (0, \frac{1}{2z})\), and
    \(|d'| \le \psi'(\frac12) - \psi'(1) = \pi^2/3\), so \(u''/u'^2 \ge 2 - 4z^2\pi^2/3\), while \(e^u \ge 3.9\) there:
    \(R \ge 2.8\). Between these the tests decide by interval arithmetic.
    """
    half = number(0.5)
    u = lgamma(z) + log(z) / 2 - lgamma(z + half)
    first = digamma(z) + 1 / (2 * z) - digamma(z + half)
    second = trigamma(z) - 1 / (2 * z**2) - trigamma(z + half)
    return (exp(u) - 1) * (second / first**2 - 1), at_least(number(1.5))
