"""Checks the workflows of GitHub Actions by actionlint, which is built from its Go module."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from local_cluster import build


_RECIPE: Final = build.Recipe(
    Path(__file__).parent,
    build.NEWEST.kubernetes,
    {"actionlint": "github.com/rhysd/actionlint/cmd/actionlint"},
)


def check(workflows: Iterable[Path]) -> list[str]:
    """What is wrong with workflows, a line for each; shell scripts in them are not checked.

    Raises ``build.BuildError``.
    """
    program = build.ensure(["actionlint"], print, _RECIPE)["actionlint"]
    done = subprocess.run(
        [program, "-oneline", "-no-color", "-shellcheck=", "-pyflakes=", *workflows],
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).splitlines()
