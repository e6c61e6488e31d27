r"""Likelihood families as values: log likelihood, pseudo-metric between datasets, Lipschitz constant of a parameter.

The Lipschitz constant of a parameter (Equation 2 of the paper) is the least u with
\[ |\ln p_\theta(x) - \ln p_\theta(y)| \le u\,\rho(x, y) \quad\text{for all datasets x and y}, \]
and \(\Theta_L\) holds the parameters whose constant is at most L. Records are independent unless the family is a
chain, and \(\rho\) adds up over them (Lemma 5): the constant does not depend on their number.

A family is a record of functions; a new one is a new function that fills it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import logit, logsumexp

from .. import checks
from ..checks import Floats, Integers
from .laws import TIE, Beta, Finite, Gamma, Law, Tables, Wishart, positive_definite

RECORD, CELL = "replace one record", "replace one cell"
"""Neighbours: datasets that differ in one record, or in one entry of one record."""

INWARDS = 1e-12
"""How far, relatively, a floor is raised so that no draw of a table leaves its region by rounding."""

LEAST_FLOOR = 6e-16
"""The least floor that a restriction of tables may need."""

LARGEST_JOINT = 1_000_000
"""A network's Lipschitz constant is computed from its joint table, which may have this many entries."""


@dataclass(frozen=True, eq=False)
class Family:
    r"""A likelihood family with its pseudo-metric.

    ``data`` and ``parameters`` check what they are given; ``likelihood`` and ``constant`` see only what was checked,
    ``log_likelihood`` and ``lipschitz`` check first. ``reach`` maps a kind of neighbours to the largest \(\rho\)
    between two of them, infinite where no bound on the data makes it finite. The last three belong to conjugate laws:
    the posterior, the law restricted to \(\Theta_L\), and the largest Lipschitz constant in the support.
    """

    name: str
    metric: str
    data: Callable[[Any], Any]
    parameters: Callable[[Any], Any]
    likelihood: Callable[[Any, Any], Floats]
    distance: Callable[[Any, Any], float]
    constant: Callable[[Any], Floats]
    reach: Mapping[str, float]
    conjugate: type[Law] | None = None
    update: Callable[[Any, Any], Law] | None = field(default=None, repr=False)
    within: Callable[[Any, float], Law] | None = field(default=None, repr=False)
    largest: Callable[[Any], float] | None = field(default=None, repr=False)

    def log_likelihood(self, parameters: Any, data: Any) -> Floats:
        r"""\(\ln p_\theta(x)\), one for each parameter of a list."""
        return self.likelihood(self.parameters(parameters), self.data(data))

    def lipschitz(self, parameters: Any) -> Floats:
        r"""\(\ell(\theta)\), one for each parameter of a list."""
        return self.constant(self.parameters(parameters))


def posterior(family: Family, prior: Law, data: Any) -> Law:
    r"""The exact posterior, \(\xi(d\theta \mid x) = p_\theta(x)\,\xi(d\theta) / \phi(x)\)."""
    x = family.data(data)
    if isinstance(prior, Finite):
        likelihood = family.log_likelihood(prior.parameters, x)
        return Finite(prior.parameters, prior.log_weights + likelihood)
    after: Law = _rule(family, prior, family.update)(prior, x)
    return after


def count_posteriors(prior: Law, n: int) -> list[Law]:
    """The posterior of a ``bernoulli`` prior for each number of ones among n records, from 0 to n."""
    size, family = checks.whole("n", n, least=0), bernoulli()
    return [posterior(family, prior, np.arange(size) < ones) for ones in range(size + 1)]


def log_marginal(family: Family, prior: Law, data: Any) -> float:
    r"""\(\ln\phi(x) = \ln \int p_\theta(x)\,d\xi(\theta)\), not for ``Wishart``."""
    x = family.data(data)
    if isinstance(prior, Finite):
        likelihood = family.log_likelihood(prior.parameters, x)
        return float(logsumexp(prior.log_weights + likelihood))
    if isinstance(prior, Wishart):
        raise TypeError("prior must have a mass in closed form for a marginal, and a Wishart law cut off has none")
    start: Any = prior
    after: Any = posterior(family, prior, x)
    theta = after.point  # Bayes' rule holds at every parameter; near the mode nothing cancels
    fit = family.log_likelihood([theta], x)[0]
    return float(fit + start.log_kernel(theta) - start.log_mass - (after.log_kernel(theta) - after.log_mass))


def restricted(family: Family, prior: Law, L: float) -> Law:
    r"""The prior conditioned on \(\Theta_L\), which is closed; for ``Tables``, the least floor that stays inside.

    In a finite list a constant within a relative 1e-12 of L counts as L, so that symmetric parameters stay together.
    The end of a continuous region is rounded inwards: no draw has a constant above L, in the last digit neither.
    """
    level = _level(L)
    if isinstance(prior, Finite):
        constants = family.lipschitz(prior.parameters)
        inside = constants <= level * (1 + TIE)
        if not inside.any() or prior.weights[inside].sum() == 0:
            raise ValueError(
                f"L must leave a positive mass, and the least constant is {constants.min():g}, got L={L!r}"
            )
        kept = [theta for theta, chosen in zip(prior.parameters, inside, strict=True) if chosen]
        return Finite(kept, prior.log_weights[inside])
    conditioned: Law = _rule(family, prior, family.within)(prior, level)
    return conditioned


def lipschitz_bound(family: Family, prior: Law) -> float:
    r"""The least L with \(\ell(\theta) \le L\) on the support, infinite if none; a bound on it for ``Tables``."""
    if isinstance(prior, Finite):
        held = [theta for theta, weight in zip(prior.parameters, prior.log_weights, strict=True) if weight > -np.inf]
        return float(family.lipschitz(held).max())
    return float(_rule(family, prior, family.largest)(prior))


def lipschitz_mass(family: Family, prior: Law, L: float) -> float:
    r"""\(\xi(\Theta_L)\), with the ties of ``restricted``; for ``Tables`` the mass that the floor keeps, not above it.

    Rows with a floor have at most three states. A ``Wishart`` law has bounds only, the ``acceptance`` once restricted.
    """
    if isinstance(prior, Finite):
        constants = family.lipschitz(prior.parameters)
        return float(min(1.0, prior.weights[constants <= _level(L) * (1 + TIE)].sum()))
    if not isinstance(prior, Gamma | Beta | Tables):
        raise TypeError(
            f"prior must be a Finite, Gamma, Beta or Tables law for an exact mass, got {type(prior).__name__}, whose "
            "acceptance bounds the mass once it is restricted"
        )
    if _level(L) >= lipschitz_bound(family, prior):
        return 1.0
    try:
        inside: Any = restricted(family, prior, L)
    except ValueError:
        if L > 1 and isinstance(prior, Tables):
            raise  # not for want of mass
        return 0.0
    return min(1.0, math.exp(inside.log_mass - prior.log_mass))


def exponential_prior(family: Family, parameters: Any, rate: float = 1.0) -> Finite:
    r"""The prior \(\xi(\theta) \propto e^{-r\,\ell(\theta)}\) of Example 2, on a list of parameters."""
    weight = checks.real("rate", rate, least=0)
    return Finite(parameters, -weight * family.lipschitz(parameters))


def bernoulli() -> Family:
    r"""Records 0 or 1, \(\rho\) the Hamming distance: \(\ell(\theta) = |\ln\frac{\theta}{1-\theta}|\) (Example 1)."""

    def log_likelihood(theta: Floats, x: Integers) -> Floats:
        ones = int(x.sum())
        return np.asarray(ones * np.log(theta) + (len(x) - ones) * np.log1p(-theta))

    def update(prior: Beta, x: Integers) -> Beta:
        ones = int(x.sum())
        return replace(prior, a=prior.a + ones, b=prior.b + len(x) - ones)

    def within(prior: Beta, L: float) -> Beta:
        cut: Beta = _cut(prior, max(prior.low, -L), min(prior.high, L), L)
        return cut

    return Family(
        name="bernoulli",
        metric="number of records that differ",
        data=_binary,
        parameters=_probabilities,
        likelihood=log_likelihood,
        distance=lambda x, y: float((_paired(_binary, x, y)).sum()),
        constant=lambda theta: np.abs(logit(theta)),
        reach={RECORD: 1.0},
        conjugate=Beta,
        update=update,
        within=within,
        largest=lambda prior: max(abs(prior.low), abs(prior.high)),
    )


def exponential(bound: float = math.inf) -> Family:
    r"""Density \(\theta e^{-\theta x}\) on [0, bound], \(\rho = \sum|x_i - y_i|\) (Lemma 19).

    The Lipschitz constant is the parameter itself.
    """

    def log_likelihood(theta: Floats, x: Floats) -> Floats:
        return np.asarray(len(x) * np.log(theta) - theta * x.sum())

    return _rate_family(
        name="exponential",
        metric="sum of |x - y|",
        data=_bounded(0.0, _positive_bound(bound)),
        likelihood=log_likelihood,
        gap=lambda x, y: np.abs(x - y),
        constant=1.0,
        reach=bound,
        shape=1.0,
        rate=lambda x: float(x.sum()),
    )


def laplace(location: float = 0.0, bound: float = math.inf) -> Family:
    r"""Density \(\frac\theta2 e^{-\theta|x-\mu|}\) on [-bound, bound], \(\rho = \sum|x_i - y_i|\) (Lemma 20).

    The parameter is the inverse scale, and its constant, exact if the location is inside the bound, itself.
    """
    mu = checks.real("location", location)

    def log_likelihood(theta: Floats, x: Floats) -> Floats:
        return np.asarray(len(x) * np.log(theta / 2) - theta * np.abs(x - mu).sum())

    return _rate_family(
        name="laplace",
        metric="sum of |x - y|",
        data=_bounded(-_positive_bound(bound), bound),
        likelihood=log_likelihood,
        gap=lambda x, y: np.abs(x - y),
        constant=1.0,
        reach=2 * bound,
        shape=1.0,
        rate=lambda x: float(np.abs(x - mu).sum()),
    )


def normal_precision(mean: float = 0.0, bound: float = math.inf) -> Family:
    r"""\(N(\mu, 1/\theta)\), \(\mu\) known, \(|x| \le B\), \(\rho = \sum|x_i^2 - y_i^2| + 2|x_i - y_i|\) (Lemma 22).

    With \(s = x + y\) the ratio of \(|(x-\mu)^2 - (y-\mu)^2|\) to \(\rho\) is \(|s - 2\mu| / (|s| + 2)\), largest at
    \(s = 0\) or \(|s| = 2B\):
    \[ \ell(\theta) = \frac\theta2 \max\Bigl(|\mu|, \frac{B + |\mu|}{B + 1}\Bigr) \le \frac\theta2 \max(|\mu|, 1) . \]
    """
    mu, B = checks.real("mean", mean), _positive_bound(bound)

    def log_likelihood(theta: Floats, x: Floats) -> Floats:
        return np.asarray(len(x) / 2 * np.log(theta / (2 * np.pi)) - theta / 2 * np.square(x - mu).sum())

    return _rate_family(
        name="normal_precision",
        metric="sum of |x^2 - y^2| + 2|x - y|",
        data=_bounded(-B, B),
        likelihood=log_likelihood,
        gap=lambda x, y: np.abs(x * x - y * y) + 2 * np.abs(x - y),
        constant=max(abs(mu), (B + abs(mu)) / (B + 1) if np.isfinite(B) else 1.0) / 2,
        reach=(B + 1) ** 2 if B >= 1 else 4 * B,
        shape=0.5,
        rate=lambda x: float(np.square(x - mu).sum()) / 2,
    )


def _rate_family(
    *,
    name: str,
    metric: str,
    data: Callable[[Any], Floats],
    likelihood: Callable[[Any, Any], Floats],
    gap: Callable[[Floats, Floats], Floats],
    constant: float,
    reach: float,
    shape: float,
    rate: Callable[[Floats], float],
) -> Family:
    r"""A family conjugate to ``Gamma`` with \(\ell(\theta) = \mathrm{constant}\cdot\theta\)."""

    def update(prior: Gamma, x: Floats) -> Gamma:
        return replace(prior, shape=prior.shape + shape * len(x), rate=prior.rate + rate(x))

    def within(prior: Gamma, L: float) -> Gamma:
        cut: Gamma = _cut(prior, prior.low, min(prior.high, _within(L, constant)), L)
        return cut

    return Family(
        name=name,
        metric=metric,
        data=data,
        parameters=_positive,
        likelihood=likelihood,
        distance=lambda x, y: float(gap(*_two(data, x, y)).sum()),
        constant=lambda theta: constant * theta,
        reach={RECORD: reach},
        conjugate=Gamma,
        update=update,
        within=within,
        largest=lambda prior: constant * prior.high,
    )


def multivariate_normal(mean: Any, radius: float = math.inf) -> Family:
    r"""\(N(\mu, A^{-1})\) with \(\mu\) known, one record per row, \(\|x\| \le\) radius (Lemma 23).

    \[ \rho(x, y) = \sum_t \|x_t x_t^\top - y_t y_t^\top\|_F + 2\|x_t - y_t\|, \qquad
       \ell(A) \le \tfrac12 \lambda_{\max}(A) \max(1, \|\mu\|) , \]
    without the second term of \(\rho\) when \(\mu = 0\). The matrix \(xx^\top - yy^\top\) has at most one positive and
    one negative eigenvalue, so its inner product with a positive A is at most \(\lambda_{\max}(A)\) times the larger of
    them: the printed Frobenius norm of A is not needed. With \(\mu = 0\) the bound is the constant itself.
    """
    mu = np.asarray(mean, np.float64)
    if mu.ndim != 1 or mu.size == 0 or not np.isfinite(mu).all():
        raise ValueError(f"mean must be a vector of finite numbers, got {mean!r}")
    d, R = len(mu), _positive_bound(radius, "radius")
    centred = not mu.any()
    factor = max(1.0, float(np.linalg.norm(mu))) / 2

    def data(x: Any) -> Floats:
        rows = np.asarray(x, np.float64)
        if rows.ndim != 2 or rows.shape[1] != d or not np.isfinite(rows).all():
            raise ValueError(f"data must be rows of {d} finite numbers, got shape {rows.shape}")
        norms = np.linalg.norm(rows, axis=1)
        if not (norms <= R).all():
            raise ValueError(f"data must have norms <= radius={R:g}, got {norms.max():g} in row {norms.argmax()}")
        return rows

    def parameters(values: Any) -> list[Floats]:
        matrices = [positive_definite("parameters", value) for value in values]
        if not all(len(matrix) == d for matrix in matrices):
            raise ValueError(f"parameters must be {d} by {d} precision matrices, got another size")
        return matrices

    def log_likelihood(precisions: Sequence[Floats], x: Floats) -> Floats:
        scatter = (x - mu).T @ (x - mu)
        constant = -len(x) * d / 2 * math.log(2 * math.pi)
        return np.array([constant + len(x) / 2 * np.linalg.slogdet(A)[1] - np.sum(A * scatter) / 2 for A in precisions])

    def distance(x: Any, y: Any) -> float:
        a, b = _two(data, x, y)
        outer = np.linalg.norm(a[:, :, None] * a[:, None] - b[:, :, None] * b[:, None], axis=(1, 2)).sum()
        return float(outer + (0.0 if centred else 2 * np.linalg.norm(a - b, axis=1).sum()))

    def update(prior: Wishart, x: Floats) -> Wishart:
        scatter = (x - mu).T @ (x - mu)
        scale = np.linalg.inv(np.linalg.inv(prior.scale) + scatter)
        return replace(prior, degrees=prior.degrees + len(x), scale=(scale + scale.T) / 2)

    def within(prior: Wishart, L: float) -> Wishart:
        if L == 0:
            raise ValueError(f"L must be > 0, or the law has zero mass, got L={L!r}")
        return replace(prior, largest=min(prior.largest, _within(L, factor)))

    return Family(
        name="multivariate_normal",
        metric="sum of |xx' - yy'|_F" + ("" if centred else " + 2|x - y|"),
        data=data,
        parameters=parameters,
        likelihood=log_likelihood,
        distance=distance,
        constant=lambda precisions: factor * np.array([np.linalg.eigvalsh(A)[-1] for A in precisions]),
        reach={RECORD: ball_reach(R, d, centred=centred)},
        conjugate=Wishart,
        update=update,
        within=within,
        largest=lambda prior: factor * prior.largest,
    )


def ball_reach(radius: float, d: int, *, centred: bool) -> float:
    r"""The largest \(\rho\) of Lemma 23 between two points of a ball in d dimensions.

    For \(d \ge 2\) it is between points of the sphere: \(\sqrt2 R^2\) at a right angle if centred, else
    \[ \max_\varphi \bigl(\sqrt2 R^2 \sin\varphi + 4R \sin\tfrac\varphi2\bigr) , \quad
       \text{where } \cos\tfrac\varphi2 = \frac{\sqrt{1 + 4R^2} - 1}{2\sqrt2\,R} . \]
    *Proof.* Scale by 1/R, and one of the points is on the sphere; let s be the length of the other,
    \(q = \sqrt2\sin\varphi\) and \(c = \cos\varphi\). Then \(\rho/R^2 = F + \kappa G\) with \(\kappa = 2/R\),
    \(G = \sqrt{1 + s^2 - 2sc}\), and the norm F is convex in \(s^2\): \(F \le 1 - s^2(1 - q)\). On the sphere it is
    \(M(\varphi) = q + 2\kappa\sin\frac\varphi2\), at a right angle \(\sqrt2 + \sqrt2\kappa\).

    * \(c > 0\): F and G are at most \(\sqrt2\).
    * \(c \le 0\), \(q \ge 1\): \(F \le q\), and G rises with s; at most \(M(\varphi)\).
    * \(c \le 0\), \(q < 1\): the slope of \(1 - s^2(1-q) + \kappa G\) in s is at least
      \(\kappa|c| - 2s(1-q)\), since \(\frac{s + |c|}{G} \ge |c| \ge \frac{1}{\sqrt2}\). If
      \(1 - q \le \kappa|c|/2\), s = 1 is largest, with \(M(\varphi)\). If \(1 - q \ge \kappa/2\), then by
      \(G \le 1 + s\) it is at most \(1 + \kappa + \frac{\kappa^2}{4(1-q)} \le 1 + \frac32\kappa\), within
      \(\sqrt2 + \sqrt2\kappa\) as \(\kappa \le 2\). Else it is at most
      \(q + 2\kappa < 1 + \bigl(2 - \frac{1}{2\sqrt2}\bigr)\kappa\), less than \(M(135^\circ) = 1 + 1.84\dots\kappa\).
    """
    if radius == math.inf:
        return math.inf
    R = radius
    if d == 1:
        return R**2 if centred else ((R + 1) ** 2 if R >= 1 else 4 * R)
    if centred:
        return math.sqrt(2) * R**2
    cosine = math.sqrt(2) * R / (math.sqrt(1 + 4 * R**2) + 1)
    sine = math.sqrt(1 - cosine**2)
    return 2 * math.sqrt(2) * R**2 * sine * cosine + 4 * R * sine


def network(parents: Sequence[Sequence[int]], states: Sequence[int]) -> Family:
    r"""A discrete Bayesian network, one record per row with a column for each node (Lemma 24).

    A parameter is a tuple of tables, that of node k of shape (states of its parents..., states of k). With
    \(v_k = 1 + \) the number of children of k, \(\rho(x, y) = \sum_k v_k\,\#\{t : x_{tk} \ne y_{tk}\}\). Along a path
    that changes one cell at a time \(\rho\) adds up, so the Lipschitz constant is the worst single cell:
    \[ \ell(\theta) = \max_k \max_{x, x'} \frac{|\ln P_\theta(x) - \ln P_\theta(x')|}{v_k},
       \quad x, x' \text{ one row, differing at node } k. \]
    """
    K = len(states)
    sizes = tuple(checks.whole("states", size, least=2) for size in states)
    above = tuple(tuple(checks.whole("parents", p, least=0, below=K) for p in row) for row in parents)
    if len(above) != K or any(len(set(row)) < len(row) for row in above) or not _acyclic(above):
        raise ValueError(
            f"parents must list for each of the {K} nodes distinct parents without a cycle, got {parents!r}"
        )
    if math.prod(sizes) > LARGEST_JOINT:
        raise ValueError(f"states must multiply to at most {LARGEST_JOINT}, got {math.prod(sizes)}")
    shapes = tuple((*(sizes[p] for p in row), size) for row, size in zip(above, sizes, strict=True))
    weights = np.array([1 + sum(k in row for row in above) for k in range(K)], np.float64)

    def data(x: Any) -> Integers:
        rows = np.asarray(x)
        if rows.ndim != 2 or rows.shape[1] != K:
            raise ValueError(f"data must be rows of {K} states, got shape {rows.shape}")
        return _states(rows, np.array(sizes))

    def log_likelihood(parameters: Sequence[tuple[Floats, ...]], x: Integers) -> Floats:
        chosen = [(*(x[:, p] for p in row), x[:, k]) for k, row in enumerate(above)]
        return np.array(
            [sum(np.log(t[at]).sum() for t, at in zip(tables, chosen, strict=True)) for tables in parameters]
        )

    def constant(tables: tuple[Floats, ...]) -> float:
        joint = np.zeros(sizes)
        for k, row in enumerate(above):
            nodes = (*row, k)
            order = sorted(range(len(nodes)), key=lambda i: nodes[i])
            shape = [sizes[k] if k in nodes else 1 for k in range(K)]
            joint = joint + np.log(tables[k].transpose(order)).reshape(shape)
        return max(float(np.ptp(joint, axis=k).max() / weights[k]) for k in range(K))

    def update(prior: Tables, x: Integers) -> Tables:
        return Tables([a + c for a, c in zip(prior.concentrations, _counts(x), strict=True)], prior.floor)

    def _counts(x: Integers) -> list[Floats]:
        counts = [np.zeros(shape) for shape in shapes]
        for k, row in enumerate(above):
            np.add.at(counts[k], (*(x[:, p] for p in row), x[:, k]), 1.0)
        return counts

    return Family(
        name="network",
        metric="sum of v_k times the rows that differ at node k",
        data=data,
        parameters=_tables(shapes),
        likelihood=log_likelihood,
        distance=lambda x, y: float(_paired(data, x, y).sum(axis=0) @ weights),
        constant=lambda parameters: np.array([constant(tables) for tables in parameters]),
        reach={RECORD: float(weights.sum()), CELL: float(weights.max())},
        conjugate=Tables,
        update=update,
        within=_floored,
        largest=_floor_bound,
    )


def markov_chain(states: int) -> Family:
    r"""One path of a homogeneous chain, its first state uniform; the only table is (from, to) (Lemma 24).

    A state belongs to its own transition and to the next, hence \(\rho\) counts 2 for each state that differs and 1 for
    the last one. A record is one state of the path. The Lipschitz constant is that of all lengths:
    \[ \ell(\theta) = \max\Bigl( \tfrac12 \max_{a,b,b',c} \ln\frac{\theta_{ab}\theta_{bc}}{\theta_{ab'}\theta_{b'c}},\;
       \max_{a,b,b'} \ln\frac{\theta_{ab}}{\theta_{ab'}},\;
       \tfrac12 \max_{b,b',c} \ln\frac{\theta_{bc}}{\theta_{b'c}} \Bigr). \]
    """
    k = checks.whole("states", states, least=2)

    def data(x: Any) -> Integers:
        path = np.asarray(x)
        if path.ndim != 1 or len(path) == 0:
            raise ValueError(f"data must be one path of at least one state, got shape {path.shape}")
        return _states(path, np.int64(k))

    def log_likelihood(parameters: Sequence[tuple[Floats, ...]], x: Integers) -> Floats:
        return np.array([-math.log(k) + np.log(table[x[:-1], x[1:]]).sum() for (table,) in parameters])

    def constant(table: Floats) -> float:
        log = np.log(table)
        through = log[:, :, None] + log[None]  # (from, state, to)
        ends = (np.ptp(through, axis=1).max() / 2, np.ptp(log, axis=1).max(), np.ptp(log, axis=0).max() / 2)
        return float(max(ends))

    def update(prior: Tables, x: Integers) -> Tables:
        counts = np.zeros((k, k))
        np.add.at(counts, (x[:-1], x[1:]), 1.0)
        return Tables([prior.concentrations[0] + counts], prior.floor)

    def distance(x: Any, y: Any) -> float:
        differs = _paired(data, x, y)
        return float(2 * differs[:-1].sum() + differs[-1])

    return Family(
        name="markov_chain",
        metric="2 for each state of the path that differs, 1 for the last",
        data=data,
        parameters=_tables(((k, k),)),
        likelihood=log_likelihood,
        distance=distance,
        constant=lambda parameters: np.array([constant(table) for (table,) in parameters]),
        reach={RECORD: 2.0},
        conjugate=Tables,
        update=update,
        within=_floored,
        largest=_floor_bound,
    )


def _floored(prior: Tables, L: float) -> Tables:
    r"""The least floor that keeps \(\ell \le L\): \(\ln\frac{1 - (s-1)\varepsilon}{\varepsilon} = L\), s states."""
    states = [table.shape[-1] for table in prior.concentrations]
    floor = max(prior.floor, math.exp(-L) / (1 + (min(states) - 1) * math.exp(-L)) * (1 + INWARDS))
    if not (floor * max(states) < 1 and floor >= LEAST_FLOOR):
        raise ValueError(
            "L must be > 0, leave every row a positive mass, and be at most 35, as one minus a smaller floor than "
            f"{LEAST_FLOOR:g} rounds to one, got L={L!r}"
        )
    return Tables(prior.concentrations, floor)


def _floor_bound(prior: Tables) -> float:
    if prior.floor == 0:
        return math.inf
    fewest = min(table.shape[-1] for table in prior.concentrations)
    return math.log((1 - (fewest - 1) * prior.floor) / prior.floor)


def _rule(family: Family, prior: Law, rule: Callable[..., Any] | None) -> Callable[..., Any]:
    if rule is None or family.conjugate is None or not isinstance(prior, family.conjugate):
        kind = f" or a {family.conjugate.__name__}" if family.conjugate else ""
        raise TypeError(f"prior must be a Finite{kind} law for {family.name}, got {type(prior).__name__}")
    return rule


def _cut(prior: Any, low: float, high: float, L: float) -> Any:
    if not low < high:
        raise ValueError(f"L must leave a positive mass of the prior on [{prior.low:g}, {prior.high:g}], got L={L!r}")
    return replace(prior, low=low, high=high)


def _within(L: float, constant: float) -> float:
    """The largest parameter whose Lipschitz constant, as a double, is at most L."""
    largest = L / constant
    return largest if constant * largest <= L else math.nextafter(largest, 0.0)


def _level(L: float) -> float:
    return checks.real("L", L, least=0)


def _positive_bound(value: float, name: str = "bound") -> float:
    if not value > 0:
        raise ValueError(f"{name} must be > 0, infinite for none, got {name}={value!r}")
    return float(value)


def _probabilities(values: Any) -> Floats:
    theta = np.atleast_1d(np.asarray(values, np.float64))
    good = (theta > 0) & (theta < 1)
    if theta.ndim != 1 or not good.all():
        found = theta[~good][0] if theta.ndim == 1 else f"shape {theta.shape}"
        raise ValueError(f"parameters must be > 0 and < 1, where the Lipschitz constant is finite, got {found}")
    return theta


def _positive(values: Any) -> Floats:
    theta = np.atleast_1d(np.asarray(values, np.float64))
    good = (theta > 0) & np.isfinite(theta)
    if theta.ndim != 1 or not good.all():
        found = theta[~good][0] if theta.ndim == 1 else f"shape {theta.shape}"
        raise ValueError(f"parameters must be finite numbers > 0, got {found}")
    return theta


def _tables(shapes: Sequence[tuple[int, ...]]) -> Callable[[Any], list[tuple[Floats, ...]]]:
    def parameters(values: Any) -> list[tuple[Floats, ...]]:
        checked = []
        for tables in values:
            arrays = tuple(np.asarray(table, np.float64) for table in tables)
            if tuple(table.shape for table in arrays) != tuple(shapes):
                raise ValueError(f"parameters must be tuples of tables of shapes {list(shapes)}, got {tables!r}")
            for table in arrays:
                if not ((table > 0).all() and np.allclose(table.sum(axis=-1), 1, rtol=0, atol=1e-9)):
                    raise ValueError(f"parameters must have rows > 0 that add up to 1, got {table!r}")
            checked.append(arrays)
        return checked

    return parameters


def _binary(x: Any) -> Integers:
    values = np.asarray(x)
    if values.ndim != 1:
        raise ValueError(f"data must be one list of zeros and ones, got shape {values.shape}")
    return _states(values, np.int64(2))


def _states(values: Any, sizes: Any) -> Integers:
    """Whole numbers from 0 to below the number of states."""
    if values.size and values.dtype.kind not in "iub":
        raise TypeError(f"data must be whole numbers, the states, got dtype {values.dtype}")
    good = (values >= 0) & (values < sizes)
    if not good.all():
        at = tuple(int(i) for i in np.argwhere(~good)[0])
        raise ValueError(f"data must be states from 0 to below {sizes}, got {values[at]} at position {at}")
    states: Integers = values.astype(np.int64)
    return states


def _bounded(low: float, high: float) -> Callable[[Any], Floats]:
    def data(x: Any) -> Floats:
        values = np.asarray(x, np.float64)
        if values.ndim != 1:
            raise ValueError(f"data must be one list of numbers, got shape {values.shape}")
        good = (values >= low) & (values <= high) & np.isfinite(values)
        if not good.all():
            where = int(np.argmin(good))
            raise ValueError(f"data must be in [{low:g}, {high:g}], got {values[where]:g} at position {where}")
        return values

    return data


def _two(check: Callable[[Any], Any], x: Any, y: Any) -> tuple[Any, Any]:
    first, second = check(x), check(y)
    if first.shape != second.shape:
        raise ValueError(f"x and y must have the same number of records, got shapes {first.shape} and {second.shape}")
    return first, second


def _paired(check: Callable[[Any], Any], x: Any, y: Any) -> Any:
    first, second = _two(check, x, y)
    return first != second


def _acyclic(parents: Sequence[Sequence[int]]) -> bool:
    placed: set[int] = set()
    for _ in parents:
        placed |= {k for k, row in enumerate(parents) if set(row) <= placed}
    return len(placed) == len(parents)
