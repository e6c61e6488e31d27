"""The pages of the built book: which they are, what they load, where they lead, and what their images say."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {  # element -> the attributes that make a browser load something
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "video": ("src", "poster"),
}
PASSIVE_LINKS = {"author", "canonical", "help", "index", "license", "next", "prev", "search"}
IN_STYLE = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
NO_DESCRIPTION = re.compile(r"\S*|.*\.(png|svg|jpe?g|gif|webp)|.*(\\[(\[a-z]|\$).*", re.DOTALL)
"""Nothing, a single word, the name of a file, or TeX."""


class Page(HTMLParser):
    """What a page loads, its anchors and links, which of its images nobody described, and where it forwards to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.undescribed: list[str] = []
        self.forward = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        values = {name: value or "" for name, value in attrs}
        for name in LOADS.get(tag, ()):
            entries = values.get(name, "").split(",") if name == "srcset" else [values.get(name, "")]
            self.loads += [entry.split()[0] for entry in entries if entry.strip()]
        self.loads += styled(values.get("style", ""))
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        match tag:
            case "a" if "href" in values:
                self.links.add(values["href"])
            case "link" if not set(values.get("rel", "").split()) <= PASSIVE_LINKS:
                self.loads.append(values.get("href", ""))
            case "meta" if values.get("http-equiv", "").lower() == "refresh":
                self.forward = values["content"].partition("url=")[2]
            case "img" if not decorative(values) and NO_DESCRIPTION.fullmatch(values.get("alt", "").strip()):
                self.undescribed.append(values["src"])

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.loads += styled(data)


def styled(text: str) -> list[str]:
    return [first or second for first, second in IN_STYLE.findall(text)]


def decorative(image: dict[str, str]) -> bool:
    """For the eye alone, and said to be."""
    return image.get("alt") == "" and (image.get("role") in {"none", "presentation"} or "aria-hidden" in image)


@cache
def read(file: Path) -> Page:
    return Page(file.read_text("utf-8"))


def pages(book: Path) -> list[Path]:
    """The pages of the book, its first page first; what lies in its static folders is for pages to load."""
    found = sorted(path for path in book.rglob("*.html") if "_static" not in path.relative_to(book).parts)
    index = book / "index.html"
    first = book / (read(index).forward or "index.html") if index in found else index
    return sorted((path for path in found if not read(path).forward), key=lambda path: path != first)


def target(file: Path, address: str) -> Path:
    """The file that an address names, seen from a file."""
    path = unquote(urlsplit(address).path)
    return (file.parent / path).resolve() if path else file.resolve()


def inside(address: str) -> bool:
    parts = urlsplit(address)
    return not (parts.scheme or parts.netloc)


def loads(file: Path) -> list[str]:
    """The addresses that a page or a style sheet loads."""
    return read(file).loads if file.suffix == ".html" else styled(file.read_text("utf-8"))
