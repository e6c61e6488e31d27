r"""The base class of all mechanisms.

A mechanism is an instance of a frozen dataclass whose fields are the parameters of the mechanism. Each public method of
``Mechanism`` checks its arguments and passes them to the method of the same name with a leading underscore, which does
not check them again. A subclass must define ``_law``. A subclass overrides another underscore method only to improve on
the default.

The prior and n are public, and neighbouring datasets differ in one replaced record. The method ``sample`` uses floating
point and a pseudo-random generator, so its draws are for study and not for release.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..checks import Floats, Integers
from ..guarantees import Guarantee, PureDP
from ..model.datasets import in_chunks, lattice, row_number, within_enumeration
from .law import Law, Line, Witness, distinct_outputs


class Mechanism(checks.Checked, ABC):
    r"""A release mechanism.

    A subclass is a frozen dataclass, so mechanisms are compared, hashed, printed and pickled according to their
    parameters. The metadata of a numeric field contain the bounds on the parameter, with the keywords of
    ``checks.real``. A class that defines ``_law`` does not inherit a promise, or any other method that describes the
    distribution (``_laws``, ``_sample``, ``_rate``, ``_line``, ``attained``), from a class with another ``_law``. A
    class that is marked as final must not have subclasses, and a method that is marked as final must not be overridden.

    >>> from dpbi import lshist
    >>> lshist(0.8), lshist(0.8) == lshist(0.8), lshist(0.8).promise
    (lshist(epsilon=0.8), True, PureDP(epsilon=0.8))
    """

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        for base in cls.__mro__[1:]:
            refusal = f"{base.__name__} must not have subclasses, which would inherit its promise, got {cls.__name__}"
            checks.need(not vars(base).get("__final__"), f"{refusal}: derive from Mechanism", TypeError)
            # a class that stands before this base in the method resolution order may hide a final method, too
            final_here = [name for name, made in vars(base).items() if getattr(made, "__final__", False)]
            kept = [name for name in final_here if inspect.getattr_static(cls, name) is not vars(base)[name]]
            if kept:
                raise TypeError(f"{kept[0]} of {base.__name__} must not be overridden: its promise depends on it")
        own = isinstance(vars(cls).get("promise", Mechanism.promise), property)
        checks.need(own, f"promise of {cls.__name__} must be a property, got something else", TypeError)
        # a method describes another law if only classes after the class of ``_law`` in the method resolution order
        # define it
        law = next(place for place, base in enumerate(cls.__mro__) if "_law" in vars(base))
        described = {name for base in cls.__mro__[: law + 1] for name in vars(base)}
        for name in DESCRIPTIONS - described:
            setattr(cls, name, vars(Mechanism)[name])

    def __new__(cls, *args: Any, **named: Any) -> Self:
        made, words = vars(cls), [cls.__name__, "must be a frozen dataclass: write @dataclass(frozen=True) above it"]
        fields = [name for name, kind in made.get("__annotations__", {}).items() if "ClassVar" not in str(kind)]
        # an undecorated class is accepted if it adds no fields and no __init__ that would hide inherited fields
        known = made.get("__dataclass_params__")
        hidden = known is None and "__init__" in made and hasattr(cls, "__dataclass_params__")
        if hidden or (fields and known is None) or (known is not None and not known.frozen):
            raise TypeError(" ".join(words))
        return super().__new__(cls)

    @property
    def name(self) -> str:
        """Name of the mechanism: the name of the class, with further words where variants must be distinguished."""
        return type(self).__name__

    @property
    def promise(self) -> Guarantee | None:
        """Privacy guarantee that is proved for every prior and n, or None if there is none."""
        return None

    def promise_at(self, prior: ArrayLike, n: int) -> Guarantee | None:
        """Privacy guarantee that is proved for one prior and n, or None if there is none.

        The function ``audit`` computes the actual privacy loss.

        Args:
            prior: Dirichlet parameters, k >= 2 positive finite numbers.
            n: Number of records, a nonnegative integer.
        """
        found = self._promise_at(checks.prior_weights(prior), checks.record_count(n))
        checks.need(found is None or isinstance(found, Guarantee), f"_promise_at must return a guarantee, got {found}")
        return found

    def _promise_at(self, weights: Floats, n: int) -> Guarantee | None:
        return self.promise

    def law(self, prior: ArrayLike, counts: ArrayLike) -> Law:
        """Exact distribution of the output at one dataset.

        Args:
            prior: Dirichlet parameters, k >= 2 positive finite numbers.
            counts: Dataset, k nonnegative integers.

        Returns:
            The distribution, accurate to about 1e-12 in doubles.
        """
        weights, x = checks.dataset(prior, counts)
        return _returned("_law", self._law(weights, x), "one dataset", (), len(x))

    @abstractmethod
    def _law(self, weights: Floats, x: Integers) -> Law: ...

    def laws(self, prior: ArrayLike, n: int) -> Law:
        """Output distributions at all datasets of n records, with rows in the order of ``count_vectors``.

        Args:
            prior: Dirichlet parameters, k >= 2 positive finite numbers.
            n: Number of records, a nonnegative integer.

        Returns:
            The distributions, with one column for each output that is possible at some dataset.
        """
        weights, size = checks.prior_weights(prior), checks.record_count(n)
        law, datasets = self._laws(weights, size), math.comb(size + len(weights) - 1, len(weights) - 1)
        return _returned("_laws", law, f"{datasets} datasets", (datasets,), len(weights))

    def _laws(self, weights: Floats, n: int) -> Law:
        vectors = lattice(n, len(weights))
        rows = [self.law(weights, vectors[0])]
        within_enumeration(len(vectors), len(rows[0].outputs), n, len(weights))  # before the other laws are computed
        rows += [self.law(weights, x) for x in vectors[1:]]
        # the lists of outputs may differ, and are merged
        shared, where = np.unique(np.concatenate([row.outputs for row in rows]), axis=0, return_inverse=True)
        log_p = np.full((len(rows), len(shared)), -np.inf, dtype=np.float64 if arithmetic.in_doubles() else object)
        dataset = np.repeat(np.arange(len(rows)), [len(row.outputs) for row in rows])
        log_p[dataset, where.ravel()] = np.concatenate([row.log_probabilities for row in rows])
        return Law.known(shared, log_p)

    def sample(self, prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        """Random draws of the output at one dataset, which are for study and not for release.

        Args:
            prior: Dirichlet parameters, k >= 2 positive finite numbers.
            counts: Dataset, k nonnegative integers.
            rng: Random number generator.
            size: Number of draws.

        Returns:
            Released counts, shape (size, k).
        """
        weights, x = checks.dataset(prior, counts)
        return self._sample(weights, x, checks.generator(rng), checks.whole("size", size, least=0))

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        return self.law(weights, x).draw(rng, size)

    def rate(self, prior: ArrayLike, counts: ArrayLike) -> Floats | None:
        r"""Rate \(\lambda\) of a distribution \(\Pr[r] \propto \exp(-\lambda H(x, r))\) over all count vectors r.

        From the rate, errors can be computed without a list of the outputs, and privacy losses without a table of all
        distributions.

        Args:
            prior: Dirichlet parameters, k >= 2 positive finite numbers.
            counts: One or more datasets with equal totals, k nonnegative integers on the last axis.

        Returns:
            One rate for each dataset, with the leading axes of ``counts``, or None if the distribution does not have
            this form.
        """
        weights = checks.prior_weights(prior)
        x = checks.count_vector(counts, len(weights))
        totals = np.unique(x.sum(axis=-1)).tolist()
        checks.need(len(totals) == 1, f"counts must be datasets with the same total, got the totals {totals}")
        return self.finite_rate(weights, x) if self.has_rate else None

    def finite_rate(self, weights: Floats, x: Integers) -> Any:
        """The rates of an exponential mechanism, one number for each dataset; arguments are not checked."""
        found = np.asarray(self._rate(weights, x))
        if found.shape not in ((), x.shape[:-1]) or not (found.dtype == object or np.isfinite(found).all()):
            raise ValueError(f"_rate must return a finite number for each dataset, got {found!r}")
        return np.broadcast_to(found, x.shape[:-1]) if x.ndim > 1 else arithmetic.scalar(found)

    def _rate(self, weights: Floats, x: Integers) -> Any:
        return None

    @property
    def has_rate(self) -> bool:
        """Whether ``rate`` returns rates rather than None."""
        return type(self)._rate is not Mechanism._rate

    def line(self, prior: ArrayLike, counts: ArrayLike) -> Line | None:
        """Distribution of the change in the first of two counts, or None if it is not implemented.

        Errors at any n are computed from this distribution.

        Args:
            prior: Dirichlet parameters, two positive finite numbers.
            counts: Dataset, two nonnegative integers.
        """
        return self._line(*checks.dataset(prior, counts))

    def _line(self, weights: Floats, x: Integers) -> Line | None:
        return None

    def attained(self, n: int, k: int) -> Witness | None:
        """Neighbours and an output whose privacy loss equals ``promise_at`` for every prior, or None if unknown."""
        return None

    @classmethod
    def checked(cls, value: Any) -> Self:
        """Checks that an argument is a ``Mechanism`` and not, for example, a class of mechanisms.

        >>> Mechanism.checked(0.8)
        Traceback (most recent call last):
        TypeError: mechanism must be a Mechanism, lshist(0.8) for instance, got mechanism=0.8
        """
        return cast(Self, checks.typed("mechanism", value, cls, "a Mechanism, lshist(0.8) for instance"))

    @staticmethod
    def from_table(name: str, n: int, outputs: ArrayLike, probabilities: ArrayLike) -> Tabulated:
        """A mechanism that is defined by a table of probabilities, for n records and every prior.

        The mechanism has no promise, but ``audit`` computes its privacy loss.

        Args:
            name: Name of the mechanism, for display.
            n: Number of records in every dataset.
            outputs: Counts that may be released, shape (R, k), with distinct rows.
            probabilities: Probabilities of the outputs, shape (D, R), one row for each dataset in the order of
                ``count_vectors(n, k)``.

        Returns:
            The mechanism, whose methods raise ``ValueError`` for any other n or number of categories.

        >>> from dpbi import audit
        >>> truthful = Mechanism.from_table("truthful", 1, [[0, 1], [1, 0]], [[0.75, 0.25], [0.25, 0.75]])
        >>> round(audit(truthful, prior=[1, 1], n=1).epsilon, 12)  # ln 3
        1.098612288668
        """
        released = distinct_outputs(outputs).copy()
        (size, k), n = released.shape, checks.record_count(n)
        table = arithmetic.approximate(checks.simplex("probabilities", probabilities, size))
        datasets = len(lattice(n, k))
        allowed = f"a row for each of the {datasets} datasets of n={n} records in {k} categories"
        checks.need(table.shape == (datasets, size), f"probabilities must have {allowed}, got shape {table.shape}")
        with np.errstate(divide="ignore"):
            law = Law.known(released, np.log(table))
        released.flags.writeable = law.log_probabilities.flags.writeable = False  # laws share these arrays
        return Tabulated(n, law, (released.tobytes(), law.log_probabilities.tobytes()), name)


DESCRIPTIONS = frozenset(["promise", "_promise_at", "_laws", "_sample", "_rate", "_line", "attained"])
"""Names of the properties and methods, other than ``_law``, that describe the distribution of the output."""


def _returned(name: str, law: Any, what: str, shape: tuple[int, ...], k: int) -> Law:
    """Checks that a method of a subclass has returned a ``Law`` in k categories with the given leading shape."""
    checks.need(isinstance(law, Law), f"{name} must return a Law of {what}, got {checks.brief(law)}", TypeError)
    good = law.log_probabilities.shape[:-1] == shape and law.outputs.shape[1] == k
    checks.need(good, f"{name} must return a Law of {what} in {k} categories, got {checks.brief(law)}")
    return cast(Law, law)


@dataclass(frozen=True)
class Tabulated(Mechanism):
    """A mechanism that is defined by a table of distributions, which ``Mechanism.from_table`` has checked."""

    n: int
    table: Law = field(compare=False)
    content: tuple[bytes, bytes] = field(repr=False)  # the bytes of the table, by which mechanisms are compared
    name: str = ""

    def _laws(self, weights: Floats, n: int) -> Law:
        if (n, len(weights)) != (self.n, k := self.table.outputs.shape[1]):
            allowed = f"n={self.n} and {k} categories, as its table has"
            raise ValueError(f"{self.name} must have {allowed}, got n={n} and {len(weights)} categories")
        return self.table

    def _law(self, weights: Floats, x: Integers) -> Law:
        rows = self._laws(weights, int(x.sum())).log_probabilities
        return Law.known(self.table.outputs, rows[row_number(x)])


@dataclass(frozen=True)
class Budgeted(Mechanism):
    """A mechanism with a privacy parameter epsilon; the base class of all classes in ``MECHANISMS``.

    >>> class truth(Budgeted):
    ...     def _law(self, weights, x):
    ...         return Law([x], [0.0])
    >>> truth(0.8).epsilon, truth(0.8).promise
    (0.8, None)
    """

    epsilon: float = field(metadata={"above": 0})

    arguments: ClassVar[Mapping[str, Any]] = {}
    """Example values of the required parameters other than epsilon."""

    @classmethod
    def at(cls, epsilon: float) -> Self:
        """The mechanism with a given epsilon and the other parameters in ``arguments``."""
        return cls(epsilon, **cls.arguments)


EPSILON_DP: Any = property(lambda mechanism: PureDP(mechanism.epsilon))
"""The property ``promise`` of a mechanism that is epsilon-differentially private for every prior and n."""


class Vectorised(Mechanism):
    """A mechanism whose output distributions at many datasets are computed together by the method ``_at``.

    The class has no promise, because ``_at`` may return any distribution. Each subclass states its own promise.
    """

    @abstractmethod
    def _at(self, weights: Floats, x: Integers) -> Law:
        """Output distribution at one dataset, or at several datasets with equal totals on the first axis."""

    def _outputs(self, weights: Floats, n: int) -> Integers:
        """Outputs for datasets of n records, by default the datasets themselves."""
        return lattice(n, len(weights))

    def _columns(self, outputs: Integers) -> int:
        """Number of entries that ``_at`` computes for each dataset."""
        return len(outputs)

    def _law(self, weights: Floats, x: Integers) -> Law:
        return self._at(weights, x)

    def _laws(self, weights: Floats, n: int) -> Law:
        datasets = lattice(n, len(weights))
        outputs = self._outputs(weights, n)
        within_enumeration(len(datasets), len(outputs), n, len(weights))
        table = in_chunks(datasets, self._columns(outputs), lambda rows: self._at(weights, rows).log_probabilities)
        return Law.known(outputs, table)


def all_laws(mechanism: Mechanism, prior: ArrayLike, n: int) -> tuple[Integers, Law]:
    """Output distributions of a mechanism at all datasets of n records, in one table.

    Args:
        mechanism: A mechanism, for example ``geometric(1.0)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.

    Returns:
        The datasets, shape (D, k), and the table, with one row for each dataset and one column for each output that is
        possible at some dataset. An output that is impossible at a dataset has probability 0 in the row of that
        dataset.

    >>> from dpbi import geometric
    >>> all_laws(geometric(1.0), [1, 1], 2)[1].probabilities.round(4).tolist()
    [[0.7311, 0.17, 0.0989], [0.2689, 0.4621, 0.2689], [0.0989, 0.17, 0.7311]]
    """
    laws = Mechanism.checked(mechanism).laws(prior, n)
    return lattice(int(n), laws.outputs.shape[1]), laws
