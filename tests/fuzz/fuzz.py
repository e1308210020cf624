"""Search for bytes that break the wire, guided by coverage: see README.md."""

import runpy
import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped]  # lives in an environment of its own


TARGET = Path(__file__).with_name("target.py")


def main() -> None:
    """Run until something breaks or the time given is over."""
    atheris.enabled_hooks.add("RegEx")
    atheris.enabled_hooks.add("str")
    with atheris.instrument_imports(include=["elasticquota"]):
        one = runpy.run_path(str(TARGET))["one"]
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
