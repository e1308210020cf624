"""Pools whose nodes an autoscaler makes. Cluster Autoscaler is simulated; the rest is real."""

from collections.abc import Iterator

import pytest

import namespaces
from autoscaled import AutoscaledPool
from users import User


@pytest.fixture
def elastic(admission: None, admin: User) -> Iterator[AutoscaledPool]:
    """A pool without nodes; the test says how many there may be."""
    pool = AutoscaledPool(admin, namespaces.new(admin))
    yield pool
    pool.close()
    if admin.find("Namespace", pool.namespace):
        admin.delete("Namespace", pool.namespace)  # with its ProvisioningRequests
