"""Checks dashboards against Grafana's schema, as its foundation SDK has it, without a Grafana.

A small program of ours around that Go module reads them: fields that are missing, unknown, or of
another type are found, also those of panels and queries by their kind.
"""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from local_cluster import build


_RECIPE: Final = build.Recipe(
    Path(__file__).parent,
    "",
    {"dashboard-check": "."},
    takes="about 1 min on 2 cores when nothing is cached, a few seconds when Go has seen it",
)


def check(dashboards: Iterable[Path]) -> list[str]:
    """What is wrong with dashboards, a line for each. Raises ``build.BuildError``."""
    program = build.ensure(["dashboard-check"], print, _RECIPE)["dashboard-check"]
    done = subprocess.run([program, *dashboards], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()
