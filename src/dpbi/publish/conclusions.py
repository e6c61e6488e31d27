"""From receipts to conclusions: releases of the same records put together, without the records."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..inference import Joint, Noisy, given_releases
from .budget import price_in
from .folders import receipt_in
from .receipts import drawn_by, legible, parts, released_prior


def joint_posterior(
    releases: Sequence[str | os.PathLike[str] | Mapping[str, Any]],
    prior: ArrayLike | None = None,
    columns: Sequence[str] | None = None,
) -> Joint:
    """The posterior of all shares given releases of the same records, by their folders or receipts.

    All must be about the same categories and the same number of records; of tables, the question about ``columns``. The
    prior is that of the first, unless one is given.

    >>> from dpbi import release
    >>> spring = [release(["a", "a", "b"], ["a", "b"], [1, 1], "1/2").receipt for _ in range(2)]
    >>> round(sum(share.mean for share in joint_posterior(spring).shares), 12)
    1.0
    """
    if isinstance(releases, str | os.PathLike | Mapping) or not releases:
        raise ValueError("releases must be a list of at least one folder or receipt")
    asked = [_asked(dict(one) if isinstance(one, Mapping) else receipt_in(one), columns) for one in releases]
    first = asked[0]
    for number, (receipt, told) in enumerate(asked[1:], start=2):
        for what in ("categories", "n"):
            if receipt[what] != first[0][what]:
                raise ValueError(f"releases must have the same {what}, {first[0][what]}, got {receipt[what]}")
        if None not in (told, first[1]) and told != first[1]:
            raise ValueError(f"releases must be of one data set, {first[1]}, got number {number} of {told}")
    alpha = released_prior(first[0]["prior"] if prior is None else prior, len(first[0]["categories"]))
    noisy = []
    for receipt, _ in asked:
        near = drawn_by(receipt["mechanism"]).told(receipt["noisy"], receipt["n"])
        noisy.append(Noisy(near, price_in(receipt["guarantee"]).epsilon, receipt["mechanism"]))
    return given_releases(alpha, first[0]["n"], noisy)


def _asked(receipt: dict[str, Any], columns: Sequence[str] | None) -> tuple[dict[str, Any], Any]:
    """The receipt of the question that is meant, and the name of the data set if it is known."""
    legible(receipt)
    journal = receipt.get("journal")
    name = journal.get("data") if isinstance(journal, Mapping) else None
    if "questions" not in receipt:
        if columns is not None:
            raise ValueError(f"columns must be left away for a release of one column, got {', '.join(columns)}")
        return receipt, name
    questions = [question["columns"] for question in receipt["questions"]]
    if columns is None or list(columns) not in questions:
        allowed = "; ".join(", ".join(one) for one in questions)
        raise ValueError(f"columns must be those of a question, of {allowed}, got {columns}")
    return parts(receipt)[questions.index(list(columns))], name
