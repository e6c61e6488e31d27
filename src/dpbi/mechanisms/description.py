r"""What a release mechanism is: a value with its name, its law, what is proved of it, and how to draw from it.

The prior and n are public; neighbours differ in one replaced record. Laws are exact. Draws by ``sample`` are made with
floating point from a pseudo-random generator: they are for study, not for release.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import exp
from ..checks import Floats, Integers
from ..guarantees import ZCDP, ApproxDP, BoundedRange, PureDP
from ..model.datasets import count_vectors, lattice_size, row_number, within_enumeration
from .line import Line

Guarantee = PureDP | ApproxDP | BoundedRange | ZCDP


@dataclass(frozen=True, eq=False)
class Law:
    """A distribution over released counts: one row of ``outputs`` per atom, all rows distinct.

    ``log_probabilities`` has the shape (R,) for one dataset, and (D, R) for all datasets at once. The probabilities of
    each add up to one, to within 1e-9.

    >>> from dpbi import lshist
    >>> lshist(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.3161, 0.1839])
    """

    outputs: Integers  # (R, k)
    log_probabilities: Floats  # (R,) or (D, R); rows are log-distributions

    def __post_init__(self) -> None:
        if arithmetic.in_doubles():  # balls hold the true numbers, and their sums are no doubles to compare
            object.__setattr__(self, "outputs", checks.law_outputs(self.outputs))
            found = checks.law_logarithms(self.log_probabilities, len(self.outputs))
            object.__setattr__(self, "log_probabilities", found)

    @classmethod
    def known(cls, outputs: Integers, log_probabilities: Floats) -> "Law":
        """A law of the library, unchecked: tests compare these with their definitions, and audits make many."""
        law = object.__new__(cls)
        object.__setattr__(law, "outputs", outputs)
        object.__setattr__(law, "log_probabilities", log_probabilities)
        return law

    @property
    def probabilities(self) -> Floats:
        return np.asarray(exp(self.log_probabilities))

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Draws from the law of one dataset, shape (size, k)."""
        generator, draws = checks.generator(rng), checks.whole("size", size, least=0)
        cumulative = np.cumsum(self.probabilities)
        rows = np.searchsorted(cumulative, generator.random(draws) * cumulative[-1], side="right")
        return np.asarray(self.outputs[np.minimum(rows, len(cumulative) - 1)])

    def __repr__(self) -> str:
        shape = self.log_probabilities.shape
        datasets = f"{shape[0]} datasets, " if len(shape) > 1 else ""
        return f"Law({datasets}{shape[-1]} outputs in {self.outputs.shape[1]} categories)"


class Place(NamedTuple):
    """Where a loss is attained: an output, likelier from a dataset than from its neighbour."""

    counts: Integers
    neighbour: Integers
    output: Integers

    @classmethod
    def at(cls, n: int, k: int, has: int = 0, said: tuple[int, int] = (1, 0)) -> "Place":
        """The second category has so many records, and gets the one of the first; said of both is so much."""
        rows = np.zeros((3, k), dtype=np.int64)
        rows[:, :2] = (1, has), (0, has + 1), said
        rows[:, -1] += n - rows.sum(axis=1)
        return cls(*rows)


class KnownRates(NamedTuple):
    """The rates of many datasets at once, unchecked. For two categories their logarithm is concave in the first count
    from 1 to n - 1. ``constant`` says that they are the same at all datasets of n records."""

    at: Callable[[Floats, Integers], Floats]
    constant: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism:
    r"""A release mechanism as a value.

    ``promise`` is what is proved for every prior and n, ``guarantee(prior, n)`` what is proved there (None: nothing);
    what it really leaks is for ``audit`` to say. ``law(prior, counts)`` is its exact output law at a dataset and
    ``sample(prior, counts, rng, size)`` draws from it, shape (size, k). ``laws(prior, n)``, if given, is the law of
    every dataset in the order of ``count_vectors``, for speed. ``rate(prior, counts)``, if given, is the number
    \(\lambda\) of a law \(\Pr[r] \propto \exp(-\lambda H(x, r))\): with it no list of outputs is needed.
    ``line(prior, counts)``, if given, is the law of the moves when there are two categories: with it errors are summed
    at any number of records.

    Audits without a list need one of two facts: ``rates``, if given, says how the rate depends on the dataset;
    ``attained(n, k)``, if given, is where the loss is all that the guarantee allows, or None.

    >>> from dpbi import lshist
    >>> lshist(0.8)
    <Mechanism lshist, promises PureDP(epsilon=0.8)>
    """

    name: str
    promise: Guarantee | None
    law: Callable[[ArrayLike, ArrayLike], Law]
    sample: Callable[..., Integers]
    guarantee: Callable[[ArrayLike, int], Guarantee | None]
    laws: Callable[[ArrayLike, int], Law] | None = None
    rate: Callable[[ArrayLike, ArrayLike], float] | None = None
    line: Callable[[ArrayLike, ArrayLike], Line] | None = None
    rates: KnownRates | None = None
    attained: Callable[[int, int], Place | None] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", _checked(self.law, many=False))
        if self.laws is not None:
            object.__setattr__(self, "laws", _checked(self.laws, many=True))

    @classmethod
    def from_table(cls, name: str, n: int, outputs: ArrayLike, probabilities: ArrayLike) -> "Mechanism":
        """The mechanism that a table of probabilities describes, at n records and every prior.

        Nothing is promised of it: ``audit`` says what it leaks.

        Args:
            name: How it is called in what is shown.
            n: The number of records of every dataset.
            outputs: The counts that may be released, shape (R, k), all rows distinct.
            probabilities: Those of the outputs, shape (D, R), for the datasets in the order of ``count_vectors(n, k)``.

        >>> from dpbi import audit
        >>> told = Mechanism.from_table("told", 1, [[0, 1], [1, 0]], [[0.75, 0.25], [0.25, 0.75]])
        >>> round(audit(told, prior=[1, 1], n=1).epsilon, 12)  # ln 3
        1.098612288668
        """
        released = checks.law_outputs(outputs)
        (size, k), n = released.shape, checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
        table = arithmetic.approximate(checks.simplex("probabilities", probabilities, size))
        datasets = lattice_size(n, k)
        if table.shape != (datasets, size):
            allowed = f"a row for each of the {datasets} datasets of n={n} records in {k} categories"
            raise ValueError(f"probabilities must have {allowed}, got shape {table.shape}")
        with np.errstate(divide="ignore"):
            log_p = np.log(table)

        def of_this_size(prior: ArrayLike, found: int) -> None:
            weights = checks.prior_weights(prior)
            if (found, len(weights)) != (n, k):
                allowed = f"n={n} and {k} categories, of which its table is"
                raise ValueError(f"{name} must have {allowed}, got n={found} and {len(weights)} categories")

        def law(prior: ArrayLike, counts: ArrayLike) -> Law:
            _, x = checks.dataset(prior, counts)
            of_this_size(prior, int(x.sum()))
            return Law.known(released, log_p[row_number(x)])

        def laws(prior: ArrayLike, n: int) -> Law:
            of_this_size(prior, n)
            return Law.known(released, log_p)

        def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
            return law(prior, counts).draw(rng, size)

        return cls(name, None, law, sample, lambda prior, n: None, laws)

    def __repr__(self) -> str:
        promised = "promises nothing for every prior and n" if self.promise is None else f"promises {self.promise}"
        return f"<Mechanism {self.name}, {promised}>"


def _checked(function: Callable[..., Any], many: bool) -> Callable[..., Law]:
    """The law of one dataset or of all, as a function that refuses what is no law over the categories of the prior."""
    name = "laws(prior, n)" if many else "law(prior, counts)"

    @wraps(function)
    def found(prior: ArrayLike, given: Any) -> Law:
        law, k = function(prior, given), np.size(prior)
        datasets: tuple[int, ...] = (lattice_size(given, k),) if many else ()
        allowed = f"a Law of {datasets[0] if many else 'one'} dataset{'s' * many}"
        if not isinstance(law, Law):
            raise TypeError(f"{name} must return {allowed}, got {law!r}")
        if law.log_probabilities.shape[:-1] != datasets or law.outputs.shape[1] != k:
            raise ValueError(f"{name} must return {allowed} in {k} categories, got {law!r}")
        return law

    return found


def a_mechanism(value: object) -> Mechanism:
    """Checks that an argument is a mechanism, and not the function that makes one.

    >>> from dpbi import lshist
    >>> a_mechanism(lshist(0.8)).name
    'lshist'
    """
    if not isinstance(value, Mechanism):
        raise TypeError(f"mechanism must be a Mechanism, lshist(0.8) for instance, got mechanism={value!r}")
    return value


def setting(prior: ArrayLike, n: int) -> Floats:
    """The prior weights, after a look at n too."""
    checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    return checks.prior_weights(prior)


def always(promise: Guarantee) -> Callable[[ArrayLike, int], Guarantee]:
    """The guarantee of a mechanism that promises the same for every prior and n."""

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        setting(prior, n)
        return promise

    return guarantee


def all_laws(mechanism: Mechanism, prior: ArrayLike, n: int) -> tuple[Integers, Law]:
    """All datasets of n records, and one table of their laws: a row per dataset, a column per output of any of them.

    An output that a dataset lacks has probability zero there.

    >>> from dpbi import geometric
    >>> all_laws(geometric(1.0), [1, 1], 2)[1].probabilities.round(4).tolist()
    [[0.7311, 0.17, 0.0989], [0.2689, 0.4621, 0.2689], [0.0989, 0.17, 0.7311]]
    """
    weights, n = setting(prior, n), checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    vectors = count_vectors(n, len(weights))
    laws = a_mechanism(mechanism).laws
    if laws is not None:
        return vectors, laws(weights, n)
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
