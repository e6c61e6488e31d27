"""The errata of the notes: at the case of each the print fails, over balls as well, which are another arithmetic."""

import pytest

from dpbi.claims.notes.errata import ERRATA
from dpbi.claims.statements import evaluated


@pytest.mark.parametrize("erratum", [each for each in ERRATA if each.check], ids=lambda erratum: erratum.where)
def test_what_is_printed_fails_for_certain(erratum):
    [mark] = evaluated(erratum.where, erratum.check, {}).marks
    assert mark.certain
    assert not mark.holds
    assert not mark.off
