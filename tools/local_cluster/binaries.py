"""Finds the programs of the cluster on this machine, or builds them once from source.

Each program is looked up by itself: in the folder named by KUBEBUILDER_ASSETS (any version, because
its owner chose it), then in our own build (``build``).
"""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from local_cluster import build


def find(say: Callable[[str], None]) -> dict[str, Path]:
    """The path of each program, after building what is missing.

    ``say`` gets a line whenever something takes time. Raises ``build.BuildError``.
    """
    chosen = look_up(os.environ)
    missing = [name for name in build.NEWEST.packages if name not in chosen]
    return {**chosen, **(build.ensure(missing, say) if missing else {})}


def look_up(environment: Mapping[str, str]) -> dict[str, Path]:
    """The programs in the folder that the environment names, by name; others are left out."""
    assets = environment.get("KUBEBUILDER_ASSETS", "")
    chosen = {name: shutil.which(name, path=assets) for name in build.NEWEST.packages if assets}
    return {name: Path(path).absolute() for name, path in chosen.items() if path}
