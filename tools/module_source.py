"""Unpacked sources of other projects' Go modules: their charts and custom resource definitions.

``go.mod`` of a folder below ``tools`` pins the version, its ``go.sum`` the hash, which Go checks.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from local_cluster import build


TOOLS: Final = Path(__file__).parent
_SECONDS: Final = 300


def version(folder: str, module: str) -> str:
    """The version that ``tools/folder/go.mod`` requires, such as ``v1.21.2``.

    Raises ``build.BuildError`` where it requires none.
    """
    path = TOOLS / folder / "go.mod"
    wanted = re.search(
        rf"^(?:require )?\s*{re.escape(module)} (\S+)", path.read_text(), re.MULTILINE
    )
    if wanted is None:
        raise build.BuildError(f"tools/{folder}/go.mod requires no {module}")
    return wanted.group(1)


def unpacked(folder: str, module: str) -> Path:
    """The sources of the module at that version, after a download if they are not there yet.

    Raises ``build.BuildError`` with what Go said.
    """
    go = shutil.which("go")
    if go is None:
        raise build.BuildError(f"{module} has to be downloaded, and no Go is on the PATH")
    done = subprocess.run(
        [go, "mod", "download", "-json", f"{module}@{version(folder, module)}"],
        cwd=TOOLS / folder,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    told = json.loads(done.stdout or "{}")
    if done.returncode != 0:
        raise build.BuildError(f"{module}: {told.get('Error') or done.stderr.strip()}")
    return Path(told["Dir"])
