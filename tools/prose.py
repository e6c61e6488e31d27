"""Count what makes the prose of the book hard to read, and list where.

    python tools/prose.py               a table of counts, page by page
    python tools/prose.py --list KIND   every place of one kind

The prose is the pages in the order of the book, sentences computed by notebooks, and the arguments of claims. Code,
formulas, tables, titles, and the words of statements are none of it.
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
LONG, DIGITS = 35, 4
"""Words of the longest sentence, and significant digits of the longest number in a sentence."""

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,}|:{3,})(.*)$")
PROSE = re.compile(r"\{(prf:\w+|admonition|dropdown|note|tip|important|warning|seealso|grid[\w-]*|tab-\w+|card)\}")
VISIBLE = re.compile(r"\{(?:figure|image)\}")
FORMULA = re.compile(r"\$\$.*?\$\$|(?<![\\$])\$(?!\$).+?(?<!\\)\$", re.DOTALL)
DISPLAY = re.compile(r"\$\$.*?\$\$|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)
BREAK = "\n\n"

PARTICIPLES = (
    "Absent|Asked|Best|Bounded|Called|Checked|Chosen|Claimed|Compared|Computed|Counted|"
    "Defined|Drawn|Exact|False|Found|Given|Gone|Held|Left|Looked|Lost|Marked|Meant|Measured|"
    "Missing|Named|Needed|Plotted|Printed|Proved|Read|Recorded|Released|Right|Said|Seen|Set|"
    "Shown|Stated|Told|True|Tried|Used|Wanted|Worst|Wrong"
)
PREPOSITIONS = (
    "Above|After|Against|Among|Around|At|Before|Behind|Below|Beside|Besides|Between|Beyond|"
    "By|For|From|In|Inside|Into|Of|On|Out|Outside|Over|Through|To|Towards|Under|Upon|"
    "With|Within|Without"
)
MOVES = r"(?:stands?|stood|lies?|lay|goes|go|comes?|came|belongs?|remains?|hangs?|begins?|follows?)"
SUBJECT = r"(?:the|a|an|what|all|no|one|two|three|four|each|every|only|its|their|those|nothing|whoever|that)\b"
INVERTED = re.compile(
    rf"(?!.*\?$)(?:(?:{PARTICIPLES})(?: \w+)? (?:is|are|was|were)\b"
    rf"|(?:{PREPOSITIONS})(?: [^\s,;:]+){{1,6}} {MOVES} {SUBJECT}"
    rf"|(?:{PREPOSITIONS})(?: [^\s,;:]+){{0,2}} (?!it |this |that |there |these |which )[^\s,;:]+ (?:is|are) "
    rf"{SUBJECT}"
    r"|Of (?:those|these) (?:that|who|which)\b|Who (?!is\b|are\b|was\b|has\b)\w+s\b"
    r"|(?:So|Nor|Neither|Not) (?:is|are|does|do|did|was|were|can|has|have)\b)"
)
"""Sentences that begin with what is said, and not with who or what it is said of; questions may."""

NUMBER = re.compile(r"(?<![\w.#/-])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w/])")
NAME = re.compile(r"(?<![\w$\\{.`/-])(?:[A-Z]{2,}[a-z]*|[A-Z]{2}[A-Za-z]{2,}|[a-z]{1,2}[A-Z]{2,})(?![\w.]*[\w(])")
PLAIN = re.compile(
    r"AND|BY|CC|COVID|GB|ID|II|III|IV|JAX|MB|NY|OK|OR|PDF|SQLite|SVG|TOML|UK|US|URL|UTF|VI|VII|XI|CPU|CSV|JSON|HTML|README"
)
"""Capitals that are no names of anything in this book."""

LETTER = re.compile(
    r"\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|varphi|psi|"
    r"omega|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega)(?![A-Za-z])|(?<![\\A-Za-z{])[A-Za-z](?![A-Za-z])"
)
COMMAND = re.compile(
    r"\\(?:text|mathrm|operatorname\*?|mathsf|mathtt|mathbf|mathcal|mathbb|boldsymbol|begin|end)\{[^}]*\}"
)
CONSTANT = frozenset({"e", "i", "j", "d", "O", "P", r"\Gamma", r"\Phi", r"\psi", r"\phi"})
"""Letters of formulas that stand for numbers, functions or indices that everyone knows."""

KINDS = {
    "inverted": "inverted openings",
    "long": f"sentences over {LONG} words",
    "digits": f"numbers of more than {DIGITS} digits in sentences",
    "symbols": "undefined symbols",
    "names": "names used before they are introduced",
}


class Place(NamedTuple):
    """A fault: the page, its kind, and the words where it is."""

    page: str
    kind: str
    words: str


# The texts


def pages() -> list[str]:
    """The pages written by hand, in the order of the book."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    chapters = [chapter for part in contents["parts"] for chapter in part["chapters"]]
    files = [each.get("file", "") for chapter in chapters for each in (chapter, *chapter.get("sections", ()))]
    return [page for page in [contents["root"], *files] if source(page) is not None]


def source(page: str) -> Path | None:
    return next((path for end in (".md", ".ipynb") if (path := ROOT / f"{page}{end}").is_file()), None)


def text(page: str) -> str:
    """What a page says: its Markdown, and for a notebook the sentences that its cells compute as well."""
    path = source(page)
    if path is None:
        raise ValueError(f"page must be one of the book, got page={page!r}")
    if path.suffix == ".md":
        return path.read_text("utf-8")
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append("".join(cell["source"]))
        parts += ["".join(output.get("data", {}).get("text/markdown", "")) for output in cell.get("outputs", [])]
        captions = cell["metadata"].get("mystnb", {})
        parts += [captions.get("figure", {}).get("caption", ""), captions.get("image", {}).get("alt", "")]
    return BREAK.join(parts)


def arguments() -> str:
    """The arguments of the claims, as one page."""
    from dpbi.claims import CLAIMS

    return BREAK.join(re.sub(r"\\[()]", "$", re.sub(r"\\[\[\]]", "$$", claim.notes)) for claim in CLAIMS)


def prose(markdown: str) -> str:
    """The paragraphs of a page, formulas left in."""
    kept: list[str] = []
    hidden = ""
    for line in markdown.splitlines():
        fence = FENCE.match(line)
        if hidden:
            hidden = "" if fence and fence[2].startswith(hidden) and not fence[3].strip() else hidden
            continue
        if fence:
            shown = PROSE.search(fence[3]) or VISIBLE.search(fence[3]) or fence[2][0] == ":" or not fence[3].strip()
            if not (shown or fence[3].strip() == "{glossary}"):
                hidden = fence[2]
            kept.append("")
        elif re.match(r"\s*(\||#|:[\w-]+:|<|\(\S+\)=|---|%|\$\$$)", line) and not line.lstrip().startswith("$$"):
            if alt := re.match(r":alt: (.*)", line):
                kept += ["", alt[1]]
            kept.append("")
        elif re.match(r"\s*([-*]|\d+\.) ", line):
            kept += ["", re.sub(r"^\s*([-*]|\d+\.) ", "", line)]
        else:
            kept.append(line)
    return "\n".join(kept)


def plain(paragraphs: str) -> str:
    """Formulas and code as one word each, links as their text."""
    words = DISPLAY.sub(" x ", paragraphs)
    words = FORMULA.sub("x", words)
    words = re.sub(r"\{cite(?::\w+)?\}`[^`]*`", "", words)
    words = re.sub(r"\{\w+(?::\w+)?\}`([^`<]*?)\s*<[^`>]*>`", r"\1", words)
    words = re.sub(r"\{\w+(?::\w+)?\}`[^`]*`", "Page", words)
    words = re.sub(r"`+[^`]+`+", "Code", words)
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", words)
    return re.sub(r"<[^>]+>|[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}(?![\w])", "", words)


def sentences(words: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", words):
        joined = " ".join(paragraph.split())
        joined = re.sub(r"\b(e\.g|i\.e|cf|vs|etc|al|No|Fig|Eq|Sec|p)\.", r"\1", joined)
        yield from filter(
            None,
            re.split(
                r"(?<=[.?!])[\")]?\s+(?=[\"(]?[A-Z0-9x]|\([ivx]+\))|(?<=[.?!][\")])\s+|;\s+|:\s+(?=[A-Z])", joined
            ),
        )


# The counts


def introduced(notation: str) -> frozenset[str]:
    """The letters that the first columns of the notation explain."""
    rows = re.findall(r"^\|([^|\n]*(?:\\lvert[^|\n]*)?)\|", notation, re.MULTILINE)
    return frozenset(letter for row in rows for formula in FORMULA.findall(row) for letter in letters(formula))


def letters(formula: str) -> list[str]:
    """The letters of a formula without those that only index another one."""
    bare = re.sub(r"(?<=[\w}])_(?:\{\\?\w+\}|[a-z](?![a-z]))", " ", COMMAND.sub(" ", formula.strip("$")))
    return [each for each in LETTER.findall(bare) if each not in CONSTANT]


def undefined(paragraphs: str, known: frozenset[str]) -> list[str]:
    """Letters of formulas that no sentence of the page sets, in the order in which they stand."""
    formulas = FORMULA.findall(paragraphs) + [
        match[0] for match in re.finditer(r"\\begin\{(\w+).*?\\end\{\1", paragraphs, re.DOTALL)
    ]
    here = set(known) | {letter for formula in formulas for letter in bound(formula)}
    for formula in formulas:  # a letter is set where it stands alone, or begins an equation or a range
        plain_letters = re.sub(r"\\math(?:cal|bb|sf)\s*(?=[A-Z])", "", formula)
        bare = re.sub(r"\([^()]*\)", "", COMMAND.sub(" ", plain_letters.strip("$ \n")))  # a function by its name alone
        for part in re.split(r",|\\q?quad|\\text|;|\\le |\\ge |<|>|=|\\in |\\sim |\\mid |\\cdot|&", bare):
            alone = re.fullmatch(rf"\s*({LETTER.pattern})(?:_\{{?[^}}]*\}}?|'|\^\w|\(.*?\))*\s*", part.strip())
            if alone:
                here.add(alone[1])
    return list(dict.fromkeys(each for formula in formulas for each in letters(formula) if each not in here))


def bound(formula: str) -> list[str]:
    """Letters that a formula itself sets: below a sum or a maximum, behind an integral, in a function it defines."""
    bare = COMMAND.sub(" ", formula)
    inside = re.findall(r"\\(?:sum|prod|max|min|sup|inf|int)(?:\\nolimits)?_\{?(\\[a-z]+|[^{}=<>\\]*)", bare)
    inside += re.findall(r"(?<![A-Za-z])d\s*(\\[a-z]+|[a-z])(?![A-Za-z])", bare)
    inside += re.findall(r"[A-Za-z](?:_\{?\w+\}?)?\(([^()]{1,12})\) *=", bare)
    return [letter for part in inside for letter in letters(part)]


def glossary(markdown: str) -> str:
    """The terms of the glossary; the first use of one leads there."""
    inside = re.search(r"```\{glossary\}\n(.*?)```", markdown, re.DOTALL)
    return "\n".join(re.findall(r"^(\S.*)$", inside[1], re.MULTILINE)) if inside else ""


def unintroduced(words: str, met: set[str], terms: str) -> list[str]:
    """Names that stand before they are explained: in brackets behind words, in bold, or "called"; they are then met."""
    found = []
    for match in NAME.finditer(words):
        name = match[0].rstrip("s") if match[0].endswith("s") and match[0][:-1].isupper() else match[0]
        if name in met or PLAIN.fullmatch(name) or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", terms):
            continue
        before, after = words[max(0, match.start() - 40) : match.start()], words[match.end() : match.end() + 3]
        if not (re.search(r"(\(|called |named |call it |, or )$", before) or after.startswith(" (")):
            found.append(name)
        met.add(name)
    return found


def faults(page: str, markdown: str, met: set[str], known: frozenset[str], terms: str) -> Iterator[Place]:
    paragraphs = prose(markdown)
    words = plain(paragraphs)
    for sentence in sentences(words):
        if INVERTED.match(sentence):
            yield Place(page, "inverted", sentence)
        if len(re.findall(r"[\w'’.-]*\w[\w'’.-]*", sentence)) > LONG:
            yield Place(page, "long", sentence)
        for number in NUMBER.findall(sentence):
            if significant(number) > DIGITS:
                yield Place(page, "digits", f"{number} in: {sentence}")
    yield from (Place(page, "symbols", letter) for letter in undefined(paragraphs, known))
    yield from (Place(page, "names", name) for name in unintroduced(words, met, terms))


def significant(number: str) -> int:
    """Digits that say something; zeros at the end of a whole number do not."""
    mantissa = re.sub(r"e.*", "", number).replace(",", "")
    digits = mantissa.replace(".", "") if "." in mantissa else mantissa.rstrip("0")
    return len(digits.lstrip("0"))


def book() -> list[Place]:
    """Every place of every kind, along the path and on."""
    known = introduced((ROOT / "book" / "notation.md").read_text("utf-8"))
    terms = glossary((ROOT / "book" / "glossary.md").read_text("utf-8"))
    met: set[str] = set()
    texts = {page: text(page) for page in pages()} | {"arguments of claims": arguments()}
    return [place for page, said in texts.items() for place in faults(page, said, met, known, terms)]


def counts(found: list[Place]) -> Mapping[str, int]:
    return {kind: sum(place.kind == kind for place in found) for kind in KINDS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", choices=KINDS, help="show every place of one kind")
    parser.add_argument("--page", default="", help="only pages whose name contains this")
    arguments = parser.parse_args()
    found = [place for place in book() if arguments.page in place.page]
    if arguments.list:
        print("\n".join(f"{place.page}: {place.words}" for place in found if place.kind == arguments.list))
        return
    print(f"{'page':52}" + "".join(f"{kind:>10}" for kind in KINDS))
    for page in dict.fromkeys(place.page for place in found):
        print(f"{page:52}" + "".join(f"{n:10}" for n in counts([p for p in found if p.page == page]).values()))
    print(f"{'all':52}" + "".join(f"{n:10}" for n in counts(found).values()))


if __name__ == "__main__":
    main()
