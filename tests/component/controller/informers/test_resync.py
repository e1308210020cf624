"""The resync finds objects that vanished while a watch was down, and kinds installed later."""

from typing import Any

import writer_fixture
from api_double import ApiDouble, Refusal, refusals
from api_double.waiting import until
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.informers.resync import Resync


KEY = Key("team", "a")


def quota(name: str = "a", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "team", "name": name}, "spec": spec}


def spec(store: ManifestStore, name: str) -> object:
    return (store.get(Key("team", name)) or {}).get("spec")


async def test_a_sweep_drops_a_quota_that_vanished_unseen(double: ApiDouble, api: Api) -> None:
    dropped: list[Key] = []
    store = ManifestStore(lambda key, _, now: dropped.append(key) if now is None else None)
    repairs: list[tuple[str, int]] = []
    double.put(paths.QUOTAS, quota())
    stores = {paths.QUOTAS: store}
    resync = Resync(api, stores, every=0.05, on_repair=lambda *what: repairs.append(what))
    async with writer_fixture.at_work(resync):
        await resync.synced.wait()
        assert store.get(KEY) is not None
        assert repairs == [], "filling is no repair"
        double.remove(paths.QUOTAS, "team", "a")
        await until(lambda: dropped == [KEY])
        assert repairs == [("elasticquotas", 1)]


async def test_a_24_a_store_that_was_set_back_is_reported_though_no_object_of_ours_changed(
    double: ApiDouble, api: Api
) -> None:
    told: list[bool] = []
    double.put(paths.QUOTAS, quota())
    backup = double.backup()
    double.put(paths.NODES, {"metadata": {"name": "later"}})
    stores = {paths.QUOTAS: ManifestStore()}
    resync = Resync(api, stores, every=0.05, on_set_back=lambda: told.append(True))
    async with writer_fixture.at_work(resync):
        await until(lambda: double.count("GET", "/elasticquotas") > 2)
        assert told == []
        double.restore(backup)
        await until(lambda: bool(told))


async def test_a_24_an_object_that_a_restore_brought_back_is_reported_though_versions_go_on(
    double: ApiDouble, api: Api
) -> None:
    """As ``etcdutl snapshot restore --bump-revision`` does it."""
    told: list[bool] = []
    double.put(paths.QUOTAS, quota())
    backup = double.backup()
    store = ManifestStore()
    resync = Resync(api, {paths.QUOTAS: store}, every=0.05, on_set_back=lambda: told.append(True))
    async with writer_fixture.at_work(resync):
        await resync.synced.wait()
        double.put(paths.QUOTAS, quota(max={"cpu": "8"}))
        await until(lambda: spec(store, "a") == {"max": {"cpu": "8"}})
        assert told == []
        backup.version += 1_000_000
        double.restore(backup)
        await until(lambda: bool(told))


async def test_a_sweep_waits_for_kinds_that_are_not_installed_yet(
    double: ApiDouble, api: Api
) -> None:
    double.faults.answer(refusals.no_such_resource(), times=2, path="/elasticquotas")
    resync = Resync(api, {paths.QUOTAS: ManifestStore()}, wait=writer_fixture.short_back_off)
    async with writer_fixture.at_work(resync):
        await until(resync.synced.is_set)
    assert double.count("GET", "/elasticquotas") == 3


async def test_after_the_first_list_only_metadata_is_listed_and_new_objects_are_read(
    double: ApiDouble, api: Api
) -> None:
    store = ManifestStore()
    double.put(paths.QUOTAS, quota("a", min={"cpu": "1"}))
    async with writer_fixture.at_work(Resync(api, {paths.QUOTAS: store}, every=0.05)) as resync:
        await resync.synced.wait()
        double.put(paths.QUOTAS, quota("b", min={"cpu": "2"}))
        await until(lambda: spec(store, "b") == {"min": {"cpu": "2"}})
    assert double.count("GET", "/elasticquotas/b") == 1
    assert double.count("GET", "/elasticquotas/a") == 0


async def test_an_object_that_cannot_be_read_keeps_what_is_known_of_it_and_others_are_repaired(
    double: ApiDouble, api: Api
) -> None:
    """A round that ended there would lose the events of all others for good."""
    store = ManifestStore()
    for name in ("a", "b", "goes"):
        double.put(paths.QUOTAS, quota(name, min={"cpu": "1"}))
    path = paths.QUOTAS.named("team", "a")
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=999, method="GET", path=path)
    async with writer_fixture.at_work(Resync(api, {paths.QUOTAS: store}, every=0.05)) as resync:
        await resync.synced.wait()
        for name in ("a", "b"):
            double.put(paths.QUOTAS, quota(name, min={"cpu": "2"}))
        double.remove(paths.QUOTAS, "team", "goes")
        await until(lambda: store.get(Key("team", "goes")) is None)
    assert (spec(store, "a"), spec(store, "b")) == ({"min": {"cpu": "1"}}, {"min": {"cpu": "2"}})
