r"""Verdicts in words: Markdown sentences computed from a claim, for pages that must never say more than was found."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .claim import (
    CONDITIONAL,
    HOLDS,
    NOT_CHECKABLE,
    NOT_REPRODUCED,
    NOT_WELL_FORMED,
    OFF,
    PROVED,
    REFUTED,
    ROUNDING,
    Claim,
    Verdict,
)

LETTERS = {
    "prior": r"\alpha",
    "counts": "x",
    "neighbour": "x'",
    "epsilon": r"\varepsilon",
    "gamma": r"\gamma",
    "delta": r"\delta",
    "epsilon2": r"\varepsilon'",
    "theta": r"\theta",
    "lam": r"\lambda",
    "mu": r"\mu",
    "rho": r"\rho",
    "sigma": r"\sigma",
    "tau": r"\tau",
    "proposal": r"\theta'",
    "ratio": r"\lambda",
    "alpha": r"\alpha",
    "step": r"\Delta",
    "c1": "c_1",
    "c2": "c_2",
    "L0": "L_0",
    "level": "e^L",
    "least": r"\varepsilon",
    "xi": r"\xi",
    "factor": r"e^{\varepsilon}",
    "factor2": r"e^{\varepsilon'}",
    "delta2": r"\delta'",
    "half": "h",
    "coins": "R - 1",
}
"""How the parameters of a case are written; any other name is a letter already."""

ASKED = {"<": "less than {}", "<=": "at most {}", "=": "{}", ">=": "at least {}", ">": "more than {}", "≈": "{}"}
"""What a relation asks of the exact side."""


def about(*names: str) -> str:
    """A list: each claim named, with its statement and verdict, and below it what is claimed instead."""
    from . import BY_ID, CLAIMS

    lines = []
    for name in names:
        lines.append(_item(BY_ID[name], BY_ID[name].source.partition(", ")[2]))
        lines += ["  " + _item(claim, "Instead") for claim in CLAIMS if claim.corrects == name]
    return "\n".join(lines)


def verdict(claim: Claim) -> str:
    """The verdict of a claim, with its reason and its evidence."""
    word = claim.verdict()
    said = f"**{word[0].upper()}{word[1:]}**"
    if word == OFF:
        return f"{said}: {disagreement(claim)}."
    if word in (NOT_WELL_FORMED, NOT_CHECKABLE):
        return f"{said}: {tex(claim.reason)}."
    if word in (REFUTED, NOT_REPRODUCED):
        return f"{said}{_surely(claim)}. {_failing(claim)}"
    if word == CONDITIONAL:
        inside = "proved if" if claim.proof else "it holds in all cases in which"
        return f"{said}: {inside} {tex(claim.reason)}. {_failing(claim)}"
    number = f"{len(claim.cases)} {'case' if len(claim.cases) == 1 else 'cases'}"
    checked = f", {number}" if word == HOLDS else f" and computed in {number}" if word == PROVED else ""
    return f"{said}{checked}{_surely(claim)}.{_nearest(claim)}"


def check(claim: Claim, **case: Any) -> str:
    """Whether a claim holds at one case, with both of its sides."""
    found = claim.check(**case)
    kept = "It **holds**" if found.holds else "It **fails**" if found.met else "Its **premise is not met**"
    if not found.inside:
        kept = "Its **premise is not met**"
    if not found.agrees:
        return f"**The library is off**: {disagreement(claim, found)}."
    return f"{kept} at {sides(claim, found)}{' (certified)' if found.certified else ''}."


def disagreement(claim: Claim, found: Verdict | None = None) -> str:
    """Which functions are off, and where: at one case, or at the first at which doubles and intervals disagree."""
    found = found or next(v for v in claim.verdicts if not v.agrees)
    names = claim.called.replace(", ", "`, `")
    return (
        f"`{names}` give {number(found.exact)} and {number(found.bound)} in doubles at {at(found.case)}, "
        "and intervals show that not both are right to the digits they state"
    )


def counterexample(claim: Claim) -> Verdict | None:
    """The failing case with the fewest records, a certified one if there is one; None if no case fails."""
    failing = claim.failing
    return min([v for v in failing if v.certified] or failing, key=_records, default=None)


def sides(claim: Claim, found: Verdict) -> str:
    """Where it was computed, the exact side, and what the claim asks of it; three digits, or as many as it takes."""
    shown = ((number(found.exact, digits), number(found.bound, digits)) for digits in (3, 4, 5, 6))
    exact, bound = next(
        (pair for pair in shown if pair[0] != pair[1]), (number(found.exact, 3), number(found.bound, 3))
    )
    if exact == bound and claim.relation != "=":
        exact += " (equal in the digits shown)"
    return f"{at(found.case)}, where {exact} is claimed to be {ASKED[claim.relation].format(bound)}"


def sentence(statement: str) -> str:
    r"""A statement with its words outside the formulas and a gap between formulas, so that lines can break there.

    >>> sentence(r"\text{loses at most } \varepsilon/2 \ (k = 2), \quad 2\varepsilon/k \ (k \ge 3)")
    'loses at most $\\varepsilon/2 \\ (k = 2)$, $2\\varepsilon/k \\ (k \\ge 3)$'
    """
    if r"\left" in statement:
        return f"${statement}$"
    said = ""
    for text, words in _parts(statement):
        piece = text if words else _formulas(text)
        apart = said and piece and not said[-1].isspace() and piece[0] not in " -,.;:)"
        said += " " * bool(apart) + piece
    return said.strip()


def link(claim: Claim) -> str:
    """The id of a claim, leading to its entry in the ledger."""
    return f"[`{claim.id}`](#claim-{re.sub(r'[^a-z0-9]+', '-', claim.id)})"


def at(case: Any) -> str:
    r"""The parameters of a case, as formulas.

    >>> at({"prior": (1, 0.5), "n": 2, "epsilon": 1e-7})
    '$\\alpha = (1, 0.5)$, $n = 2$, $\\varepsilon = 10^{-7}$'
    """
    shown = {name: value for name, value in case.items() if value is not None and name != "printed"}  # it is the bound
    return ", ".join(f"${_letter(name)} = {_value(value)}$" for name, value in shown.items())


def number(value: float, digits: int = 6) -> str:
    r"""A number in TeX-safe Markdown, with at most that many significant digits.

    >>> number(2 / 3), number(123456789), number(1.5e-9)
    ('0.666667', '$1.23457 \\cdot 10^{8}$', '$1.5 \\cdot 10^{-9}$')
    """
    text = f"{value:.{digits}g}"
    return f"${_power(text)}$" if "e" in text else text


def onwards(letter: str, first: int | None, last: int) -> str:
    """From which number on something is so, if it is for any up to the last.

    >>> onwards("N", 11, 100), onwards("N", None, 100)
    ('from $N$ = 11 on', 'for no $N$ up to 100')
    """
    return f"for no ${letter}$ up to {last}" if first is None else f"from ${letter}$ = {first} on"


def listed(letter: str, values: Iterable[int]) -> str:
    """At which numbers something is so.

    >>> listed("K", [2, 3]), listed("K", [])
    ('at $K$ = 2, 3', 'at no $K$ here')
    """
    return f"at ${letter}$ = {shown}" if (shown := ", ".join(map(str, values))) else f"at no ${letter}$ here"


def counted(count: int, what: str) -> str:
    """So many things, and the verb for what they cost.

    >>> counted(1, "draw"), counted(5, "draw")
    ('The one draw costs', 'The 5 draws together cost')
    """
    return f"The one {what} costs" if count == 1 else f"The {count} {what}s together cost"


def falls(what: str, letter: str, power: float) -> str:
    """By which power something falls, if it does.

    >>> falls("It", "N", -0.5), falls("It", "N", 2.1e-15), falls("It", "N", math.nan)
    ('It falls like $N$ to the power -0.5.', 'It does not depend on $N$ here.', 'One $N$ shows no power.')
    """
    if math.isnan(power):
        return f"One ${letter}$ shows no power."
    if abs(power) < 1e-6:
        return f"{what} does not depend on ${letter}$ here."
    return f"{what} {'falls' if power < 0 else 'rises'} like ${letter}$ to the power {power:.3g}."


def tex(text: str) -> str:
    r"""Formulas between dollars, as Markdown has them, in place of \(...\) as docstrings have them."""
    return re.sub(r"\\\((.*?)\\\)", lambda found: f"${found[1].strip()}$", text, flags=re.DOTALL)


def _parts(statement: str) -> Iterator[tuple[str, bool]]:
    r"""The formulas and the words of a statement in turn; words are in a \text that is inside no brackets."""
    start = end = depth = 0
    while end < len(statement):
        plain = re.compile(r"\\text\{([^{}\\$]*)\}").match(statement, end)
        if plain and depth == 0:
            yield statement[start:end], False
            yield plain[1], True
            start = end = plain.end()
            continue
        escaped = statement[end] == "\\"
        depth += 0 if escaped else ("([{".count(statement[end]) - ")]}".count(statement[end]))
        end += 2 if escaped else 1
    yield statement[start:], False


def _formulas(text: str) -> str:
    r"""Formulas between dollars, parted inside no brackets: at a \quad, at a comma with a space, before an arrow."""
    pieces, depth = [""], 0
    for token in re.findall(r"\\q?quad(?![a-z])|\\implies(?![a-z])|, ?\\ |\\.|.", text, flags=re.DOTALL):
        depth += len(token) == 1 and "([{".count(token) - ")]}".count(token)
        if depth == 0 and (token in (r"\quad", r"\qquad") or (token.endswith("\\ ") and token[0] == ",")):
            pieces[-1] += "," * token.startswith(",")
            pieces.append("")
        elif depth == 0 and token == r"\implies":
            pieces.append(token)
        else:
            pieces[-1] += token
    space = r"(?:\s|\\[ ,;!])*"
    gap = re.compile(f"^{space}(.*?){space}([,:;]?){space}$", re.DOTALL)
    shown = [gap.sub(lambda m: f"${m[1]}${m[2]}" if m[1] else m[2], piece) for piece in pieces]
    return " ".join(piece for piece in shown if piece)


def _item(claim: Claim, name: str) -> str:
    return f"- *{name}* ({link(claim)}): {sentence(claim.statement)}. {verdict(claim)}"


def _failing(claim: Claim) -> str:
    found = counterexample(claim)
    return "" if found is None else f"Smallest counterexample listed: {sides(claim, found)}."


def _nearest(claim: Claim) -> str:
    """Where the two sides come nearest; where they meet, only that they do, for rounding would choose the case."""
    equal = [v for v in claim.verdicts if abs(v.margin) <= ROUNDING * max(abs(v.exact), abs(v.bound), 1e-6)]
    if claim.relation == "=":
        return ""
    if equal:
        return f" With equality at {at(equal[0].case)}."
    nearest = claim.evidence
    return "" if nearest is None else f" Nearest: {sides(claim, nearest)}.{sharpness(claim)}"


def sharpness(claim: Claim) -> str:
    """How sharp a proved bound is: by its witness, or that none is known, with the factor at the nearest case."""
    if not (claim.proof and claim.bounds):
        return ""
    if claim.tight is not None:
        return f" Sharp: within {number(100 * max(claim.nearest, 1e-4), 2)} % at {at(claim.tight)}."
    at_best = f"at best a factor {number(claim.factor, 3)}" if claim.factor < float("inf") else "one side vanishes"
    return f" Not sharp: {at_best}."


def _surely(claim: Claim) -> str:
    return " (certified)" if claim.certified else ""


def _records(found: Verdict) -> float:
    case = found.case
    return float(sum(case["counts"]) if case.get("counts") else case.get("n", 0))


def _letter(name: str) -> str:
    return LETTERS.get(name, name if len(name) == 1 else rf"\text{{{name}}}")


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_value(entry) for entry in value) + ")"
    if isinstance(value, str):
        return rf"\text{{{value}}}"
    if isinstance(value, int):
        return f"{value:,}".replace(",", r"\,")
    return _power(f"{float(value):.12g}")


def _power(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"
