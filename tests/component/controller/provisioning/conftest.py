"""Fixtures for the tests of ProvisioningRequests."""

from collections.abc import AsyncIterator

import pytest

import writer_fixture
from api_double.kinds import Kind
from elasticquota_kube.client import paths
from job_process import JOBS
from provisioning_process import Process, world_of_team
from worlds import World
from writer_fixture import Scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with writer_fixture.scene() as found:
        found.double.serve(Kind(JOBS, "Job", status=True))
        found.double.serve(Kind(paths.POD_TEMPLATES, "PodTemplate"))
        found.double.serve(Kind(paths.PROVISIONING_REQUESTS, "ProvisioningRequest", status=True))
        found.double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
        yield found


@pytest.fixture
def world() -> World:
    """A quota of 4 cpu that binds namespace teams."""
    return world_of_team()


@pytest.fixture
async def process(scene: Scene, world: World) -> Process:
    """It does not run yet."""
    return Process(scene, world)
