"""Collects the packages of the program: ours, and the pinned ones that the command line needs."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


OWN: Final = (
    "operator/elasticquota",
    "operator/elasticquota_cel",
    "operator/elasticquota_kube",
    "operator/elasticquota_config",
    "operator/elasticquota_cli",
    "importers/elasticquota_import",
)
"""Without controller and webhook, which run in the image. A user cannot add a distribution to a
program in one file, so the importers are in it."""
_DISTRIBUTIONS: Final = ("elastic-quota-operator", "elastic-quota-import")
NEEDED: Final = ("aiohttp", "msgspec", "pyyaml", "structlog")
"""What these import. CEL is left out for its 10 MB: without it, selectors of device classes are
reported as not evaluated."""
PLATFORMS: Final = {
    "linux-amd64": ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64"),
    "linux-arm64": ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64"),
    "darwin-amd64": ("macosx_10_9_x86_64", "macosx_10_12_x86_64", "macosx_11_0_x86_64"),
    "darwin-arm64": ("macosx_11_0_arm64",),
}
"""By the platform's name in Go, the tags of wheels that run there."""
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)==[^\\\n]*(?:\\\n[^\\\n]*)*", re.MULTILINE)


def own(root: Path, target: Path) -> None:
    """Copy our packages, and the metadata that names their version and the entry points of verbs."""
    for path in OWN:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / path, target / Path(path).name, ignore=ignored)
    for name in _DISTRIBUTIONS:
        found = metadata.distribution(name)
        info = target / f"{name.replace('-', '_')}-{found.version}.dist-info"
        info.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {found.version}\n"
        info.joinpath("METADATA").write_text(text, encoding="utf-8")
        info.joinpath("entry_points.txt").write_text(found.read_text("entry_points.txt") or "", "utf-8")


def third_party(root: Path, target: Path, platform: str, python: str) -> None:
    """Install the pinned packages for a platform and a Python, each with a checked hash."""
    pins: dict[str, str] = {
        canonicalize_name(found[1]): found[0]
        for found in _PINNED.finditer((root / "requirements/runtime.txt").read_text("utf-8"))
    }
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirements.txt")
        wanted.write_text("\n".join(pins[name] for name in sorted(_closure(NEEDED))), "utf-8")
        tags = [f"--platform={tag}" for tag in PLATFORMS[platform]]
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"),
                *("--disable-pip-version-check", "--require-hashes", "--only-binary=:all:"),
                *("--implementation=cp", f"--python-version={python}", *tags),
                *("--target", str(target), "-r", str(wanted)),
            ],
            check=True,
        )


def parted(installed: Path) -> Iterator[tuple[Path, bool]]:
    """The packages in a folder, and whether each has extension modules."""
    for path in sorted(installed.iterdir()):
        if path.name in ("__pycache__", "bin"):
            continue
        files = [path] if path.is_file() else [*path.rglob("*")]
        yield path, any(each.suffix in (".so", ".pyd", ".dylib") for each in files)


def _closure(names: Iterable[str]) -> set[str]:
    """The packages and all that they need, as they are installed here."""
    found: set[str] = set()
    open_ = [canonicalize_name(name) for name in names]
    while open_:
        name = open_.pop()
        if name in found:
            continue
        found.add(name)
        for text in metadata.requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                open_.append(canonicalize_name(needed.name))
    return found
