"""Fixtures of the controller's parts."""

from collections.abc import AsyncIterator

import pytest

import writer_fixture
from api_double import ApiDouble
from elasticquota_kube.client import paths
from writer_fixture import Scene


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    """An API server with the namespaces of a team and of the operator."""
    async with ApiDouble() as server:
        for name in ("team", "operator"):
            server.put(paths.NAMESPACES, {"metadata": {"name": name}})
        yield server


@pytest.fixture
def port(unused_tcp_port: int) -> int:
    return unused_tcp_port


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    """A double of the API server, and what the parts of a controller are built with."""
    async with writer_fixture.scene() as found:
        yield found
