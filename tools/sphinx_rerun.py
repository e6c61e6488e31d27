"""At the end of every page from a notebook: how to rerun it, its parameters, and where its code is.

All of it is read from the notebook, by the functions that ``dpbi list`` and ``dpbi run`` use. Long cells are folded.
"""

import ast
import json
from pathlib import Path
from typing import Any

import dpbi
from dpbi.cli.notebooks import TIMES, Notebook, described, notebook, run_times

ROOT = Path(__file__).parents[1]
LONG = 25
"""Cells with more lines of code than these are folded, for pages without scripts; with them one switch shows all."""

HEAD = """## Rerun this page

```console
dpbi run {name}
```

````{{dropdown}} Rerun it with other numbers: {parameters}, the notebook and its code
:class-container: rerun

{table}

`-p NAME=VALUE` sets a parameter, `dpbi sweep` runs the page over a grid of them: {{doc}}`/book/guides/rerun`.

{time} The notebook: {{download}}`{stem}.ipynb <{stem}.ipynb>`. Its code: {code}.
````
"""


def head(known: Notebook, cells: list[Any], seconds: float | None) -> str:
    """The section that reruns a page, in Markdown."""
    parameters = [each for each in known.parameters if each.name != "outdir"]  # which --out of the command sets
    number = len(parameters)
    rows = ["| parameter | type | default | meaning; what is allowed |", "|---|---|---|---|"]
    rows += [f"| {name} | {kind} | {code(default)} | {text} |" for name, kind, default, text in map(told, parameters)]
    return HEAD.format(
        name=known.name,
        stem=known.name.rpartition("/")[2],
        parameters=f"{number} parameter{'s' if number > 1 else ''}",
        table="\n".join(rows),
        time=f"The last recorded run took {seconds:g} s." if seconds is not None else "",
        code=", ".join(f"{{doc}}`dpbi.{module} </book/reference/dpbi.{module}>`" for module in modules(cells)),
    )


def told(parameter: Any) -> tuple[str, str, str, str]:
    name, kind, default, text = described(parameter)
    return code(name), kind, default, text.replace("|", "\\|")


def code(text: str) -> str:
    return f"`{text}`"


def modules(cells: list[Any]) -> list[str]:
    """The folders of the library that the cells use, each of which has a page in the reference."""
    used = []
    for cell in cells:
        if cell["cell_type"] == "code":
            for node in ast.walk(ast.parse("".join(cell["source"]))):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "dpbi":
                    inner = node.module.split(".")[1:2]
                    used += inner or [home(alias.name) for alias in node.names]
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dpbi":
                    used.append(home(node.attr))
    return sorted({name for name in used if name not in {"", "cli"}})


def home(name: str) -> str:
    """The folder that a name of ``dpbi`` is from, or that it is."""
    if (ROOT / "src" / "dpbi" / f"{name}.py").exists() or (ROOT / "src" / "dpbi" / name).is_dir():
        return name
    return (getattr(getattr(dpbi, name, None), "__module__", None) or "").partition(".")[2].partition(".")[0]


def fold(cell: Any) -> None:
    """Fold a cell of code that is long, and that of the parameters, unless its author has decided."""
    tags = cell["metadata"].get("tags", [])
    decided = any(tag.startswith(("hide-", "remove-")) for tag in tags)
    folded = "parameters" in tags or len("".join(cell["source"]).splitlines()) > LONG
    if cell["cell_type"] == "code" and not decided and folded:
        cell["metadata"]["tags"] = [*tags, "hide-input"]


def open_page(app: Any, page: str, source: list[str]) -> None:
    """Put the section before what comes last on the page, where to go next, and fold what is long."""
    if not page.startswith("notebooks/"):
        return
    content = json.loads(source[0])
    name = page.removeprefix("notebooks/")
    known = notebook(Path(app.srcdir, f"{page}.ipynb"), name)
    app.env.note_dependency(str(ROOT / TIMES))
    section = head(known, content["cells"], run_times(ROOT).get(name))
    content["cells"].append({"cell_type": "markdown", "id": "rerun", "metadata": {}, "source": section})
    for cell in content["cells"]:
        fold(cell)
    source[0] = json.dumps(content)


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", open_page, priority=400)  # before what other extensions add to the page
    return {"parallel_read_safe": True}
