"""The command line, run as users run it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from users import Document


PROGRAM = (sys.executable, "-m", "elasticquota_cli.main")


def run(
    *words: str,
    kubeconfig: Path | None = None,
    text: str = "",
    environment: Mapping[str, str] | None = None,
    command: tuple[str, ...] = PROGRAM,
) -> "subprocess.CompletedProcess[str]":
    """Run it, on the cluster of ``kubeconfig`` if there is one; ``text`` is its input."""
    login = ("--kubeconfig", str(kubeconfig)) if kubeconfig else ()
    return subprocess.run(
        [*command, *words, *login],
        env=environment or {**os.environ, "COLUMNS": "100"},
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def printed(*words: str, text: str = "") -> str:
    """What it prints."""
    done = run(*words, text=text)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(kubeconfig: Path | None, *words: str, code: int = 0) -> Document:
    """Its machine-readable report; ``code`` is the exit code."""
    done = run(*words, "-o", "json", kubeconfig=kubeconfig)
    assert done.returncode == code, done.stderr
    found: Document = json.loads(done.stdout)
    return found
