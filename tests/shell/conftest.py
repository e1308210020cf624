"""A small API server, and a connection to it."""

from collections.abc import AsyncIterator

import pytest

from api_double import ApiDouble
from elasticquota_kube.api import Api
from elasticquota_kube.credentials import Credentials


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    async with ApiDouble() as server:
        yield server


@pytest.fixture
async def api(double: ApiDouble) -> AsyncIterator[Api]:
    async with Api(Credentials(double.url)) as connection:
        yield connection
