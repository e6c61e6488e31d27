"""Multivariate normal family with a known mean, conjugate to ``Wishart``; the parameter is the precision matrix."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import arithmetic
from ..arithmetic import approximate, less, number, numbers, scalar, sqrt
from ..checks import Floats, Numbers, brief, given, need
from .families import RECORD, Family
from .family_checks import checked_pair, positive_bound
from .finite import Finite
from .laws import Wishart, positive_definite
from .oscillations import UNKNOWN, Oscillation, outer_products


def multivariate_normal(mean: Any, radius: float = math.inf) -> Family:
    r"""Multivariate normal family \(N(\mu, A^{-1})\) with a known mean and records in a ball (Lemma 23).

    The pseudo-metric and the bound on the Lipschitz constant are
    \[ \rho(x, y) = \sum_t \|x_t x_t^\top - y_t y_t^\top\|_F + 2\|x_t - y_t\|, \qquad
       \ell(A) \le \tfrac12 \lambda_{\max}(A) \max(1, \|\mu\|) , \]
    where the second term of \(\rho\) is omitted if \(\mu = 0\). The matrix \(xx^\top - yy^\top\) has at most one
    positive and at most one negative eigenvalue. The inner product of this matrix with a positive definite A is
    therefore at most \(\lambda_{\max}(A)\) times the larger absolute eigenvalue. So \(\lambda_{\max}(A)\) can replace
    the Frobenius norm of A in the printed bound. If \(\mu = 0\), the bound equals the Lipschitz constant.

    Let x and y be two records, \(u = x - \mu\) and \(v = y - \mu\). Then
    \(\ln p_A(x) - \ln p_A(y) = \frac12\langle A, vv^\top - uu^\top\rangle\). Over all precision matrices with
    eigenvalues of at most \(\Lambda\), this difference has a range of length \(\frac\Lambda2\|uu^\top - vv^\top\|_*\).
    The oscillation w is exactly the largest such length over all x and y (see ``oscillations.outer_products``). For a
    prior on a list of precision matrices, w is bounded by \(2L\rho\).

    Args:
        mean: The mean \(\mu\), a vector of d finite numbers.
        radius: Bound on the Euclidean norm of a record; infinity means no bound. In one dimension, records have no
            bound; ``normal_precision`` is the family with a bound.

    Returns:
        A family whose records are rows of d numbers.

    >>> round(multivariate_normal([0, 0], radius=1.0).distance([[0, 1]], [[1, 0]]), 6)  # the root of 2
    1.414214
    >>> from dpbi.posterior_sampling import posterior_law
    >>> posterior_law(multivariate_normal([0, 0]), Wishart(3, np.eye(3)), [[0, 1]])
    Traceback (most recent call last):
    ValueError: prior must be a law of 2 by 2 matrices, got a scale of shape (3, 3)
    """
    mu = given("mean", mean, 1)
    need(mu.size and np.isfinite(approximate(mu)).all(), f"mean must be a vector of finite numbers, got {brief(mean)}")
    d, R, centred = len(mu), positive_bound(radius, "radius"), not mu.any()
    need(d > 1 or math.inf == R, f"mean must have two or more entries for records with a bound, got {brief(mean)}")
    factor = scalar(arithmetic.maximum(number(1), _lengths(mu)) / 2)

    def data(x: Any) -> Numbers:
        rows = given("data", x)
        good = rows.shape[1:] == (d,) and np.isfinite(approximate(rows)).all()
        need(good, f"data must be rows of {d} finite numbers, got shape {rows.shape}")
        norms = _lengths(rows)
        most = approximate(norms).max(initial=0)
        need(not less(R, norms).any(), f"data must have norms <= radius={float(R):g}, got {most:g}")
        return rows

    def parameters(values: Any) -> list[Numbers]:
        matrices = [positive_definite("parameters", approximate(numbers(value))) for value in values]
        right = all(len(matrix) == d for matrix in matrices)
        need(right, f"parameters must be {d} by {d} precision matrices, got another size")
        return matrices if arithmetic.in_doubles() else [numbers(value) for value in values]

    def log_density(precisions: Sequence[Numbers], x: Numbers) -> Numbers:
        scatter, half = (x - mu).T @ (x - mu), number(len(x)) / 2
        logs = [arithmetic.log_determinant(A) - d * arithmetic.log(2 * arithmetic.pi()) for A in precisions]
        return np.array([half * log - (A * scatter).sum() / 2 for log, A in zip(logs, precisions, strict=True)])

    def distance(x: Any, y: Any) -> Any:
        a, b = checked_pair(data, x, y)
        outer = _lengths((a[:, :, None] * a[:, None] - b[:, :, None] * b[:, None]).reshape(len(a), d * d)).sum()
        return scalar(outer if centred else outer + 2 * _lengths(a - b).sum())

    def update(prior: Wishart, x: Floats) -> Wishart:
        shape = prior.scale.shape
        need(shape == (d, d), f"prior must be a law of {d} by {d} matrices, got a scale of shape {shape}")
        scatter = (x - mu).T @ (x - mu)
        scale = np.linalg.inv(np.linalg.inv(prior.scale) + scatter)
        return replace(prior, degrees=prior.degrees + len(x), scale=(scale + scale.T) / 2)

    def within(prior: Wishart, L: float) -> Wishart:
        need(L != 0, f"L must be > 0, or the law has zero mass, got L={brief(L)}")
        return replace(prior, largest=min(prior.largest, L / factor))

    def oscillation(prior: Finite | Wishart, neighbours: str) -> Oscillation:
        if isinstance(prior, Finite):
            return UNKNOWN
        return Oscillation(scalar(prior.largest * outer_products(_lengths(mu), R) / 2), exact=True)

    return Family(
        name="multivariate_normal",
        metric="sum of |xx' - yy'|_F" + ("" if centred else " + 2|x - y|"),
        data=data,
        parameters=parameters,
        log_density=log_density,
        distance=distance,
        constant=lambda precisions: np.array([factor * arithmetic.largest_eigenvalue(A) for A in precisions]),
        reach={RECORD: ball_reach(R, centred=centred)},
        conjugate=Wishart,
        update=update,
        within=within,
        largest=lambda prior: factor * prior.largest,
        oscillation=oscillation,
    )


def ball_reach(radius: Any, *, centred: bool) -> Any:
    r"""Largest distance \(\rho\) of Lemma 23 between two points of a ball in two or more dimensions.

    The maximum is attained by two points of the sphere. If the mean is 0, the maximum is
    \(\sqrt2 R^2\), attained by two points of the sphere at a right angle. Otherwise, the maximum is
    \[ \max_\varphi \bigl(\sqrt2 R^2 \sin\varphi + 4R \sin\tfrac\varphi2\bigr) , \quad
       \text{where } \cos\tfrac\varphi2 = \frac{\sqrt{1 + 4R^2} - 1}{2\sqrt2\,R} . \]
    *Proof.* Scaling both points up by the same factor increases \(\rho\), so one point may be assumed to lie on the
    sphere. Divide both points by R. Let \(s \le 1\) be the length of the other point, \(\varphi\) the angle between the
    points, \(c = \cos\varphi\), \(q = \sqrt2\sin\varphi\) and \(\kappa = 2/R\). Then \(\rho/R^2 = F + \kappa G\), where
    \(F = \sqrt{1 + s^4 - 2s^2c^2}\) is the Frobenius norm in \(\rho\) and \(G = \sqrt{1 + s^2 - 2sc}\) is the distance
    between the points. The norm F is convex in \(s^2\), equals 1 at \(s = 0\), and equals q at \(s = 1\), so
    \(F \le 1 - s^2(1 - q)\). If both points are on the sphere, \(F + \kappa G\) is
    \(M(\varphi) = q + 2\kappa\sin\frac\varphi2\), which is \(\sqrt2 + \sqrt2\kappa\) at a right angle. It remains to
    show that \(F + \kappa G\) never exceeds the maximum of M.

    * If \(c > 0\), then F and G are at most \(\sqrt2\), and \(F + \kappa G\) is at most \(\sqrt2 + \sqrt2\kappa\).
    * If \(c \le 0\) and \(q \ge 1\), then \(F \le q\) and G increases with s, so \(F + \kappa G \le M(\varphi)\).
    * If \(c \le 0\) and \(q < 1\), then \(|c| \ge \frac{1}{\sqrt2}\). The derivative of \(1 - s^2(1-q) + \kappa G\)
      with respect to s is at least \(\kappa|c| - 2s(1-q)\), since \(\frac{s + |c|}{G} \ge |c|\). There are three cases.

      * If \(1 - q \le \kappa|c|/2\), the derivative is nonnegative and s = 1 gives the maximum, \(M(\varphi)\).
      * If \(1 - q \ge \kappa/2\), then \(\kappa \le 2\), and \(G \le 1 + s\) bounds \(F + \kappa G\) by
        \(1 + \kappa + \frac{\kappa^2}{4(1-q)} \le 1 + \frac32\kappa \le \sqrt2 + \sqrt2\kappa\).
      * Otherwise \(1 - s^2(1-q) + \kappa(1+s)\) increases with s, so \(F + \kappa G\) is at most
        \(q + 2\kappa < 1 + \bigl(2 - \frac{1}{2\sqrt2}\bigr)\kappa\), which is less than
        \(M(135^\circ) = 1 + 1.84\dots\kappa\).

    Args:
        radius: Radius R of the ball.
        centred: Whether the mean of the normal distribution is 0.

    Returns:
        The largest \(\rho\).
    """
    if radius == math.inf:
        return math.inf
    R, root = radius, sqrt(number(2))
    if centred:
        return scalar(root * R**2)
    cosine = root * R / (sqrt(1 + 4 * R**2) + 1)
    sine = sqrt(1 - cosine**2)
    return scalar(2 * root * R**2 * sine * cosine + 4 * R * sine)


def _lengths(vectors: Numbers) -> Any:
    """Euclidean lengths of vectors along the last axis."""
    return sqrt((vectors * vectors).sum(axis=-1))
