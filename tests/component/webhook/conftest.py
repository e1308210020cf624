"""A replica of the webhook, and the API server it reads from."""

from collections.abc import AsyncIterator

import pytest

from api_double.fixtures import api, double
from elasticquota_kube.client.api import Api
from webhook_fixture import Door


__all__ = ["api", "double"]


@pytest.fixture
async def door(api: Api) -> AsyncIterator[Door]:
    """A replica whose caches are still empty."""
    async with Door(api) as replica:
        yield replica


@pytest.fixture
async def hasty(api: Api) -> AsyncIterator[Door]:
    """A replica that waits for nobody: only for tests of those who are late."""
    async with Door(api, read_seconds=0.3) as replica:
        yield replica
