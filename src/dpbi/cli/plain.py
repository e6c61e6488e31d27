"""A notebook of the book made readable in plain Jupyter: its blocks, citations and links as ordinary Markdown.

The pages are written in MyST, which Sphinx reads and Jupyter shows as it is. Only what the pages use is known here:
blocks of theorems and proofs, notes, citations, links to pages, to theorems and into the ledger.
"""

import json
import os
import re
from functools import partial
from pathlib import Path
from unicodedata import normalize

BLOCK = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<kind>[\w:-]+)\}(?P<title>[^\n]*)\n(?P<body>.*?)"
    r"^(?P=fence)[ \t]*$(?P<on>\n(?=[^\n]))?",
    re.M | re.S,
)
OPTION = re.compile(r"^:([\w-]+):[ \t]*(.*)\n?", re.M)
ROLE = re.compile(r"\{(cite(?::\w+)?|doc|prf:ref|ref|term)\}`([^`]+)`")
NAMED = re.compile(r"(.+?)\s*<(.+)>")
INWARD = re.compile(r"(?<!!)\[([^\]]+)\]\(#[\w.-]+\)")
ENTRY = re.compile(r"@\w+\{([^,\s]+),(.*?)\n\}", re.S)
FIELD = r"^\s*{}\s*=\s*[{{\"]?(.+?)[}}\"]?,?$"
LABELLED = re.compile(r"\{prf:(\w+)\}([^\n]*)\n(?::[\w-]+:[^\n]*\n)*?:label: ([\w.-]+)")


def readable(notebook: str, root: Path, source: Path, folder: Path) -> str:
    """The text of a notebook from a source, its Markdown cells and outputs made ordinary for the folder it goes to."""
    content = json.loads(notebook)
    change = partial(markdown, root=root, source=source, folder=folder)
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = change("".join(cell["source"]))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/markdown" in data:
                data["text/markdown"] = change("".join(data["text/markdown"]))
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def markdown(text: str, root: Path, source: Path, folder: Path) -> str:
    """The same text without a directive or a role."""
    text = BLOCK.sub(_block, text)
    text = ROLE.sub(partial(_role, root=root, source=source, folder=folder), text)
    return INWARD.sub(r"\1", text)


def _block(match: re.Match[str]) -> str:
    kind, title = match["kind"].rpartition(":")[2], match["title"].strip()
    options = {}
    body = match["body"]
    while option := OPTION.match(body):
        options[option[1]] = option[2]
        body = body[option.end() :]
    head, body = _head(kind, title), BLOCK.sub(_block, body)  # a block may stand in another one
    quoted = "\n".join(f"> {line}".rstrip() for line in f"{head}\n\n{body.strip()}".splitlines())
    quoted += "\n\n" if match["on"] else ""  # a line that follows at once would be part of the quotation
    return f'<a id="{options["label"]}"></a>\n\n{quoted}' if "label" in options else quoted


def _head(kind: str, title: str) -> str:
    if kind == "proof":
        return f"*Proof{f' {title}' if title else ''}.*"
    if not title or kind == "admonition" or title.lower().startswith(kind[:4]):  # Lemmas 4.1 to 4.3 of the paper
        return f"**{title or kind.capitalize()}.**"
    return f"**{kind.capitalize()}.** *{title}.*"


def _role(match: re.Match[str], root: Path, source: Path, folder: Path) -> str:
    role, content = match[1], match[2]
    if role.startswith("cite"):
        return "; ".join(cited(key.strip(), root) for key in content.split(","))
    named = NAMED.fullmatch(content)
    words, target = (named[1], named[2]) if named else ("", content)
    if role == "doc":
        base = root if target.startswith("/") else source.parent
        return _link(words, Path(os.path.normpath(base / target.lstrip("/"))), folder)
    if role == "prf:ref":
        kind, title, page = labelled(root).get(target, ("", "", None))
        words = words or title.strip() or kind.capitalize() or target
        return _link(words, page.with_suffix(""), folder) if page and page != source else f"[{words}](#{target})"
    return words or content


def _link(words: str, page: Path, folder: Path) -> str:
    """A link to a page that is there, by its title; else its words alone."""
    for suffix, title in ((".ipynb", _notebook_title), (".md", _page_title)):
        file = page.with_suffix(suffix)
        if file.is_file():
            address = Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
            return f"[{words or title(file)}]({address})"
    return words or page.name.replace("_", " ")


def _notebook_title(file: Path) -> str:
    cells = json.loads(file.read_text("utf-8"))["cells"]
    return _heading("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"), file)


def _page_title(file: Path) -> str:
    return _heading(file.read_text("utf-8"), file)


def _heading(text: str, file: Path) -> str:
    return next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), file.stem)


def labelled(root: Path) -> dict[str, tuple[str, str, Path]]:
    """The theorems of the pages below a root by their labels: kind, title and file."""
    found = {}
    for file in [*root.glob("book/**/*.md"), *root.glob("notebooks/**/*.ipynb")]:
        text = file.read_text("utf-8")
        if file.suffix == ".ipynb":
            text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
        found.update({label: (kind, title, file) for kind, title, label in LABELLED.findall(text)})
    return found


def cited(key: str, root: Path) -> str:
    """Authors and year of an entry of the bibliography, as the book cites it; the key where it has none."""
    file = root / "book" / "references.bib"
    entries = dict(ENTRY.findall(file.read_text("utf-8"))) if file.is_file() else {}
    if key not in entries:
        return f"[{key}]"

    def field(name: str) -> str:
        found = re.search(FIELD.format(name), entries[key], re.M)
        return _letters(found[1]) if found else ""

    people = [name.partition(",")[0].strip() for name in field("author").split(" and ") if name]
    who = people[0] + " et al." if len(people) > 2 else " and ".join(people)
    what = who or f"*{field('title')}*"
    return f"{what} ({year})" if (year := field("year")) else what


ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "c": "\u0327"}
ACCENT = re.compile(r"\\([\"'`^~]|c(?![a-zA-Z]))\s*\{?(\w)\}?")


def _letters(text: str) -> str:
    r"""Letters where TeX has accents and braces.

    >>> print(_letters(r'R{\"a}is{\"a}, Y{\i}ld{\i}r{\i}m, Ermi{\c s}'))
    Räisä, Yıldırım, Ermiş
    """
    accented = ACCENT.sub(lambda match: normalize("NFC", match[2] + ACCENTS[match[1]]), text.replace("{\\i}", "ı"))
    return re.sub(r"[{}]", "", accented)
