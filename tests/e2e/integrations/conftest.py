"""The installation with the integrations switched on, which the modules of this folder share."""

from collections.abc import Callable, Iterator

import pytest

import gangs
from installation import Installation, Kubectl
from integration_scenes import IntegrationScene
from users import Document, User


DIALECTS = {
    "ack": True,
    "capacity": True,
    "jobs": True,
    "yunikorn": True,
    "flavors": {"fast": {"speed": "fast"}, "faster": {"speed": "faster"}},
    "createQueueNamespace": True,
}
DEFINITIONS = {"ack": True, "capacity": True, "jobs": True}


@pytest.fixture(scope="session")
def yunikorn_home(admin: User) -> None:
    """The namespace of YuniKorn's ConfigMaps, without the ConfigMaps."""
    admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "yunikorn"}})


@pytest.fixture(scope="module")
def values(yunikorn_home: None) -> Document:
    """All integrations are on, jobs are queued, and the groups of all systems are read. YuniKorn's
    waits for its ConfigMap.
    """
    return {"dialects": DIALECTS, "crds": {"dialects": DEFINITIONS}, **gangs.ALL}


@pytest.fixture(scope="session")
def spaces(kubectl: Kubectl) -> Iterator[set[str]]:
    """Namespaces of the examples; another test may want the same ones afterwards."""
    found: set[str] = set()
    yield found
    for name in found:
        kubectl("delete", "namespace", name, "--ignore-not-found", "--wait=false")
    for name in found:
        kubectl("wait", "--for=delete", f"namespace/{name}", "--timeout=60s")


@pytest.fixture
def integration(
    product: Installation, admission: None, admin: User, kubectl: Kubectl, spaces: set[str]
) -> Iterator[Callable[[str], IntegrationScene]]:
    """Plays examples: ``integration("ack")``."""
    opened: list[IntegrationScene] = []

    def open_(folder: str) -> IntegrationScene:
        opened.append(IntegrationScene(admin, kubectl, folder, spaces))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()
