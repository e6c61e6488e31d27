r"""Sections 1 to 3 of the notes: distances between posteriors, sensitivities, and the privacy losses of the algorithms.

The functions u, F and g and the constant G are defined in ``dpbi.claims.notes``. The function ``audit`` computes the
largest privacy loss over all neighbouring datasets and all outputs exactly. Each statement about privacy compares a
bound with this loss.
"""

from ... import model
from ...arithmetic import digamma, exp, integral, largest, less, lgamma, log, number, numbers, smallest, sqrt, trigamma
from ...checks import need
from ...mechanisms import ehd, ehds, lsdim, lshist, lszhang
from ...privacy import audit, loss_between
from .. import at_least, at_most, below, cannot, equal, grid, rows, statement
from ..quantities import distances, farthest_move, local_jump, printed_sensitivity
from .cases import FLAT


@statement(
    "notes/hellinger",
    "Section 1, Hellinger distance",
    says=r"$\mathcal H(\mathrm{Dir}(\alpha_1), \mathrm{Dir}(\alpha_2)) = \sqrt{1 - \frac{B((\alpha_1+\alpha_2)/2)}{\sqrt{B(\alpha_1)B(\alpha_2)}}}$",
    cases=rows("a b", ((2, 4), (4, 2)), ((1, 1), (3, 5)), ((2.5, 6), (3.5, 2)), ((9, 3), (1, 11))),
)
def hellinger_formula(a, b):
    r"""The check compares the library's closed form with the integral, for two categories and integer exponents.

    Proof: by definition \(H^2 = 1 - \int \sqrt{f g}\). The exponents in \(\sqrt{f g}\) are the averages of the
    exponents in the two Dirichlet densities. So the integrand is proportional to the density of
    \(\mathrm{Dir}((\alpha_1 + \alpha_2)/2)\), and
    \[ \int \sqrt{f g} = B\bigl(\tfrac{\alpha_1+\alpha_2}{2}\bigr) / \sqrt{B(\alpha_1) B(\alpha_2)}. \]
    """
    # exponents of the integrand; they are integers, so the integrand is a polynomial
    p, q = (int((s + t) / 2) - 1 for s, t in zip(a, b, strict=True))
    need((2 * p + 2, 2 * q + 2) == (a[0] + b[0], a[1] + b[1]), f"a and b must have even sums, got {a}, {b}")
    scale = exp(-(model.dirichlet.log_beta(numbers(a)) + model.dirichlet.log_beta(numbers(b))) / 2)
    # the scale is inside the integral because the tolerance is absolute: the value is then at most 1
    affinity = integral(lambda theta: scale * theta**p * (1 - theta) ** q, 0, 1)
    return model.hellinger(a, b), equal(sqrt(1 - affinity))


A_RECORD = ("there is at least one record", lambda n: n >= 1)


@statement(
    "notes/global-sensitivity",
    "Section 1, GS",
    says=r"$GS = \sqrt{1 - \pi/4}$",
    holds=r"$GS^2 = 1 - g(\alpha_{(1)})\, g(\alpha_{(2)})$ for $k \ge 3$, and $GS^2 = 1 - \min\{g(\alpha_1)\, g(\alpha_2+n-1),\ g(\alpha_1+n-1)\, g(\alpha_2)\}$ for $k = 2$, where $g(z) = \frac{\Gamma(z+1/2)}{\sqrt{\Gamma(z)\Gamma(z+1)}}$",
    why="the sensitivity depends on the prior weights and, for two categories, also on n",
    given=A_RECORD,
    only_if=(
        r"the two smallest prior weights are 1, and \(k \ge 3\) or \(n = 1\)",
        lambda prior, n: sorted(prior)[:2] == [1, 1] and (len(prior) > 2 or n == 1),
    ),
    cases=grid(prior=[FLAT, (0.5, 0.5), (4, 0.1), (1, 1, 7), (0.01, 5, 0.2)], n=[1, 2, 4]),
)
def global_sensitivity(prior, n):
    r"""If there are only two categories, both can be empty, apart from the record that moves, only if n = 1. For the
    flat prior on two categories, the sensitivity is only 0.4086 for n = 2 and decreases to
    \((1 - \sqrt\pi/2)^{1/2} = 0.3373\) as n grows. So the printed value is the maximum over all n. For the same n,
    smaller prior weights give a larger sensitivity: for Jeffreys' prior with \(k \ge 3\) or n = 1, the sensitivity is
    0.6028. The check compares the corrected formula with a maximum over all datasets.

    Proof: under the condition, the corrected formula gives \(GS^2 = 1 - g(1)^2\), and \(g(1)^2 = \pi/4\).

    Proof of what holds: by the triangle inequality, the change of the score is largest at \(r = x\), where it is
    \(F(u(a_i) + u(a_j - 1))\). For \(k \ge 3\), consider a record that moves between the two categories with the
    smallest prior weights, while all other records are in a third category. Then \(a_i = \alpha_{(1)}\) and
    \(a_j - 1 = \alpha_{(2)}\), and no exponent is larger, because u decreases. For k = 2, the sum
    \(a_1 + a_2 - 1 = \alpha_1 + \alpha_2 + n - 1\) is fixed, and u is convex, because \(\psi'\) is. So the exponent is
    largest at one of the two ends, \(a_1 = \alpha_1\) or \(a_2 - 1 = \alpha_2\).
    """
    defined = largest(model.local_sensitivity(prior, model.count_vectors(int(n), len(prior))))
    # pairs of parameters (a_i, a_j - 1) at which the exponent may be largest
    ends = [sorted(prior)[:2]] if len(prior) > 2 else [(prior[0], prior[1] + n - 1), (prior[0] + n - 1, prior[1])]
    return model.global_sensitivity(prior, n), *map(equal, (printed_sensitivity(), farthest_move(*ends), defined))


@statement(
    "notes/global-sensitivity-bound",
    "Section 1, GS",
    says=r"$GS \le \sqrt{1 - \pi/4}$",
    reading="an upper bound, which is all that privacy needs",
    why="small prior weights may give a larger sensitivity; two prior weights of 1/2 are an example",
    only_if=("every prior weight is at least 1", lambda prior: min(prior) >= 1),
    cases=grid(prior=[FLAT, (3, 1), (0.5, 0.5), (2, 1, 3), (0.9, 0.9, 0.9)], n=[1, 3]),
)
def global_sensitivity_bound(prior, n):
    r"""Proof: since u decreases, every exponent \(u(a_i) + u(a_j - 1)\) is at most \(2u(1)\) if all parameters are at
    least 1, and \(e^{-2u(1)} = \pi/4\).
    """
    return model.global_sensitivity(prior, n), at_most(printed_sensitivity())


@statement(
    "notes/local-sensitivity",
    "Section 1, LS, in closed form",
    says=r"$\max_{x' \sim x,\, r} |\mathcal H(x, r) - \mathcal H(x', r)| = \sqrt{1 - \min_{i \ne j,\, x_j \ge 1} g(a_i)\, g(a_j - 1)}$, where the left side is the printed definition of LS(x)",
    by="ours",
    given=("there is at least one record", lambda counts: sum(counts) >= 1),
    cases=rows("prior counts", (FLAT, (1, 1)), ((0.3, 2.5), (0, 5)), ((0.3, 2.5), (7, 2)), ((0.5, 1, 3), (3, 0, 1))),
)
def local_sensitivity(prior, counts):
    r"""The exact number is LS(x) as the library computes it. The check compares it with the mean of the two sides of
    the printed equation, because this comparison would reveal an error in any of the three numbers.

    Proof: \(|H(x, r) - H(x', r)| \le H(x, x')\) by the triangle inequality, with equality at \(r = x\), which is a
    candidate. Moving a record from j to i changes two parameters by one. Therefore \(1 - H^2 = g(a_i)\, g(a_j - 1)\).
    """
    rows = model.count_vectors(int(sum(counts)), len(counts))
    here = distances(prior, counts, rows)
    defined = largest([largest(abs(here - distances(prior, y, rows))) for y in model.neighbours(counts)])
    a = [weight + count for weight, count in zip(prior, counts, strict=True)]
    moves = [(a[i], a[j] - 1) for i in range(len(a)) for j in range(len(a)) if i != j and counts[j] > 0]
    return model.local_sensitivity(prior, counts), equal((defined + farthest_move(*moves)) / 2)


@statement(
    "notes/smooth-sensitivity",
    "Section 1, S",
    says=r"$S(x)$: $\gamma$-smooth sensitivity. $S(x) = \max_{x' \in \mathcal X^n} \Bigl\{ \frac{1}{\frac{1}{LS(x')} + \gamma \cdot \mathrm{Himming}(x, x')} \Bigr\}$",
    given=A_RECORD,
    reading=r"\(\gamma\)-smooth means \(|1/S(x) - 1/S(x')| \le \gamma\) for neighbouring datasets, and Himming is the number of records that differ",
    cases=grid(prior=[FLAT, (0.01, 5), (1, 1, 1)], n=[6], gamma=[0.1, 1.0]),
)
def smooth_sensitivity(prior, n, gamma):
    r"""The exact number is the largest \(|1/S(x) - 1/S(x')|\) over neighbouring datasets. Here S(x) is the library's
    value, and S(x') is computed by its definition as a maximum over all datasets.

    Proof: by definition \(1/S(x) = \min_z (1/LS(z) + \gamma\, d(x, z))\), and \(d(x, z) \le d(x', z) + 1\).

    The function \(1/S\) is the largest function below \(1/LS\) that changes by at most \(\gamma\) between neighbouring
    datasets. So the largest change of \(1/S\) between neighbouring datasets is at most the largest change of \(1/LS\).
    Since \(S \le 1\), S is also smooth in the usual sense: \(S(x) \le (1 + \gamma)\, S(x') \le e^{\gamma} S(x')\).
    """
    vectors = model.count_vectors(int(n), len(prior))
    # number of replaced records between any two datasets, half the sum of the changes of their counts
    replaced = abs(vectors[:, None] - vectors).sum(axis=-1) // 2
    defined = smallest(1 / model.local_sensitivity(prior, vectors) + gamma * replaced, axis=1)
    found = 1 / model.reciprocal_smooth_sensitivity(prior, vectors, gamma)
    x, y = model.moves(int(n), len(prior))
    return largest(abs(found[x] - defined[y])), at_most(gamma)


@statement(
    "notes/smooth-sensitivity-concave",
    "Section 1, S",
    says=r"$z \mapsto 1/F(u(z) + v)$ is concave in $z > 0$ for every $v \ge 0$: $R(z) = (e^{u} - 1)\Bigl(\frac{u''}{u'^2} - 1\Bigr) \ge \frac32$",
    by="ours",
    cases=grid(z=[1e-6, 0.02, 0.3, 0.473, 1.0, 1.5, 20.0]),
)
def reciprocal_concave(z):
    r"""The closed forms of the two smooth sensitivities in the library rest on this lemma about the gamma function. The
    minimum of R is about 1.936, at z = 0.468.

    Proof: with \(f = e^{-u}\) and \(\kappa = e^{-v}\), the function \(1/F = (1 - \kappa f)^{-1/2}\) is concave if
    \(\frac32 \kappa f'^2 \le -f''(1 - \kappa f)\). This condition on f and \(\kappa\) is strongest at \(\kappa = 1\),
    where it becomes \(R \ge \frac32\). From \(\psi(z) = \int_0^\infty (e^{-t}/t - e^{-zt}/(1 - e^{-t}))\,dt\) we obtain
    \[ u(z) = \int_0^\infty \frac{e^{-zt}}{t}\, T(t)\,dt, \qquad T(t) = \tfrac12 \tanh\tfrac t4, \qquad
       \tfrac t8 - \tfrac{t^3}{384} \le T(t) \le \tfrac t8 . \]
    For \(z \ge 3/2\), insert these bounds into u, \(-u'\) and \(u''\), and use \(e^u - 1 \ge u\):
    \[ R \ge 2\Bigl(1 - \frac{1}{24z^2}\Bigr)\Bigl(1 - \frac{1}{16z} - \frac{1}{4z^2}\Bigr) > \tfrac32 . \]
    For \(z \le 1/50\) we have \(u' = -\frac{1}{2z} + d\) with
    \(d = \psi(z+1) - \psi(z+\frac12) \in (0, \frac{1}{2z})\), and \(|d'| \le \psi'(\frac12) - \psi'(1) = \pi^2/3\). So
    \(u''/u'^2 \ge 2 - 4z^2\pi^2/3\). Since \(e^u \ge 3.9\) for these z, \(R \ge 2.8\). For \(1/50 \le z \le 3/2\) the
    tests certify the inequality by interval arithmetic.
    """
    half = number(0.5)
    u = lgamma(z) + log(z) / 2 - lgamma(z + half)
    # the derivatives u' and u'' of u(z) = ln(z)/2 + ln Gamma(z) - ln Gamma(z + 1/2)
    first = digamma(z) + 1 / (2 * z) - digamma(z + half)
    second = trigamma(z) - 1 / (2 * z**2) - trigamma(z + half)
    return (exp(u) - 1) * (second / first**2 - 1), at_least(number(1.5))


PRIVATE = grid(prior=[FLAT, (1, 1, 1), (1, 1, 1, 1)], n=[1, 2, 4], epsilon=[0.1, 1.0])
EQUIDISTANT = {"prior": (1e7, 1e7), "n": 110, "epsilon": 1e-6}
"""A case in which the losses of the exponential mechanisms exceed 99 percent of their bounds, for the reason given in
``ehd_corrected``."""


lszhang_algorithm = cannot(
    "notes/algorithm-lszhang",
    "undated version, Algorithm 1",
    says=r"**Initialize** a vector $\tilde\alpha = (0, \dots, 0)$. **For** $i = 1 \dots |\mathcal X| - 1$: **let** $\tilde\alpha_i = \alpha_i + \lfloor (\alpha'_i - \alpha_i) + \mathrm{Lap}(0, \frac{2|\mathcal X|}{\epsilon}) \rfloor_0^n$. **return** $\tilde\alpha$",
    holds=r"the privacy loss of LSZhang, completed like LSDim, is at most $\varepsilon/4$ for $k = 2$ and $\varepsilon/k$ for $k \ge 3$",
    why="an algorithm is not a statement; its last line seems to be missing, because the last parameter is never set and stays 0",
)


@lszhang_algorithm.instead(cases=PRIVATE)
def lszhang_privacy(prior, n, epsilon):
    r"""Proof: replacing one record changes the k - 1 counts that receive noise by a total of at most s, where s = 1 for
    k = 2 and s = 2 otherwise. The privacy loss of Laplace noise of scale \(b = 2k/\varepsilon\) is at most \(s/b\).
    Rounding the counts, clamping them and computing the last count are post-processing.
    """
    return audit(lszhang(epsilon), prior, n).epsilon, at_most(epsilon / 4 if len(prior) == 2 else epsilon / len(prior))


NOISE_OF_THE_LOOP = r"\(\eta_i\) is the noise drawn in the i-th pass of the loop, and \(\lfloor \cdot \rfloor_0^n\) rounds down and clamps to 0..n"


@statement(
    "notes/3.1-lsdim",
    "Theorem 3.1, LSDim",
    says=r"LSDim is $\varepsilon$-differentially private",
    reading=NOISE_OF_THE_LOOP,
    holds=r"the privacy loss of LSDim is at most $\varepsilon/2$ for $k = 2$ and $2\varepsilon/k$ for $k \ge 3$, since its scale grows with the number of categories, while one record changes at most two counts",
    cases=PRIVATE,
)
def lsdim_private(prior, n, epsilon):
    r"""For \(n \ge 2\), and for k = 2 also if n = 1, the largest loss equals the sharper bound. For example, the bound
    is attained at outputs at which clamping collects a tail of the noise: outputs with one count equal to n and, for
    \(k \ge 3\), another count equal to 0.

    Proof: the sharper bound is at most \(\varepsilon\).

    Proof of what holds: replacing one record changes the counts that receive noise by a total of at most s, where s = 1
    for k = 2 and s = 2 otherwise. The privacy loss of Laplace noise of scale \(b = k/\varepsilon\) is at most \(s/b\),
    and all other steps are post-processing.
    """
    sharper = epsilon / 2 if len(prior) == 2 else 2 * epsilon / len(prior)
    return audit(lsdim(epsilon), prior, n).epsilon, at_most(epsilon), at_most(sharper)


@statement(
    "notes/3.1-lshist",
    "Theorem 3.1, LSHist",
    says=r"LSHist is $\varepsilon$-differentially private",
    reading=NOISE_OF_THE_LOOP,
    cases=PRIVATE,
)
def lshist_private(prior, n, epsilon):
    r"""For \(n \ge 2\), and for k = 2 also if n = 1, the largest loss equals \(\varepsilon\). So for \(k \ge 3\) and
    \(n \ge 2\), noise of scale \(1/\varepsilon\), which is half the printed scale, would have a largest loss of
    \(2\varepsilon\).

    Proof: replacing one record changes the counts that receive noise by a total of at most s, where s = 1 for k = 2 and
    s = 2 otherwise. The privacy loss of Laplace noise of scale \(s/\varepsilon\) is at most \(\varepsilon\), and all
    other steps are post-processing.
    """
    return audit(lshist(epsilon), prior, n).epsilon, at_most(epsilon)


@statement(
    "notes/3.1-ehd",
    "Theorem 3.1, EHD",
    says=r"EHD is $\varepsilon$-differentially private",
    reading=r"\(GS = \sqrt{1 - \pi/4}\), as in Section 1",
    why="the printed constant is less than the global sensitivity if the prior weights are small",
    only_if=(
        r"the global sensitivity for the given prior and n is at most \(\sqrt{1 - \pi/4}\), for which it is sufficient that every prior weight is at least 1",
        lambda prior, n: not less(printed_sensitivity(), model.global_sensitivity(prior, n)),
    ),
    cases=grid(prior=[FLAT, (0.5, 0.5), (0.01, 0.01), (1, 1, 1)], n=[1, 6], epsilon=[1.0]),
)
def ehd_private(prior, n, epsilon):
    r"""Counterexample: consider a single record and two categories with the same prior weight a. The normalising
    constants of the two datasets are equal, and the distance H between the two posteriors satisfies
    \(H^2 = 1 - g(a)^2\). The loss is \(\varepsilon H / (2G)\), which exceeds \(\varepsilon\) if \(H > 2G\), that is, if
    \(g(a)^2 < \pi - 3\), or \(a < 0.0516\).

    Proof: the privacy loss of the exponential mechanism is at most \(\varepsilon\) if the divisor of its exponent is at
    least twice the sensitivity.
    """
    return audit(ehd(epsilon, printed_sensitivity()), prior, n).epsilon, at_most(epsilon)


@statement(
    "notes/3.1-ehd-sensitivity",
    "Theorem 3.1, EHD",
    says=r"EHD is $\varepsilon$-differentially private",
    reading="GS is the global sensitivity for the given prior and n, as in Algorithm 3 (Algorithm 4 in the undated version)",
    cases=[*ehd_private.cases, {"prior": (0.02, 0.02, 3), "n": 6, "epsilon": 1.0}, EQUIDISTANT],
)
def ehd_corrected(prior, n, epsilon):
    r"""No bound \(c\,\varepsilon\) with \(c < 1\) holds for all priors and n. To see this, let k = 2 and
    \(D(r) = H(x', r) - H(x, r)\). As the prior weights grow and n stays fixed, the posteriors become equally spaced:
    \(H(x, r) \approx GS\,|x - r|\). So for x = 0 and x' = 1, D is nearly GS at r = 0 and nearly -GS at the n other
    candidates. As \(\varepsilon \to 0\), the loss at r = 0 is asymptotically \(\varepsilon\, n/(n+1)\).

    Proof: let \(D(r) = H(x', r) - H(x, r) \in [-GS, GS]\). The loss at r is \(\frac{\varepsilon}{2\,GS} D(r)\) plus the
    log ratio of the normalising constants. This ratio is an average of \(e^{-\varepsilon D / (2\,GS)}\), so its
    logarithm is at most \(-\frac{\varepsilon}{2\,GS} \min D\). Therefore the loss is at most
    \(\frac{\varepsilon}{2\,GS}(\max D - \min D) \le \varepsilon\).
    """
    return audit(ehd(epsilon), prior, n).epsilon, at_most(epsilon)


MANY_GAMMAS = [
    *grid(prior=[FLAT, (0.01, 5), (1, 1, 1)], n=[6], epsilon=[1.0], gamma=[0.1, 1.0, 2.0, 5.0, 30.0]),
    {**EQUIDISTANT, "gamma": 1000.0},
]


@statement(
    "notes/3.1-ehds",
    "version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    says=r"EHDS with weights $\exp(\frac{\epsilon \cdot u(x, r)}{4 \cdot S(x)})$ is $\varepsilon$-differentially private",
    reading=r"the statement is made for every \(\gamma > 0\), because the algorithm does not fix \(\gamma\); for \(\gamma = 1\) the two versions agree",
    holds=r"the privacy loss of EHDS with weights $\exp(-\varepsilon \mathcal H / (4 S))$ is at most $\tfrac{\varepsilon}{4} \bigl(2 + \min(\gamma, \kappa)\bigr)$ with $\kappa = \max_{x \sim x'} \Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr|$",
    why=r"the normalising constants of neighbouring datasets may differ by a factor of \(e^{\varepsilon\gamma/4}\)",
    only_if=(r"\(\gamma \le 2\), or \(k = 2\)", lambda prior, gamma: gamma <= 2 or len(prior) == 2),
    cases=[
        *MANY_GAMMAS,
        *rows("prior n epsilon gamma counts neighbour", ((40, 40, 0.1), 160, 0.1, 3.3, (0, 0, 160), (0, 1, 159))),
    ],
)
def ehds_private(prior, n, epsilon, gamma, counts=None, neighbour=None):
    r"""For three categories, the privacy loss exceeds \(\varepsilon\) for some \(\gamma\), some prior and some n. Let
    the first two prior weights be \(\alpha\), let \(x' = (0, 0, n)\), with all records in the third category, and
    consider the neighbour \(x = (0, 1, n-1)\). In x, but not in x', there is a record that can move between the first
    two categories. So
    \[ LS(x) = F(2u(\alpha)), \qquad LS(x') = F(u(\alpha) + u(\alpha_3 + n - 1)) \to F(u(\alpha)) \quad (n \to \infty), \]
    and the difference \(1/LS(x') - 1/LS(x) \to \sqrt{8\alpha}\,(1 - 1/\sqrt2) + \dots\) grows without bound with
    \(\alpha\), because \(u(\alpha) \approx 1/(8\alpha)\). Nearly all candidates are at a distance near 1 from both x
    and x'. So the normalising constants differ by the factor \(e^{\varepsilon\Delta/4}\) with
    \(\Delta = 1/S(x') - 1/S(x)\), and \(\Delta = \gamma\) if \(\alpha\) is large. At the output \(x'\) the loss has the
    additional term \(\frac\varepsilon4 H(x, x')/S(x)\), which tends to \(\frac\varepsilon4/\sqrt2\). So the loss
    exceeds \(\varepsilon\) if \(\gamma > 4 - 1/\sqrt2 = 3.293\). If the second prior weight is larger than the first
    and \(x = (1, 0, n-1)\), then \(H(x, x')/S(x)\) can be arbitrarily close to 1. So every \(\gamma > 3\) is too large
    for some prior and n. For example, for the prior (60, 90, 0.1), n = 600, \(\gamma = 3.2\) and
    \(\varepsilon \le 0.1\), the loss exceeds \(\varepsilon\) by 0.2 percent. For three or more categories and
    \(\gamma\) between 2 and 3, it is open whether the loss can exceed \(\varepsilon\). If \(\gamma\) and the third
    prior weight are large, 20 records are sufficient for a counterexample: for the prior (100, 100, 10000),
    \(\gamma = 10\) and \(\varepsilon = 0.001\), the loss is \(1.0086\,\varepsilon\).

    Proof: by the corrected bound, \(\gamma \le 2\) is sufficient. For two categories \(\kappa < \gamma_0 = 1.9647\)
    (``notes/reciprocal-sensitivity``), so the corrected bound is below \(\varepsilon\) for every \(\gamma\).
    """
    mechanism = ehds(epsilon, gamma, 4)
    # with a given dataset and neighbour, not all datasets are listed, and the loss is a lower bound
    loss = loss_between(mechanism, prior, counts, neighbour) if counts else audit(mechanism, prior, n).epsilon
    return loss, at_most(epsilon)


@ehds_private.instead(cases=MANY_GAMMAS)
def ehds_corrected(prior, n, epsilon, gamma):
    r"""Proof: let S' be the smaller of S(x) and S(x'), and \(\Delta = |1/S(x) - 1/S(x')|\). Since
    \(H(x, x') \le LS \le S\) at both neighbours, the loss is at most \(\frac{\varepsilon}{4}(2 + \Delta(1 - 2S'))\);
    the docstring of ``pure_bound`` contains the proof of this bound. By definition, \(1/S\) is the largest function
    below \(1/LS\) that changes by at most \(\gamma\) between neighbouring datasets. If \(1/LS\) itself changes by at
    most \(\kappa \le \gamma\), then S = LS. So \(\Delta \le \min(\gamma, \kappa)\).
    """
    most = epsilon * (2 + smallest([gamma, local_jump(prior, n)])) / 4
    return audit(ehds(epsilon, gamma, 4), prior, n).epsilon, at_most(most)


@statement(
    "notes/reciprocal-sensitivity",
    "Section 1, LS, for Theorem 3.1 and EHDS",
    says=r"$\Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr| < \gamma_0 = \Bigl(1 - \frac{\sqrt\pi}{2}\Bigr)^{-1/2} - 1 = 1.9647$ for neighbouring datasets",
    by="ours",
    given=("there are two categories", lambda prior: len(prior) == 2),
    cases=rows("prior n", (FLAT, 2), ((1e-6, 1e-6), 40), ((50, 0.001), 40)),
)
def reciprocal_sensitivity(prior, n):
    r"""For the datasets whose first counts are 1 and 2, the difference approaches the bound as \(\alpha \to 0\) and
    \(n \to \infty\). For three categories the bound fails: for the prior (16, 16, 1) and n = 60, the largest difference
    is 2.046 (``notes/3.1-ehds``).

    Proof: denote a dataset by its first count m in 0..n. The distance between the posteriors of m and m + 1 is
    \(F(w_m)\) with \(w_m = u(\alpha_1 + m) + u(\alpha_2 + n - 1 - m)\). By the triangle inequality, LS is the distance
    to the farther neighbour, \(LS(m) = F(\max(w_{m-1}, w_m))\), so \(LS(m)\) and \(LS(m+1)\) are both at least
    \(F(w_m)\). We may assume that \(LS(m) > LS(m+1)\), because exchanging the categories reverses the order. Then
    \(LS(m) = F(w_{m-1})\). Let \(A = \alpha_1 + m - 1 > 0\) and \(v = u(\alpha_2 + n - m)\). Since u decreases,
    \(u(\alpha_2 + n - m - 1) \ge v\), and
    \[ \frac{1}{LS(m+1)} - \frac{1}{LS(m)} \le h(A + 1, v) - h(A, v), \qquad h(a, v) = 1 / F(u(a) + v) . \]
    The function h is increasing and, by ``notes/smooth-sensitivity-concave``, concave in a. So the increment of h over
    a unit step is largest as \(A \to 0\), where \(u \to \infty\) and \(h \to 1\). This increment is less than
    \(h(1, v) - 1 \le 1/F(u(1)) - 1 = \gamma_0\), because \(e^{-u(1)} = \sqrt\pi/2\).
    """
    return local_jump(prior, n), below(model.reciprocal_slope())


@statement(
    "notes/3.1-ehds-gamma",
    "undated version, Theorem 3.1 and Algorithm 6",
    says=r"EHDS with weights $\exp(\frac{\epsilon \cdot u(x, r)}{2(1+\gamma) S(x)})$ is $\varepsilon$-differentially private",
    holds=r"the privacy loss of EHDS with weights $\exp(-\varepsilon \mathcal H / (2(1+\gamma) S))$ is at most $\varepsilon\, \frac{2 + \min(\gamma, \kappa)}{2 + 2\gamma}$ with $\kappa = \max_{x \sim x'} \Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr|$",
    reading=r"the statement is made for every \(\gamma > 0\)",
    cases=MANY_GAMMAS,
)
def ehds_gamma_private(prior, n, epsilon, gamma):
    r"""With the divisor \(2 + \gamma\) in place of \(2(1 + \gamma)\), the same proof shows that the loss is at most
    \(\varepsilon\) for every k and \(\gamma\). The two printed divisors, 4 and \(2(1+\gamma)\), are equal for
    \(\gamma = 1\).

    Proof: the sharper bound is at most \(\varepsilon (2+\gamma)/(2+2\gamma) < \varepsilon\).

    Proof of what holds: the proof of the corrected bound in ``notes/3.1-ehds`` applies with the divisor
    \(2(1+\gamma)\).
    """
    sharper = epsilon * (2 + smallest([gamma, local_jump(prior, n)])) / (2 + 2 * gamma)
    return audit(ehds(epsilon, gamma, 2 * (1 + gamma)), prior, n).epsilon, at_most(epsilon), at_most(sharper)
