"""The quota client updates the store with its own writes, before any watch event."""

import writer_fixture
from elasticquota_kube.client import paths
from elasticquota_operator.writers.quota_client import QuotaClient


async def test_a_deleted_quota_leaves_the_store_at_once() -> None:
    """A watch that begins after the deletion never reports it."""
    async with writer_fixture.scene() as scene:
        key = scene.quota("a")
        await QuotaClient(scene.api, scene.quotas, "quota").remove(key, "it is not wanted")
        assert scene.double.objects(paths.QUOTAS) == []
        assert scene.quotas.get(key) is None


async def test_a_quota_that_is_already_gone_leaves_the_store_too() -> None:
    async with writer_fixture.scene() as scene:
        key = scene.quota("a")
        scene.double.remove(paths.QUOTAS, "team", "a")
        await QuotaClient(scene.api, scene.quotas, "quota").remove(key, "it is not wanted")
        assert scene.quotas.get(key) is None
