"""The quota client updates the store with its own writes, before any watch event."""

from collections.abc import Mapping
from typing import Any

import pytest

from elasticquota.wire.codec import merge
from elasticquota_kube.client import paths
from elasticquota_operator.writers.quota_client import QuotaClient
from writer_fixture import Scene


async def test_a_deleted_quota_leaves_the_store_at_once(scene: Scene) -> None:
    """A watch that begins after the deletion never reports it."""
    key = scene.quota("a")
    await QuotaClient(scene.api, scene.quotas, "quota").remove(key, "it is not wanted")
    assert scene.double.objects(paths.QUOTAS) == []
    assert scene.quotas.get(key) is None


async def test_a_quota_that_is_already_gone_leaves_the_store_too(scene: Scene) -> None:
    key = scene.quota("a")
    scene.double.remove(paths.QUOTAS, "team", "a")
    await QuotaClient(scene.api, scene.quotas, "quota").remove(key, "it is not wanted")
    assert scene.quotas.get(key) is None


async def test_a_field_that_the_definition_drops_is_not_written_without_end(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """Koordinator's own definition has no ``tree``."""
    key = scene.quota("a")
    scene.double.drop(paths.QUOTAS, "tree")
    client = QuotaClient(scene.api, scene.quotas, "quota")

    async def put(cores: int) -> int:
        """How many writes there were."""
        spec = {"max": {"cpu": cores}, "tree": {"enforcement": "Observe"}}

        def change(stored: Mapping[str, Any]) -> dict[str, Any] | None:
            return {"spec": merge.difference(stored["spec"], spec)}

        await client.put(key, dict, change)
        return scene.double.count("PATCH")

    assert [await put(cores) for cores in (1, 1, 1, 2, 2, 2)] == [1, 2, 2, 3, 4, 4]
    assert "drops fields of the spec" in capsys.readouterr().out
