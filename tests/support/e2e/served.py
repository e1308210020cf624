"""Which Kubernetes serves the tests, and what they need that its oldest version does not have."""

import os
from functools import cache

import pytest

from local_cluster import binaries, build


def since(minor: int) -> pytest.MarkDecorator:
    """For tests of what an API server before 1.``minor`` does not do."""
    return pytest.mark.skipif(_minor() < minor, reason=f"Kubernetes before 1.{minor}")


def before(minor: int) -> pytest.MarkDecorator:
    """For tests of what only an API server before 1.``minor`` does."""
    return pytest.mark.skipif(_minor() >= minor, reason=f"Kubernetes 1.{minor} or later")


@cache
def _minor() -> int:
    found = binaries.look_up(os.environ).get("kube-apiserver")
    version = binaries.ask_version(found, ["--version"]) if found else build.NEWEST.kubernetes
    if version is None:
        raise RuntimeError(f"{found} does not tell its version")
    return int(version.split(".")[1])
