"""The Kubernetes version of the cluster, and marks for tests that need a newer or older one."""

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from local_cluster import binaries, build


_VALUES = re.compile(r'Invalid value: (?:"(?:[^"\\]|\\.)*"|-?[0-9.]+): ')


def since(version: int) -> pytest.MarkDecorator:
    """For tests of behavior that API servers before 1.``version`` do not have."""
    return pytest.mark.skipif(minor() < version, reason=f"Kubernetes before 1.{version}")


def before(version: int) -> pytest.MarkDecorator:
    """For tests of behavior that only API servers before 1.``version`` have."""
    return pytest.mark.skipif(minor() >= version, reason=f"Kubernetes 1.{version} or later")


def without_values(message: str) -> str:
    """A refusal by a schema without the wrong values, on API servers that do not write them.

    Before 1.35 these write the type in place of the value that a rule of a definition refuses.
    """
    return message if minor() >= 35 else _VALUES.sub("Invalid value: ", message)


@cache
def minor() -> int:
    """The minor version of the API server that the tests run on."""
    found = binaries.look_up(os.environ).get("kube-apiserver")
    version = version_of(found) if found else build.NEWEST.kubernetes
    return int(version.split(".")[1])


def version_of(program: Path) -> str:
    """The version of an API server, such as ``1.37.2``."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return said.removeprefix("Kubernetes v").strip()
