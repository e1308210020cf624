"""The report of ``doctor``, run as users run it."""

import json
import subprocess
import sys
from pathlib import Path

from users import Document


_COMMAND = (sys.executable, "-m", "elasticquota_cli.main", "doctor")


def doctor(kubeconfig: Path, *words: str) -> tuple[int, Document]:
    """The exit code and the report."""
    done = subprocess.run(
        [*_COMMAND, *words, "-o", "json", "--kubeconfig", str(kubeconfig)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout, done.stderr
    found: Document = json.loads(done.stdout)
    return done.returncode, found


def of_installation(found: Document) -> list[Document]:
    """Findings about the installation itself."""
    return [each for each in found["findings"] if not each["namespaces"]]
