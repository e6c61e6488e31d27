r"""A release mechanism as a value: its name, its output law, its proved privacy, and a sampler.

The prior and n are public; neighbours differ in one replaced record. Laws are computed from formulas and not estimated
from draws: in doubles to about 1e-12, as tests against 60 digits show. ``sample`` draws with floating point from a
pseudo-random generator: its draws are for study, not for release.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import exp
from ..checks import Floats, Integers
from ..guarantees import Guarantee
from ..model.datasets import lattice, row_number, within_enumeration
from .line import Line


@dataclass(frozen=True, eq=False)
class Law:
    """A distribution over released counts, for one dataset or for all datasets of n records.

    Attributes:
        outputs: Released counts, shape (R, k), all rows distinct.
        log_probabilities: Logarithms of their probabilities, shape (R,) for one dataset and (D, R) for all datasets in
            the order of ``count_vectors``. The probabilities of a dataset add up to 1, to within 1e-9.

    >>> from dpbi import lshist
    >>> lshist(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.3161, 0.1839])
    """

    outputs: Integers
    log_probabilities: Floats

    def __post_init__(self) -> None:
        if arithmetic.in_doubles():  # laws over balls are made by the library alone
            object.__setattr__(self, "outputs", _outputs(self.outputs))
            found = _logarithms(self.log_probabilities, len(self.outputs))
            object.__setattr__(self, "log_probabilities", found)

    @classmethod
    def known(cls, outputs: Integers, log_probabilities: Floats) -> Law:
        """A law made by the library, which needs no check; the tests compare these with their definitions."""
        law = object.__new__(cls)
        vars(law).update(outputs=outputs, log_probabilities=log_probabilities)  # the value is frozen
        return law

    @property
    def probabilities(self) -> Floats:
        """Probabilities, with the shape of ``log_probabilities``."""
        return np.asarray(exp(self.log_probabilities))

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Draws from the law of one dataset, for study and not for release.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            Released counts, shape (size, k).

        Raises:
            ValueError: If the law is of all datasets, which have a row each.

        >>> from dpbi import all_laws, lshist
        >>> all_laws(lshist(1.0), [1, 1], 2)[1].draw(np.random.default_rng(1), 5)
        Traceback (most recent call last):
        ValueError: log_probabilities must be those of one dataset, got shape (3, 3)
        """
        shape = self.log_probabilities.shape
        checks.need(len(shape) == 1, f"log_probabilities must be those of one dataset, got shape {shape}")
        generator, draws = checks.generator(rng), checks.whole("size", size, least=0)
        cumulative = np.cumsum(self.probabilities)
        rows = np.searchsorted(cumulative, generator.random(draws) * cumulative[-1], side="right")
        return np.asarray(self.outputs[np.minimum(rows, len(cumulative) - 1)])

    def __repr__(self) -> str:
        shape = self.log_probabilities.shape
        datasets = f"{shape[0]} datasets, " if len(shape) > 1 else ""
        return f"Law({datasets}{shape[-1]} outputs in {self.outputs.shape[1]} categories)"


def _outputs(value: Any) -> Integers:
    """Checks the outputs of a law, distinct rows of counts; an int64 array is returned itself, as laws may share it."""
    allowed = "distinct rows of k >= 2 whole numbers >= 0"
    array = checks.numeric("outputs", value, allowed)
    good = array.ndim == 2 and array.shape[0] >= 1 and array.shape[1] >= 2
    checks.need(good, f"outputs must be {allowed}, got shape {array.shape}")
    rows = checks.count_vector(array, array.shape[1], name="outputs")
    different, times = np.unique(rows, axis=0, return_counts=True)
    if len(different) < len(rows):
        raise ValueError(f"outputs must be {allowed}, got {different[times > 1][0].tolist()} {times.max()} times")
    return array if array.dtype == np.int64 else rows


def _logarithms(value: Any, outputs: int) -> Floats:
    """Checks the log probabilities of a law, one for each output on the last axis.

    Args:
        value: Logarithms, shape (outputs,) or (datasets, outputs).
        outputs: Number of outputs.

    Returns:
        The logarithms as an array of doubles.
    """
    name, allowed = "log_probabilities", f"logarithms of probabilities, {outputs} in number, with the sum 1"
    array = checks.checked_array(name, value, allowed, outputs, lambda a: a <= checks.SUM_TOLERANCE)
    array = array.astype(np.float64, copy=False)
    checks.need(array.ndim <= 2, f"{name} must be {allowed}, got shape {array.shape}")
    sums = np.exp(array).sum(axis=-1)
    if not (np.abs(sums - 1) <= checks.SUM_TOLERANCE).all():
        raise ValueError(f"{name} must be {allowed}, got the sum {sums.flat[np.abs(sums - 1).argmax()]:.10g}")
    return array


@checks.readable
class WorstCase(NamedTuple):
    """Two neighbours and an output at which the privacy loss is all that the guarantee allows.

    Attributes:
        counts: The dataset that is likelier to give the output.
        neighbour: Its neighbour.
        output: The released counts.
    """

    counts: Integers
    neighbour: Integers
    output: Integers

    @classmethod
    def at(cls, n: int, k: int, second_count: int = 0, output: tuple[int, int] = (1, 0)) -> WorstCase:
        """The move of the only record of the first category to the second; all other records are in the last.

        Args:
            n: Number of records.
            k: Number of categories.
            second_count: Number of records of the second category before the move.
            output: The first two released counts.

        Returns:
            The two datasets, and the output completed to n records.
        """
        rows = np.zeros((3, k), dtype=np.int64)
        rows[:, :2] = (1, second_count), (0, second_count + 1), output
        rows[:, -1] += n - rows.sum(axis=1)
        return cls(*rows)


@checks.door
def _law(function: Callable[..., Any], prior: ArrayLike, counts: ArrayLike) -> Law:
    """The exact law of the output at one dataset.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        counts: Dataset, k whole numbers >= 0.

    Returns:
        The law, in doubles to about 1e-12.
    """
    weights, x = checks.dataset(prior, counts)
    return _returned("law(prior, counts)", function(weights, x), "one dataset", (), len(x))


@checks.door
def _laws(function: Callable[..., Any], prior: ArrayLike, n: int) -> Law:
    """The laws at all datasets of n records, in the order of ``count_vectors``."""
    return _all_laws(function, checks.prior_weights(prior), checks.record_count(n))


def _all_laws(function: Callable[..., Any], weights: Floats, n: int) -> Law:
    k = len(weights)
    datasets = math.comb(n + k - 1, k - 1)
    return _returned("laws(prior, n)", function(weights, n), f"{datasets} datasets", (datasets,), k)


def _returned(name: str, law: Any, what: str, shape: tuple[int, ...], k: int) -> Law:
    """What a maker's function returned, if it is a law of so many datasets in k categories."""
    if not isinstance(law, Law):
        raise TypeError(f"{name} must return a Law of {what}, got {checks.brief(law)}")
    if law.log_probabilities.shape[:-1] != shape or law.outputs.shape[1] != k:
        raise ValueError(f"{name} must return a Law of {what} in {k} categories, got {checks.brief(law)}")
    return law


@checks.door
def _sample(
    function: Callable[..., Integers], prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1
) -> Integers:
    """Draws of the output at one dataset, for study and not for release.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        counts: Dataset, k whole numbers >= 0.
        rng: Random number generator.
        size: Number of draws.

    Returns:
        Released counts, shape (size, k).
    """
    weights, x = checks.dataset(prior, counts)
    return function(weights, x, checks.generator(rng), checks.whole("size", size, least=0))


@checks.door
def _rate(function: Callable[..., Floats], prior: ArrayLike, counts: ArrayLike) -> Floats:
    """The rate of the law at each dataset on the leading axes of the counts.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        counts: Datasets of one total, k whole numbers >= 0 on the last axis.

    Returns:
        The rates, with the leading axes.
    """
    weights = checks.prior_weights(prior)
    x = checks.count_vector(counts, len(weights))
    totals = np.unique(x.sum(axis=-1)).tolist()
    checks.need(len(totals) == 1, f"counts must be datasets of one total, got the totals {totals}")
    rates = function(weights, x)
    return rates if np.shape(rates) == x.shape[:-1] else np.broadcast_to(rates, x.shape[:-1])


@checks.door
def _line(function: Callable[..., Line], prior: ArrayLike, counts: ArrayLike) -> Line:
    """The law of the change of the first of two counts."""
    return function(*checks.dataset(prior, counts))


@checks.door
def _guarantee(function: Callable[..., Guarantee | None], prior: ArrayLike, n: int) -> Guarantee | None:
    """The privacy that is proved at this prior and n, or None.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
    """
    return function(checks.prior_weights(prior), checks.record_count(n))


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(checks.CheckedFunctions):
    r"""A release mechanism as a value.

    Its functions are made of functions that a maker gives, with a check before them: the maker's get a prior and counts
    that are checked arrays, and n an integer, so that they check nothing again. Audits and errors take whichever is
    quickest: ``laws``, ``rate``, ``line`` and ``attained`` have to describe the mechanism that ``law`` does, also after
    ``dataclasses.replace``.

    Attributes:
        name: Name of the function that makes it, and words that tell variants apart.
        promise: The privacy that is proved for every prior and n, or None.
        law: Function of (prior, counts): the exact ``Law`` of the output at a dataset.
        sample: Function of (prior, counts, rng, size): draws of shape (size, k), for study and not for release. The
            maker's function always gets all four.
        guarantee: Function of (prior, n): the privacy that is proved there, or None. ``audit`` computes the actual
            loss.
        laws: Function of (prior, n): the laws of all datasets in the order of ``count_vectors``, for speed; optional.
        rate: Function of (prior, counts), which broadcasts over datasets of one total on the leading axes of the
            counts: the number \(\lambda\) of a law \(\Pr[r] \propto \exp(-\lambda H(x, r))\) over all count vectors r,
            with which errors need no list of outputs and audits no table; optional.
        line: Function of (prior, counts): the law of the change of the first of two counts, with which errors are sums
            along a line at any n; optional.
        attained: Function of (n, k): a ``WorstCase`` whose loss equals the guarantee, or None; optional.

    >>> from dpbi import lshist
    >>> lshist(0.8)
    <Mechanism lshist, promises PureDP(epsilon=0.8)>
    """

    _example = "lshist(0.8)"

    name: str
    promise: Guarantee | None
    law: Callable[..., Law] = field(metadata={"door": _law})
    sample: Callable[..., Integers] = field(metadata={"door": _sample})
    guarantee: Callable[..., Guarantee | None] = field(metadata={"door": _guarantee})
    laws: Callable[..., Law] | None = field(default=None, metadata={"door": _laws})
    rate: Callable[..., Any] | None = field(default=None, metadata={"door": _rate})
    line: Callable[..., Line] | None = field(default=None, metadata={"door": _line})
    attained: Callable[[int, int], WorstCase | None] | None = None

    @classmethod
    def from_table(cls, name: str, n: int, outputs: ArrayLike, probabilities: ArrayLike) -> Mechanism:
        """The mechanism that a table of probabilities describes, at n records and every prior.

        It promises nothing; ``audit`` computes its loss.

        Args:
            name: Name of the mechanism in what is shown.
            n: Number of records of every dataset.
            outputs: Counts that may be released, shape (R, k), all rows distinct.
            probabilities: Their probabilities, shape (D, R), a row for each dataset in the order of ``count_vectors(n,
                k)``.

        Returns:
            The mechanism. Its functions refuse any other n or number of categories.

        >>> from dpbi import audit
        >>> truthful = Mechanism.from_table("truthful", 1, [[0, 1], [1, 0]], [[0.75, 0.25], [0.25, 0.75]])
        >>> round(audit(truthful, prior=[1, 1], n=1).epsilon, 12)  # ln 3
        1.098612288668
        """
        released = _outputs(outputs).copy()
        (size, k), n = released.shape, checks.record_count(n)
        table = arithmetic.approximate(checks.simplex("probabilities", probabilities, size))
        datasets = len(lattice(n, k))
        if table.shape != (datasets, size):
            allowed = f"a row for each of the {datasets} datasets of n={n} records in {k} categories"
            raise ValueError(f"probabilities must have {allowed}, got shape {table.shape}")
        with np.errstate(divide="ignore"):
            log_p = np.log(table)

        def laws(weights: Floats, found: int) -> Law:
            if (found, len(weights)) != (n, k):
                allowed = f"n={n} and {k} categories, as its table has"
                raise ValueError(f"{name} must have {allowed}, got n={found} and {len(weights)} categories")
            return Law.known(released, log_p)

        def law(weights: Floats, x: Integers) -> Law:
            return Law.known(released, laws(weights, int(x.sum())).log_probabilities[row_number(x)])

        return cls(name, None, law, drawn_from(law), lambda prior, n: None, laws)

    def __repr__(self) -> str:
        promised = "promises nothing for every prior and n" if self.promise is None else f"promises {self.promise}"
        return f"<Mechanism {self.name}, {promised}>"


def drawn_from(law: Callable[[Floats, Integers], Law]) -> Callable[..., Integers]:
    """The ``sample`` of a mechanism that draws from its list of outputs."""
    return lambda weights, x, rng, size: law(weights, x).draw(rng, size)


def all_laws(mechanism: Mechanism, prior: ArrayLike, n: int) -> tuple[Integers, Law]:
    """The output laws of a mechanism at all datasets of n records, in one table.

    Args:
        mechanism: A mechanism, ``geometric(1.0)`` for instance.
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.

    Returns:
        The datasets, shape (D, k), and their laws: a row for each dataset, a column for each output that any dataset
        can give, with probability 0 where a dataset cannot.

    >>> from dpbi import geometric
    >>> all_laws(geometric(1.0), [1, 1], 2)[1].probabilities.round(4).tolist()
    [[0.7311, 0.17, 0.0989], [0.2689, 0.4621, 0.2689], [0.0989, 0.17, 0.7311]]
    """
    return table_of_laws(Mechanism.checked(mechanism), checks.prior_weights(prior), checks.record_count(n))


def table_of_laws(mechanism: Mechanism, weights: Floats, n: int) -> tuple[Integers, Law]:
    """Output laws of a mechanism at all datasets of n records, as in ``all_laws``; the input is not checked.

    Args:
        mechanism: A mechanism.
        weights: Dirichlet parameters, shape (k,).
        n: Number of records.

    Returns:
        The datasets and their laws.
    """
    vectors = lattice(n, len(weights))
    if mechanism.laws is not None:
        return vectors, _all_laws(mechanism.laws.unchecked, weights, n)  # type: ignore[attr-defined]
    rows = [mechanism.law(weights, vectors[0])]
    within_enumeration(len(vectors), len(rows[0].outputs), n, len(weights))  # before the other laws are computed
    rows += [mechanism.law(weights, x) for x in vectors[1:]]
    shared = rows[0].outputs
    if all(row.outputs is shared for row in rows):
        return vectors, Law.known(shared, np.stack([row.log_probabilities for row in rows]))
    shared, where = np.unique(np.concatenate([row.outputs for row in rows]), axis=0, return_inverse=True)
    log_p = np.full((len(rows), len(shared)), -np.inf, dtype=np.float64 if arithmetic.in_doubles() else object)
    dataset = np.repeat(np.arange(len(rows)), [len(row.outputs) for row in rows])
    log_p[dataset, where.ravel()] = np.concatenate([row.log_probabilities for row in rows])
    return vectors, Law.known(shared, log_p)
