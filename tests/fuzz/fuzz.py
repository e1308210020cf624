"""Search for bytes that break ``manifests`` or ``reviews``, guided by coverage: see README.md."""

import logging
import runpy
import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped]  # lives in an environment of its own
import structlog


# Refusals are logged; here they would be most of the work.
QUIET = structlog.make_filtering_bound_logger(logging.CRITICAL)
TARGETS = {"manifests": "target.py", "reviews": "reviews.py"}


def main() -> None:
    """Run until something breaks or the time given is over; the first word says what to try."""
    structlog.configure(wrapper_class=QUIET)
    chosen = sys.argv.pop(1)
    target = Path(__file__).with_name(TARGETS[chosen])
    if chosen == "manifests":
        atheris.enabled_hooks.add("RegEx")  # fails at patterns of bytes, which libraries have
    atheris.enabled_hooks.add("str")
    with atheris.instrument_imports(include=["elasticquota", "elasticquota_webhooks"]):
        one = runpy.run_path(str(target))["one"]
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
