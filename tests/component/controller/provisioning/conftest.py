"""Fixtures for the tests of ProvisioningRequests."""

import pytest

from api_double.kinds import Kind
from elasticquota_kube.client import paths
from job_process import JOBS
from provisioning_process import Process, world_of_team
from worlds import World
from writer_fixture import Scene


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.double.serve(Kind(JOBS, "Job", status=True))
    scene.double.serve(Kind(paths.POD_TEMPLATES, "PodTemplate"))
    scene.double.serve(Kind(paths.PROVISIONING_REQUESTS, "ProvisioningRequest", status=True))
    scene.double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
    return scene


@pytest.fixture
def world() -> World:
    """A quota of 4 cpu that binds namespace teams."""
    return world_of_team()


@pytest.fixture
async def process(scene: Scene, world: World) -> Process:
    """It does not run yet."""
    return Process(scene, world)
