"""A webhook replica, and the API server that it reads from."""

from collections.abc import AsyncIterator

import pytest

from api_double import ApiDouble
from api_double.fixtures import api, double
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
async def hasty(api: Api) -> AsyncIterator[WebhookReplica]:
    """A replica with very short time limits, for tests of slow clients only."""
    async with WebhookReplica(api, read_seconds=0.3) as replica:
        yield replica
