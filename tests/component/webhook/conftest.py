"""A webhook replica, the manager of its certificate, and the API server that both read from."""

from collections.abc import AsyncIterator

import pytest

import certificate_managers as managers
from api_double import ApiDouble
from api_double.fixtures import api, double
from certificate_managers import ManualClock, Replica
from elasticquota_kube.client.api import Api
from webhook_fixture import WebhookReplica


__all__ = ["api", "double"]


@pytest.fixture
async def webhook(api: Api, double: ApiDouble) -> AsyncIterator[WebhookReplica]:
    """A replica whose caches are still empty."""
    async with WebhookReplica(api) as replica:
        replica.double = double
        yield replica


@pytest.fixture
def clock() -> ManualClock:
    """The clock of all certificate managers."""
    return ManualClock()


@pytest.fixture
def replica(api: Api, double: ApiDouble, clock: ManualClock) -> Replica:
    """The certificate manager of the first replica of a new installation."""
    managers.configure(double)
    return Replica(api, clock)


@pytest.fixture
def others(replica: Replica, api: Api, clock: ManualClock) -> list[Replica]:
    """More replicas."""
    return [Replica(api, clock) for _ in range(4)]


@pytest.fixture
async def hasty(api: Api) -> AsyncIterator[WebhookReplica]:
    """A replica with very short time limits, for tests of slow clients only."""
    async with WebhookReplica(api, read_seconds=0.3) as replica:
        yield replica
