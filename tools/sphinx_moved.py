"""Pages that have moved: at the old address stands a page that leads to the new one."""

import posixpath
from pathlib import Path
from typing import Any

from dpbi.cli.notebooks import RENAMED

MOVED = {"book/guides/where": "book/developers"} | {
    f"notebooks/{old}": f"notebooks/{new}" for old, new in RENAMED.items()
}
"""By the old address, the new one."""

PAGE = '<!doctype html><meta charset="utf-8"><meta http-equiv="Refresh" content="0; url={0}"><a href="{0}">Moved</a>'


def write(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    for old, new in MOVED.items():
        file = Path(app.outdir, f"{old}.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(posixpath.relpath(f"{new}.html", posixpath.dirname(old))), "utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
