"""Fixtures for the tests of queued jobs."""

import pytest

from api_double.kinds import Kind
from elasticquota_kube.client import paths
from job_process import JOBS, Process
from worlds import World
from writer_fixture import Scene


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.double.serve(Kind(JOBS, "Job", status=True))
    scene.double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
    return scene


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
