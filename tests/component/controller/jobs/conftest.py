"""Fixtures for the tests of queued jobs."""

from collections.abc import AsyncIterator

import pytest

import writer_fixture
from api_double.kinds import Kind
from elasticquota_kube.client import paths
from job_process import JOBS, Process
from worlds import World
from writer_fixture import Scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with writer_fixture.scene() as found:
        found.double.serve(Kind(JOBS, "Job", status=True))
        found.double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
        yield found


@pytest.fixture
def world() -> World:
    """A quota of 4 cpu that binds namespace teams, and one that may request all 8."""
    found = World(nodes=1, cpu=8)
    found.quota("team-a", max=4, namespaces=("teams",))
    found.quota("owner", min=8)
    return found


@pytest.fixture
async def process(scene: Scene, world: World) -> Process:
    """It does not run yet."""
    return Process(scene, world)
