"""No webhook runs: malicious tenants, and what they own.

The planner is a tenant who may also write the quotas of its own namespace, which is more than most
tenants may do. All tests of this folder share one namespace.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final

import pytest

import namespaces
import tenants
from installation import Installation
from scenes import Pool
from users import User
from waiting import eventually


_NUMBERS: Final = count(1)


@pytest.fixture(scope="package", autouse=True)
def alone(release: Installation, admin: User) -> Iterator[None]:
    release.configure({})  # a module before it may have left other values
    with tenants.without_webhooks(admin):
        yield


@pytest.fixture(scope="package")
def home(alone: None, admin: User) -> Iterator[Pool]:
    """The tenants' own namespace, which contains the root quota of its nodes."""
    pool = Pool(admin, namespaces.new(admin))
    pool.open(nodes=1)
    pool.quota("team", min=4, max=8)
    pool.quota("other", min=1, max=8)
    yield pool
    pool.close()


@pytest.fixture(scope="package")
def planner(admin: User, home: Pool) -> Iterator[User]:
    user = tenants.planner(admin, home.namespace)
    yield user
    user.close()


@pytest.fixture(scope="package")
def victim(admin: User, alone: None) -> Iterator[str]:
    """A namespace of another user."""
    name = namespaces.new(admin)
    yield name
    admin.delete("Namespace", name)


@pytest.fixture
def settled(home: Pool) -> Iterator[str]:
    """A pod that runs in the quota ``team``.

    Each has a name of its own: kwok deletes by name, so it may delete the next pod of the same one.
    """
    name = f"settled-{next(_NUMBERS)}"
    home.pod(name, "team")
    eventually(lambda: home.phase(name), "Running")
    yield name
    home.delete_pods(name)
