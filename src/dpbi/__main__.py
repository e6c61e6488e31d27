"""Entry point of ``python -m dpbi``, which runs the command ``dpbi``."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
