"""The report of ``doctor``, run as users run it."""

import json
from pathlib import Path

import command_line
from users import Document


def doctor(kubeconfig: Path, *words: str) -> tuple[int, Document]:
    """The exit code and the report."""
    done = command_line.run("doctor", *words, "-o", "json", kubeconfig=kubeconfig)
    assert done.stdout, done.stderr
    found: Document = json.loads(done.stdout)
    return done.returncode, found


def of_installation(found: Document) -> list[Document]:
    """Findings about the installation itself."""
    return [each for each in found["findings"] if not each["namespaces"]]
