"""The hand that writes quotas puts on the shelf what it has done, whatever a watch says of it."""

import writer_fixture
from elasticquota_kube.client import paths
from elasticquota_operator.writers.quota_client import QuotaClient


async def test_a_quota_that_was_deleted_is_off_the_shelf_at_once() -> None:
    """A watch that begins after the deletion never tells of it."""
    async with writer_fixture.scene() as scene:
        key = scene.quota("a")
        await QuotaClient(scene.api, scene.quotas, "quota").remove(key, "nobody wants it")
        assert scene.double.objects(paths.QUOTAS) == []
        assert scene.quotas.get(key) is None


async def test_a_quota_that_is_gone_already_is_off_the_shelf_too() -> None:
    async with writer_fixture.scene() as scene:
        key = scene.quota("a")
        scene.double.remove(paths.QUOTAS, "team", "a")
        await QuotaClient(scene.api, scene.quotas, "quota").remove(key, "nobody wants it")
        assert scene.quotas.get(key) is None
