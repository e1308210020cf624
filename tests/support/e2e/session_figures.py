"""Figures that tests measure, printed at the end of the session, whichever process ran them."""

from typing import Any, Final

import pytest


MEASURED: Final = pytest.StashKey[dict[str, float]]()
"""Seconds by label."""
COUNTED: Final = pytest.StashKey[dict[str, int]]()
"""Counts by label."""


def hand_over(session: pytest.Session) -> None:
    """At the end of a worker (pytest-xdist): its figures go to the process that prints them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["measured"] = session.config.stash.get(MEASURED, {})
        output["counted"] = session.config.stash.get(COUNTED, {})


def take_over(config: pytest.Config, worker: Any) -> None:
    """When a worker has ended: keep its figures."""
    output = getattr(worker, "workeroutput", {})
    config.stash.setdefault(MEASURED, {}).update(output.get("measured", {}))
    config.stash.setdefault(COUNTED, {}).update(output.get("counted", {}))


def show(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Pytest prints nothing of a test that passes."""
    for what, seconds in config.stash.get(MEASURED, {}).items():
        terminal.write_line(f"{seconds:6.2f} s  {what}")
    for what, number in config.stash.get(COUNTED, {}).items():
        terminal.write_line(f"{number:6}    {what}")
