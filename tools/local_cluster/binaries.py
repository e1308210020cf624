"""Finds the programs of the cluster on this machine, or builds them once from source.

Each program is looked up by itself, in this order: the folder named by KUBEBUILDER_ASSETS (any
version, because its owner chose it), then PATH if the version is the pinned one, then our own build
(``build``).
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local_cluster import build


_VERSION_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its name, the wanted version, and the arguments that print its version."""

    name: str
    version: str
    """The wanted version; a prefix that ends with a dot accepts every patch release."""
    asks: tuple[str, ...] = ("--version",)


KUBERNETES = build.NEWEST.kubernetes
PROGRAMS = (
    Program("etcd", "3.7.0"),
    Program("kube-apiserver", KUBERNETES),
    Program("kube-controller-manager", KUBERNETES),
    Program("kube-scheduler", KUBERNETES),
    Program("kubectl", KUBERNETES, ("version", "--client")),
    Program("kwok", "0.8."),
    Program("helm", "4.3.", ("version", "--short")),
)

_VERSION = re.compile(r"v?(\d+\.\d+\.\d+)")


def find(say: Callable[[str], None]) -> dict[str, Path]:
    """The path of each program, after building what is missing.

    ``say`` gets a line whenever something takes time. Raises ``build.BuildError``.
    """
    found = look_up(os.environ)
    missing = [program.name for program in PROGRAMS if program.name not in found]
    if missing:
        found |= build.ensure(missing, say)
    return {program.name: found[program.name] for program in PROGRAMS}


def look_up(
    environment: Mapping[str, str],
    version_of: Callable[[Path, Sequence[str]], str | None] | None = None,
) -> dict[str, Path]:
    """The programs that this machine has, by name; those not found are left out."""
    version_of = version_of or ask_version
    assets = environment.get("KUBEBUILDER_ASSETS", "")
    found = {}
    for program in PROGRAMS:
        if assets and (asset := shutil.which(program.name, path=assets)):
            found[program.name] = Path(asset).absolute()
            continue
        for folder in environment.get("PATH", "").split(os.pathsep):
            candidate = shutil.which(program.name, path=folder) if folder else None
            if candidate and accepts(program, version_of(Path(candidate), program.asks)):
                found[program.name] = Path(candidate).absolute()
                break
    return found


def accepts(program: Program, version: str | None) -> bool:
    """Whether ``version`` is the one we want of this program."""
    if version is None:
        return False
    if program.version.endswith("."):
        return version.startswith(program.version)
    return version == program.version


def ask_version(path: Path, asks: Sequence[str]) -> str | None:
    """The version that a program prints, such as ``1.37.2``; None when it prints none."""
    try:
        asked = subprocess.run(
            [path, *asks],
            capture_output=True,
            text=True,
            timeout=_VERSION_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(asked.stdout)
    # A suffix such as -dispatcher or -rc.1 means another program than the release.
    if match is None or asked.stdout[match.end() : match.end() + 1] == "-":
        return None
    return match.group(1)
