"""The command line in one file per platform, its archives, and the krew manifest."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from dist import archive, krew, launcher, packages


def write(
    root: Path, to: Path, version: str, url: str, platforms: Sequence[str], pythons: Sequence[str]
) -> None:
    """Write a program and an archive for each platform; ``url`` is where they will be."""
    archives = {}
    for each in platforms:
        name = f"kubectl-elastic_quota-{each}.tar.gz"
        program = to / f"kubectl-elastic_quota-{each}.pyz"
        _build(root, program, each, pythons)
        files = {
            "kubectl-elastic_quota": (program.read_bytes(), 0o755),
            "LICENSE": ((root / "LICENSE").read_bytes(), 0o644),
        }
        archives[each] = name, archive.tarball(to / name, files)
    manifest = krew.manifest(version, url, archives)
    (to / "elastic-quota.yaml").write_text(manifest, encoding="utf-8")


def _build(root: Path, program: Path, platform: str, pythons: Sequence[str]) -> None:
    """Write the program for a platform and some versions of Python."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        common = whole / launcher.COMMON
        packages.own(root, common)
        for python in pythons:
            installed = Path(folder, python)
            packages.third_party(root, installed, platform, python)
            own = whole / f"cp{python.replace('.', '')}"
            own.mkdir()
            for path, is_binary in packages.parted(installed):
                target = (own if is_binary else common) / path.name
                if not target.exists():
                    path.rename(target)
        code = Path(launcher.__file__).read_bytes()
        archive.program(program, code, archive.content(whole))
