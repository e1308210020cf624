"""Unpacked sources of other projects' Go modules: their charts and custom resource definitions.

``go.mod`` of a folder pins the version, its ``go.sum`` the hash, which Go checks.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from local_cluster import build


_SECONDS: Final = 600


def unpacked(folder: str, module: str) -> Path:
    """The sources of the module at that version, after a download if they are not there yet.

    Raises ``build.BuildError`` with what Go said.
    """
    go = shutil.which("go")
    if go is None:
        raise build.BuildError(f"{module} has to be downloaded, and no Go is on the PATH")
    done = subprocess.run(
        [go, "mod", "download", "-json", module],
        cwd=build.TOOLS / folder,
        env={**os.environ, "GOFLAGS": ""},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    answer: dict[str, Any] = json.loads(done.stdout or "{}")
    if done.returncode != 0:
        said = answer.get("Error") or done.stderr.strip()
        raise build.BuildError(f"{module} cannot be read; go said:\n{said}")
    return Path(answer["Dir"])
