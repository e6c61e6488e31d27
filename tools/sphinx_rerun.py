"""At the end of every page from a notebook: how to rerun it, and its parameters, as ``dpbi list`` says them."""

import json
from pathlib import Path
from typing import Any

from dpbi.cli.notebooks import TIMES, Notebook, described, notebook, run_times

ROOT = Path(__file__).parents[1]
SECTION = """## Rerun this page

```console
dpbi run {name}
```

````{{dropdown}} Rerun it with other numbers: {parameters}, and the notebook
:class-container: rerun

`dpbi` comes with this book's repository: `make env` in a copy of it installs `.venv/bin/dpbi`.

| parameter | type | default | meaning; what is allowed |
|---|---|---|---|
{rows}

`-p NAME=VALUE` sets a parameter, `dpbi sweep` runs the page over a grid of them: {{doc}}`/book/guides/rerun`.

{time} The notebook: {{download}}`{stem}.ipynb <{stem}.ipynb>`.
````
"""


def rerun(known: Notebook, seconds: float | None) -> str:
    """The section that reruns a page, in Markdown."""
    parameters = [described(each) for each in known.parameters if each.name != "outdir"]  # which --out sets
    rows = [f"| `{name}` | {kind} | `{default}` | {table_safe(text)} |" for name, kind, default, text in parameters]
    return SECTION.format(
        name=known.name,
        stem=known.name.rpartition("/")[2],
        parameters=f"{len(rows)} parameter{'s' if len(rows) > 1 else ''}",
        rows="\n".join(rows),
        time=f"The last recorded run took {seconds:g} s." if seconds is not None else "",
    )


def table_safe(text: str) -> str:
    return text.replace("|", "\\|")


def close(app: Any, page: str, source: list[str]) -> None:
    """Put the section behind the last cell of a notebook."""
    if not page.startswith("notebooks/"):
        return
    content, name = json.loads(source[0]), page.removeprefix("notebooks/")
    app.env.note_dependency(str(ROOT / TIMES))
    section = rerun(notebook(Path(app.srcdir, f"{page}.ipynb"), name), run_times(ROOT).get(name))
    content["cells"].append({"cell_type": "markdown", "id": "rerun", "metadata": {}, "source": section})
    source[0] = json.dumps(content)


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", close)
    return {"parallel_read_safe": True}
