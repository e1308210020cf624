"""The chart as Helm renders it: ``render("webhook.replicas=1")`` gives objects by kind and name."""

import os
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from local_cluster import binaries, build


Document = dict[str, Any]
Objects = dict[tuple[str, str], Document]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these need helm, which is built with the control plane's binaries."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def chart() -> Path:
    return Path(__file__).parents[2] / "charts" / "elastic-quota-operator"


@pytest.fixture(scope="session")
def helm() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs helm with these words."""
    found = binaries.look_up(os.environ).get("helm") or build.ensure(["helm"], print)["helm"]

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [found, *words], capture_output=True, text=True, timeout=60, check=False
        )

    return run


@pytest.fixture(scope="session")
def template(
    helm: Callable[..., "subprocess.CompletedProcess[str]"], chart: Path
) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Renders a release in the namespace ``elastic-quota-system`` with values ``key=json``."""

    def run(
        *values: str, release: str = "elastic-quota", flags: Sequence[str] = ()
    ) -> "subprocess.CompletedProcess[str]":
        settings = [word for value in values for word in ("--set-json", value)]
        place = ("--namespace", "elastic-quota-system")
        return helm("template", release, str(chart), *place, *settings, *flags)

    return run


@pytest.fixture(scope="session")
def refusal(template: Callable[..., "subprocess.CompletedProcess[str]"]) -> Callable[..., str]:
    """What Helm says of values that it refuses."""

    def run(*values: str, flags: Sequence[str] = ()) -> str:
        done = template(*values, flags=flags)
        assert done.returncode != 0
        return done.stderr

    return run


@pytest.fixture(scope="session")
def render(
    template: Callable[..., "subprocess.CompletedProcess[str]"],
) -> Callable[..., Objects]:
    """The rendered objects by kind and name; fails with Helm's words, or when two are the same."""

    @cache
    def objects(*values: str, release: str = "elastic-quota") -> Objects:
        done = template(*values, release=release)
        assert done.returncode == 0, done.stderr
        documents = list(filter(None, yaml.load_all(done.stdout, Loader=yaml.CSafeLoader)))
        found = {(item["kind"], item["metadata"]["name"]): item for item in documents}
        assert len(found) == len(documents)
        return found

    return objects
