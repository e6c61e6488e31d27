"""The errata of the Hellinger paper: at the case of each the printed side fails."""

import pytest

from dpbi.claims.hellinger import ERRATA
from dpbi.claims.statements import evaluated

CHECKED = [each for each in ERRATA if each.check]


@pytest.mark.parametrize("each", CHECKED, ids=[each.where for each in CHECKED])
def test_what_is_printed_fails_at_the_case(each):
    found = evaluated(each.where, each.check, {})
    assert not found.printed.holds
    assert not found.off


def test_most_errata_have_a_case():
    assert len(CHECKED) == 6
    assert len({each.where for each in ERRATA}) == len(ERRATA) == 10
