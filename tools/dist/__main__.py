"""Builds ``dist/``: the command line in one file per platform, and the krew manifest.

    PYTHONPATH=tools python -m dist [--all] [--url URL]

Without ``--all`` it is for this platform and this Python only. All packages come from the package
index, pinned by hash in ``requirements/runtime.txt``.
"""

import argparse
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from dist import archive, krew, launcher, packages


ROOT: Final = Path(__file__).parents[2]
_MACHINES: Final = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="make dist")
    parser.add_argument("--all", action="store_true", help="all platforms and versions of Python")
    parser.add_argument("--url", default="https://example.com", help="where the files will be")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the folder")
    given = parser.parse_args()
    here = f"{platform.system().lower()}-{_MACHINES[platform.machine()]}"
    platforms = tuple(packages.PLATFORMS) if given.all else (here,)
    pythons = packages.PYTHONS if given.all else ("{}.{}".format(*sys.version_info[:2]),)
    shutil.rmtree(given.to, ignore_errors=True)
    given.to.mkdir(parents=True)
    archives = {}
    for each in platforms:
        name = f"kubectl-elastic_quota-{each}.tar.gz"
        program = given.to / f"kubectl-elastic_quota-{each}.pyz"
        build(program, each, pythons)
        files = {
            "kubectl-elastic_quota": (program.read_bytes(), 0o755),
            "LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
        }
        archives[each] = name, archive.tarball(given.to / name, files)
        print(f"{program}: {program.stat().st_size / 1e6:.1f} MB")
    version = metadata.version("elastic-quota-operator")
    manifest = krew.manifest(version, given.url, archives)
    (given.to / "elastic-quota.yaml").write_text(manifest, encoding="utf-8")


def build(program: Path, wanted: str, pythons: Sequence[str]) -> None:
    """Write the program for a platform and some versions of Python."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        common = whole / launcher.COMMON
        packages.own(ROOT, common)
        for python in pythons:
            installed = Path(folder, python)
            packages.third_party(ROOT, installed, wanted, python)
            own = whole / f"cp{python.replace('.', '')}"
            own.mkdir()
            for path, is_binary in packages.parted(installed):
                target = (own if is_binary else common) / path.name
                if not target.exists():
                    path.rename(target)
        code = Path(launcher.__file__).read_bytes()
        archive.program(program, code, archive.content(whole))


if __name__ == "__main__":
    main()
