"""Fixtures of the double, to be imported by a conftest."""

from collections.abc import AsyncIterator

import pytest

from api_double.server import ApiDouble
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    """An API server."""
    async with ApiDouble() as server:
        yield server


@pytest.fixture
async def api(double: ApiDouble) -> AsyncIterator[Api]:
    """A connection to it."""
    async with Api(Credentials(double.url)) as connection:
        yield connection
