"""A reflector that follows pods of the double."""

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from api_double import ApiDouble
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from reflected import Scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with ApiDouble() as double, Api(Credentials(double.url)) as api:
        with capture_logs() as logs:
            scene = Scene(double, api, logs)
            yield scene
            await scene.stop()
