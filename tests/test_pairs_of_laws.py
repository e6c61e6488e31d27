"""What is no pair of laws on the same outputs is refused in one sentence."""

import math

import pytest

import dpbi
from dpbi.guarantees import hockey_stick_divergence

OF_TWO_LAWS = {
    "hockey stick": lambda p, q: hockey_stick_divergence(p, q, 0.3),
    "table": lambda p, q: dpbi.audit_table([p, q], [(0, 1)]),
}
NO_LAWS = {
    "sum": ([0.5, 0.4], "the sum 1"),
    "negative": ([1.5, -0.5], ">= 0"),
    "nan": ([math.nan, 0.5], ">= 0"),
    "other outputs": ([0.3, 0.3, 0.4], "outputs of p|one-dimensional of one length|one length"),
}


@pytest.mark.parametrize("kind", NO_LAWS)
@pytest.mark.parametrize("function", OF_TWO_LAWS)
def test_what_is_no_pair_of_laws_is_one_clear_error(function, kind):
    law, said = NO_LAWS[kind]
    for pair in ((law, [0.5, 0.5]), ([0.5, 0.5], law)):
        with pytest.raises(ValueError, match=said):
            OF_TWO_LAWS[function](*pair)
