r"""Exact draws from an exponential mechanism, by rejection from a mixture of products.

The target is a count vector r of n records with probability proportional to \(w(D) = e^{-\lambda H(x, r)}\). Let \(a\)
be the posterior parameters of x and \(d = r - x\). The distance H depends only on the affinity exponent
\(D = \sum_i D_i(d_i)\), where \(D_i(d) = D(a_i, a_i + d)\):

1. *Shells of D.* The function \(-\sqrt{1 - y}\) has a power series in \(y = e^{-D}\) whose coefficients are positive
   except for the first. Therefore w is a mixture of exponentials, and \(\ln w = -\lambda\sqrt{1 - e^{-D}}\) is convex
   in D. On a shell \(D' \le D < D''\), \(\ln w\) lies below its chord, \(\ln w \le \alpha - \theta D\).
2. *Products.* The exponential of the chord is \(e^\alpha \prod_i e^{-\theta D_i(d_i)}\). A category with the largest
   \(a_i\) is called the last category. The change in the last category is determined by the other changes, and the
   factor of this category is at most 1. The changes in the other categories are drawn independently, with probabilities
   \(e^{-\theta D_i(d)} / Z_i\), and a candidate is accepted with probability equal to the ratio of w to the envelope.
3. *One factor.* \(D_i\) increases away from 0 on either side. So on an interval of changes (a piece), the weight is at
   most its value at the end nearer 0. The outer end of each piece is a quarter farther from 0 than the outer end of the
   piece before. A change is proposed uniformly on a piece and accepted with probability equal to the ratio of the
   weights at the change and at the end nearer 0. The sums \(Z_i\) are computed by Gauss rules (``dpbi.model.sums``).
4. *Beyond the last shell,* w is at most its value at the end of that shell, and candidates are proposed uniformly by
   stars and bars.

A shell is split in two if it has a noticeable share of the mass and its chord exceeds the weight by more than a factor
e. The last shell is chosen so that the total mass of the proposals is smallest. Because the change in the last category
is not drawn, the acceptance rate is lower by a factor near \(\sqrt{a_{\max} / |a|} \ge k^{-1/2}\).

*Accuracy.* The computation uses doubles. The distribution of the draws is accurate to about 1e-12, or to about 1e-9 if
a thousand categories have different prior weights or counts. *Not for release:* the generator is pseudo-random, and the
time that a draw takes depends on the data.
"""

import math
from typing import NamedTuple

import numpy as np

from ..checks import LARGEST_TOTAL, Floats, Integers, need
from ..model.distances import moved_gap
from ..model.sums import rule

# proved: at rates up to 2, a uniform candidate is accepted with probability at least e^-2, so no table is needed
UNIFORM_RATE = 2.0
"""Largest rate at which all candidates are proposed uniformly."""

# measured: nine tenths of the proposed changes are accepted
PIECE_GROWTH = 1.25
"""Ratio of the two ends of a piece of changes."""

# chosen: the tables then take up to 160 MB of memory and a few seconds to compute
MAX_KINDS = 5_000
"""Largest number of distinct pairs of prior weight and count."""

# chosen: about ten arrays of 4 MB each
CHUNK_MOVES = 500_000
"""Largest number of changes, proposals times categories, that are proposed in one batch."""

# measured: the draws take about ten minutes
MAX_CHANGES = 2_000_000_000
"""Number of changes, proposals times categories, after which a call to ``draw`` raises an error."""


class _Kinds(NamedTuple):
    """The distinct pairs ("kinds") of prior weight and count, over all categories but the last, with a table for each.

    The possible changes are divided into P pieces, and the last piece contains only the change 0.
    """

    last: int
    kind: Integers  # (k - 1,)
    multiplicity: Integers  # (K,)
    prior: Floats  # (K,)
    counts: Integers  # (K,)
    node_gaps: Floats  # gaps D_i at the nodes of the sums Z_i, kind by kind
    node_weights: Floats
    node_starts: Integers  # (K,)
    starts: Integers  # (P,) the change in each piece that is nearest to 0
    widths: Integers  # (K, P)
    gaps: Floats  # (K, P) at the starts

    def log_mass(self, theta: float) -> float:
        r"""Logarithm of the total mass of the proposals, \(\sum_i \ln Z_i\), for a slope \(\theta\)."""
        terms = self.node_weights * np.exp(-theta * self.node_gaps)
        return float(self.multiplicity @ np.log(np.add.reduceat(terms, self.node_starts)))

    def draw(self, theta: float, size: int, rng: np.random.Generator) -> tuple[Integers, Floats]:
        """Draws changes in all categories but the last, shape (size, k - 1), with the sum of their exponents D_i."""
        below = np.cumsum(self.widths * np.exp(-theta * self.gaps), axis=1)
        share = (below / below[:, -1:] + np.arange(len(below))[:, None]).ravel()
        kind = np.tile(self.kind, size)
        changes, exponents = np.empty(len(kind), dtype=np.int64), np.empty(len(kind))
        left = np.arange(len(kind))
        while len(left):
            here, last = kind[left], (kind[left] + 1) * len(self.starts) - 1
            piece = np.minimum(np.searchsorted(share, here + rng.random(len(left)), side="right"), last)
            start = self.starts[piece % len(self.starts)]
            d = start + np.sign(start) * rng.integers(self.widths.ravel()[piece])
            gap = moved_gap(self.prior[here], self.counts[here], d)
            kept = rng.standard_exponential(len(left)) >= theta * (gap - self.gaps.ravel()[piece])
            changes[left[kept]], exponents[left[kept]] = d[kept], gap[kept]
            left = left[~kept]
        return changes.reshape(size, len(self.kind)), exponents.reshape(size, len(self.kind)).sum(axis=1)


class _Shell(NamedTuple):
    r"""A shell of exponents, low <= D < high, with a chord \(\alpha - \theta D\) and the mass of the proposals."""

    low: float
    high: float
    alpha: float
    theta: float
    log_mass: float


class Envelope(NamedTuple):
    """The mixture of proposals, whose component 0 is uniform (for D >= ``cut``) and whose other ones are shells."""

    kinds: _Kinds | None
    cut: float
    shells: list[_Shell]
    share: Floats  # (1 + S,) masses of the components, which add up to 1


def draw(prior: Floats, counts: Integers, rate: float, rng: np.random.Generator, size: int) -> Integers:
    r"""Draws of count vectors with \(\Pr[r] \propto e^{-\lambda H(x, r)}\); arguments are not checked.

    Args:
        prior: Dirichlet parameters, shape (k,).
        counts: Dataset x, shape (k,).
        rate: The rate \(\lambda\), >= 0.
        rng: Random number generator.
        size: Number of draws.

    Returns:
        Count vectors, shape (size, k).

    Raises:
        ValueError: If there are more than ``MAX_KINDS`` distinct pairs of prior weight and count, or if fewer than
            ``size`` draws have been accepted after ``MAX_CHANGES`` proposed changes.
    """
    k, n = len(counts), int(counts.sum())
    need(not (n + k > LARGEST_TOTAL), f"counts must add up to at most 2**53 - {k} with {k} categories, got n={n}")
    parts = envelope(prior, counts, rate)
    drawn, found, tried = [np.empty((0, k), dtype=np.int64)], 0, 0
    while found < size:
        allowed = f"let {size} draws be accepted within about ten minutes"
        some = f"at the rate {rate:.6g}, only {found} were accepted in that time"
        need(tried * k <= MAX_CHANGES, f"counts must {allowed}, got k={k} and n={n}: {some}")
        wanted = (size - found) * (tried + 4) // (found + 1)  # the first batch assumes that a quarter is accepted
        batch = max(1, min(wanted + wanted // 8 + 8, CHUNK_MOVES // k))
        drawn.append(_accepted(parts, prior, counts, rate, rng, batch))
        found, tried = found + len(drawn[-1]), tried + batch
    return np.concatenate(drawn)[:size]


def _accepted(
    parts: Envelope, prior: Floats, counts: Integers, rate: float, rng: np.random.Generator, size: int
) -> Integers:
    """Proposes ``size`` candidates and returns the accepted ones in random order."""
    accepted = []
    for component, tries in enumerate(rng.multinomial(size, parts.share)):
        patience = rng.standard_exponential(tries)
        if component == 0 or parts.kinds is None:
            r = uniform(int(counts.sum()), len(counts), tries, rng)
            d, most = r - counts, log_weight(parts.cut, rate)
            # D_i >= d^2 / (8 max(a, a + d)), because psi'(z) >= 1 / z. D is computed only where this bound is not
            # enough to decide. d is divided first, because beyond three billion records d^2 overflows an integer.
            D = d * (d / (8 * (prior + np.maximum(r, counts)))) @ np.ones(len(counts))
            excess = most - log_weight(D, rate)
            close = (patience >= excess) & ((parts.cut > D) | (patience < most + rate))
            D[close] = moved_gap(prior, counts, d[close]).sum(axis=1)
            excess[close] = most - log_weight(D[close], rate)
            fits = parts.cut <= D
        else:
            (low, high, alpha, theta, _), last = parts.shells[component - 1], parts.kinds.last
            changes, others = parts.kinds.draw(theta, tries, rng)
            r = counts + np.insert(changes, last, -changes.sum(axis=1), axis=1)
            D = others + moved_gap(prior[last], counts[last], np.maximum(r[:, last], 0) - counts[last])
            fits, excess = (r[:, last] >= 0) & (low <= D) & (high > D), alpha - theta * others - log_weight(D, rate)
        accepted.append(r[fits & (patience >= excess)])
    together = np.concatenate(accepted)
    return together[rng.permutation(len(together))]


def log_weight(D: "float | Floats", rate: float) -> Floats:
    r"""Log weight of an affinity exponent, \(\ln w(D) = -\lambda\sqrt{1 - e^{-D}}\).

    Args:
        D: Affinity exponent.
        rate: The rate \(\lambda\).

    Returns:
        The log weight.
    """
    return np.asarray(-rate * np.sqrt(-np.expm1(-np.asarray(D))))


def envelope(prior: Floats, counts: Integers, rate: float) -> Envelope:
    r"""The mixture of proposals at one dataset, with shells so short that the weight is close to the chords.

    Args:
        prior: Dirichlet parameters, shape (k,).
        counts: Dataset, shape (k,).
        rate: The rate \(\lambda\).

    Returns:
        The mixture.
    """
    k, n = len(counts), int(counts.sum())
    if rate <= UNIFORM_RATE:
        return Envelope(None, 0.0, [], np.ones(1))
    kinds = _kinds(prior, counts)
    log_size = float(np.log1p(n / np.arange(1, k)).sum())  # ln C(n + k - 1, k - 1)

    def shell(low: float, high: float) -> _Shell:
        theta = float(log_weight(low, rate) - log_weight(high, rate)) / (high - low)
        alpha = float(log_weight(low, rate)) + theta * low
        return _Shell(low, high, alpha, theta, alpha + kinds.log_mass(theta))

    def halved(part: _Shell) -> list[_Shell]:
        middle = math.sqrt(part.low * part.high) if part.low > 0 else part.high / 4
        if part.log_mass < total - 5 or part.alpha - part.theta * middle - log_weight(middle, rate) <= 1:
            return [part]
        return [shell(part.low, middle), shell(middle, part.high)]

    # the shells start at 0, cover the bulk near D = (k / rate)^2, and end where w is constant up to a factor; each end
    # is 16 times the previous end
    ends = [0.0, min((max(1.0, (k - 1) / 2) / rate) ** 2, 0.25)]
    while ends[-1] < math.log(rate) + 1:
        ends.append(16 * ends[-1])
    shells = [shell(low, high) for low, high in zip(ends, ends[1:], strict=False)]
    while True:
        # mass of all shells up to each end, and mass of the uniform proposals beyond it; the cut is the end with the
        # smallest sum of the two masses
        ends = [0.0, *(part.high for part in shells)]
        within = np.logaddexp.accumulate([-np.inf, *(part.log_mass for part in shells)])
        beyond = log_size + log_weight(np.array(ends), rate)
        kept = int(np.argmin(np.logaddexp(within, beyond)))
        total = float(np.logaddexp(within[kept], beyond[kept]))
        refined = [part for old in shells for part in halved(old)]
        if len(refined) == len(shells):
            break
        shells = refined
    masses = np.array([beyond[kept], *(part.log_mass for part in shells[:kept])])
    share = np.exp(masses - total)
    return Envelope(kinds, ends[kept], shells[:kept], share / share.sum())


def _kinds(prior: Floats, counts: Integers) -> _Kinds:
    """The kinds of categories in a dataset, with the nodes of the sums Z_i and the pieces of the possible changes."""
    n, last = int(counts.sum()), int(np.argmax(prior + counts))
    pairs = np.delete(np.stack([prior, counts]), last, axis=1)
    (alpha, x), kind, multiplicity = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    x = x.astype(np.int64)
    allowed = f"at most {MAX_KINDS:,} distinct values"
    need(len(x) <= MAX_KINDS, f"counts must have {allowed}, got {len(x):,}: mean_error needs no draws")
    sums = [(rule(n - count + 1), rule(count)) for count in x.tolist()]
    nodes = [np.concatenate([up, -1 - down]) for (up, _), (down, _) in sums]
    sizes = np.array([len(changes) for changes in nodes])
    # the first change in each piece on either side of 0, and the number of changes in each piece that leave the count
    # in 0..n
    pieces = math.ceil(math.log(n + 1) / math.log(PIECE_GROWTH)) + 1
    first = np.unique(np.floor(PIECE_GROWTH ** np.arange(pieces)).astype(np.int64))
    room = np.stack([n - x, x])[:, :, None]
    width = np.clip(room + 1 - first[:-1], 0, np.diff(first))  # (2, K, P)
    starts = np.concatenate([first[:-1], -first[:-1], [0]])
    widths = np.concatenate([*width, np.ones((len(x), 1), dtype=np.int64)], axis=1)
    return _Kinds(
        last,
        kind.ravel(),
        multiplicity,
        alpha,
        x,
        moved_gap(np.repeat(alpha, sizes), np.repeat(x, sizes), np.concatenate(nodes)),
        np.concatenate([weights for both in sums for _, weights in both]),
        np.cumsum(sizes) - sizes,
        starts,
        widths,
        moved_gap(alpha[:, None], x[:, None], np.where(widths > 0, starts, 0)),
    )


def uniform(n: int, k: int, size: int, rng: np.random.Generator) -> Integers:
    """Draws uniform count vectors, by placing k - 1 bars, or n stars if n < k - 1, in n + k - 1 places.

    Args:
        n: Number of records.
        k: Number of categories.
        size: Number of draws.
        rng: Random number generator.

    Returns:
        Count vectors, shape (size, k).
    """
    places, few = n + k - 1, min(n, k - 1)
    chosen = rng.integers(places, size=(size, few))
    while True:  # repeated places are drawn again until all are distinct
        chosen.sort(axis=1)
        again = chosen[:, 1:] == chosen[:, :-1]
        if not again.any():
            break
        chosen[:, 1:][again] = rng.integers(places, size=int(again.sum()))
    if few == k - 1:
        return np.diff(chosen, axis=1, prepend=-1, append=places) - 1
    counts = np.zeros((size, k), dtype=np.int64)
    np.add.at(counts, (np.arange(size)[:, None], chosen - np.arange(n)), 1)
    return counts
