"""The errata of the notes and of the Hellinger paper: at the case of each the print fails, over balls as well."""

import pytest

from dpbi.claims.hellinger import ERRATA as PAPER
from dpbi.claims.notes.errata import ERRATA as NOTES
from dpbi.claims.statements import evaluated

BY_DRAWS = "Figure 4, caption and Section 6.2"  # there is nothing to enclose


@pytest.mark.parametrize("each", [row for row in NOTES + PAPER if row.check], ids=lambda each: each.where)
def test_what_is_printed_fails_at_the_case(each):
    [mark] = evaluated(each.where, each.check, {}).marks
    assert not mark.holds
    assert not mark.off
    assert mark.certain or each.where == BY_DRAWS
