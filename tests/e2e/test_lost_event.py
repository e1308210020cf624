"""The resync repairs what a watch lost, with the rights that the chart gives to the controller."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

import users
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials, Token
from elasticquota_kube.client.credentials.trust import Trust
from elasticquota_operator.context.manifest_store import Manifest, ManifestStore
from elasticquota_operator.informers.resync import Resync
from installation import CONTROLLER, NAMESPACE, Installation
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

KINDS = (paths.QUOTAS, paths.PROFILES)


@pytest.fixture
async def api(admin: User, product: Installation) -> AsyncIterator[Api]:
    """A client with the controller's own token."""
    account = users.account(admin, NAMESPACE, CONTROLLER)
    settings = account.configuration
    token = settings.api_key["authorization"].removeprefix("Bearer ")
    trust = Trust(Path(settings.ssl_ca_cert or "").read_bytes)
    async with Api(Credentials(settings.host, tls=trust, token=Token(value=token))) as connection:
        yield connection
    account.close()


async def test_what_came_changed_and_went_without_an_event_is_in_the_stores(
    api: Api, pool: Pool
) -> None:
    """No watch fills these stores, so every event is lost to them."""
    pool.quota("changes", min=1, max=4)
    pool.quota("goes", min=1, max=4)
    stores = {kind: ManifestStore() for kind in KINDS}
    resync = Resync(api, stores, every=0.1)
    running = asyncio.create_task(resync.run())
    await asyncio.wait_for(resync.synced.wait(), 20)
    profile = {"metadata": {"labels": {"seen": "late"}}}

    def lose() -> None:
        pool.quota("comes", min=1, max=4)
        pool.admin.patch(
            "ElasticQuota",
            pool.name("changes"),
            pool.namespace,
            change={"spec": {"max": {"cpu": 9}}},
        )
        pool.admin.delete("ElasticQuota", pool.name("goes"), pool.namespace)
        pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=profile)

    def seen() -> tuple[bool, object, bool, object]:
        def stored(kind: paths.Resource, name: str) -> Manifest:
            return stores[kind].get(Key(pool.namespace, name)) or {}

        changed = stored(paths.QUOTAS, pool.name("changes"))
        labels = stored(paths.PROFILES, "pool")["metadata"]["labels"]
        return (
            bool(stored(paths.QUOTAS, pool.name("comes"))),
            changed["spec"]["max"]["cpu"],
            bool(stored(paths.QUOTAS, pool.name("goes"))),
            labels.get("seen"),
        )

    try:
        await asyncio.to_thread(lose)
        await asyncio.to_thread(eventually, seen, (True, 9, False, "late"))
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
