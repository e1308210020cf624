"""Replicas of a new installation, and the clock that they share."""

import pytest

import certificate_managers as managers
from api_double import ApiDouble
from certificate_managers import ManualClock, Replica
from elasticquota_kube.client.api import Api


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def replica(api: Api, double: ApiDouble, clock: ManualClock) -> Replica:
    """The first replica of a new installation."""
    managers.configure(double)
    return Replica(api, clock)


@pytest.fixture
def others(replica: Replica, api: Api, clock: ManualClock) -> list[Replica]:
    """More replicas."""
    return [Replica(api, clock) for _ in range(4)]
