r"""Sphinx extension for the reference, which shows TeX, \(inline\) and \[displayed\], and signatures as in the source.

Without the extension, Sphinx would drop the TeX and expand every type alias in the signatures. Ids of statements become
links to the ledger. The table of modules has no table of contents, because the book already has one.
"""

import ast
import inspect
import re
import textwrap
from typing import Any

from docutils import nodes
from sphinx.ext.autosummary import Autosummary, autosummary_toc

from crossref import LABELS

CLAIM = re.compile(r"``([a-z-]+/[^`\s]+)``")
DISPLAYED = re.compile(r"^(?P<indent> *)(?P<before>.*?)\\\[(?P<tex>(?s:.*?))\\\](?P<after>.*)$", re.MULTILINE)
INLINE = re.compile(r"\\\((?P<tex>.*?)\\\)(?=(?P<glued>\w?))", re.DOTALL)


def displayed(match: re.Match[str]) -> str:
    indent, before, after = match["indent"], match["before"].rstrip(), match["after"].strip()
    tex = [indent + "   " + line.strip() for line in match["tex"].strip().splitlines()]
    parts = [indent + before] if before else []
    parts += ["", indent + ".. math::", "", *tex, ""]
    return "\n".join([*parts, indent + after] if after else parts)


def inline(match: re.Match[str]) -> str:
    tex = " ".join(match["tex"].split())
    return f":math:`{tex}`" + ("\\ " if match["glued"] else "")


def as_written(thing: Any) -> tuple[str, str] | None:
    """Parameters and return type of a function, or fields of a class, with annotations as written in the source."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    except (OSError, TypeError):
        return None
    if isinstance(node, ast.FunctionDef):
        arguments = [*node.args.posonlyargs, *node.args.args]
        if arguments and arguments[0].arg == "self":
            (node.args.posonlyargs or node.args.args).pop(0)
        return f"({ast.unparse(node.args)})", ast.unparse(node.returns) if node.returns else ""
    if isinstance(node, ast.ClassDef):
        fields = [ast.unparse(line).partition(" = ")[0] for line in node.body if isinstance(line, ast.AnnAssign)]
        return f"({', '.join(fields)})", ""
    return None


def docstring(app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    link = lambda found: f":ref:`{found[1]} <{LABELS[found[1]]}>`" if found[1] in LABELS else found[0]  # noqa: E731
    text = CLAIM.sub(link, "\n".join(lines))
    lines[:] = INLINE.sub(inline, DISPLAYED.sub(displayed, text)).splitlines()


def signature(app: Any, what: str, name: str, thing: Any, options: Any, *_: str | None) -> tuple[str, str] | None:
    return as_written(thing) if what in {"function", "method", "class"} else None


class Table(Autosummary):
    """Directive ``autosummary`` without its table of contents."""

    def run(self) -> list[nodes.Node]:
        return [node for node in super().run() if not isinstance(node, autosummary_toc)]


def setup(app: Any) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autosummary")
    app.add_directive("autosummary", Table, override=True)
    app.connect("autodoc-process-docstring", docstring)
    # fields of a named tuple are skipped, because its docstring lists them
    app.connect("autodoc-skip-member", lambda *given: type(given[3]).__name__ == "_tuplegetter" or None)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True}
