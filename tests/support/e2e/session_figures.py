"""Figures that tests measure, and the versions of the control planes that ran.

They are printed at the end of the session, whichever process ran them.
"""

from typing import Any, Final

import pytest


MEASURED: Final = pytest.StashKey[dict[str, float]]()
"""Seconds by label."""
COUNTED: Final = pytest.StashKey[dict[str, int]]()
"""Counts by label."""
VERSIONS: Final = pytest.StashKey[set[str]]()
"""What ``kubectl version`` printed of each control plane, each in one line."""


def note_version(config: pytest.Config, printed: str) -> None:
    """Keep what ``kubectl version`` printed of a control plane that runs."""
    line = ", ".join(line.replace(" Version:", "").lower() for line in printed.splitlines())
    _versions(config).add(line)


def hand_over(session: pytest.Session) -> None:
    """At the end of a worker (pytest-xdist): its figures go to the process that prints them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["measured"] = session.config.stash.get(MEASURED, {})
        output["counted"] = session.config.stash.get(COUNTED, {})
        output["versions"] = sorted(_versions(session.config))


def take_over(config: pytest.Config, worker: Any) -> None:
    """When a worker has ended: keep its figures."""
    output = getattr(worker, "workeroutput", {})
    config.stash.setdefault(MEASURED, {}).update(output.get("measured", {}))
    config.stash.setdefault(COUNTED, {}).update(output.get("counted", {}))
    _versions(config).update(output.get("versions", ()))


def show(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Pytest prints nothing of a test that passes."""
    for line in sorted(_versions(config)):
        terminal.write_line(f"kubectl version: {line}")
    for what, seconds in config.stash.get(MEASURED, {}).items():
        terminal.write_line(f"{seconds:6.2f} s  {what}")
    for what, number in config.stash.get(COUNTED, {}).items():
        terminal.write_line(f"{number:6}    {what}")


def _versions(config: pytest.Config) -> set[str]:
    return config.stash.setdefault(VERSIONS, set())
