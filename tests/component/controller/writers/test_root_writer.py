"""The root writer creates the root quotas that profiles need, and deletes the others."""

import asyncio
from typing import Any

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.decision import Decisions, ProfileStatus, RootQuota
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from elasticquota_operator.writers.root_writer import RootWriter
from writer_fixture import Scene


KEY = Key("team", "root")
ROOT = RootQuota(KEY, {names.TREE_ID: "42"}, {}, {"cpu": 8000}, {"cpu": 9000})


def writer(scene: Scene) -> RootWriter:
    return RootWriter(scene.context())


def stored(scene: Scene) -> list[dict[str, Any]]:
    return scene.double.objects(paths.QUOTAS)


async def test_a_root_quota_is_created_and_then_left_alone(scene: Scene) -> None:
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(Decisions(roots=(ROOT,)))
        await until(lambda: stored(scene))
        actor.apply(Decisions(roots=(ROOT,)))
        actor.apply(Decisions(roots=(replace(ROOT, min={"cpu": 4000}),)))
        await until(lambda: stored(scene)[0]["spec"]["min"] == {"cpu": "4"})
    assert [call.method for call in scene.double.calls] == ["POST", "PATCH"]
    assert scene.double.calls[-1].body == {"spec": {"min": {"cpu": "4"}}}


async def test_a_root_quota_that_exists_but_was_not_seen_is_no_error(scene: Scene) -> None:
    actor = writer(scene)
    scene.double.faults.answer(refusals.exists(paths.QUOTAS, "root"), method="POST")
    async with writer_fixture.at_work(actor):
        actor.apply(Decisions(roots=(ROOT,)))
        await until(lambda: stored(scene))


async def test_who_waits_for_a_root_quota_learns_why_it_is_not_written_and_waits_no_longer(
    scene: Scene,
) -> None:
    actor = writer(scene)
    shut = refusals.Refusal(403, "Forbidden", "no quotas here")
    scene.double.faults.answer(shut, method="POST")
    assert await actor.written(KEY) is None, "nothing is to be written"
    async with writer_fixture.at_work(actor):
        actor.apply(Decisions(roots=(ROOT,)))
        assert str(await actor.written(KEY)) == "403 Forbidden: no quotas here"
        actor.apply(Decisions(roots=(ROOT,)))
        assert str(await actor.written(KEY)) == "403 Forbidden: no quotas here", "at once"
        await until(lambda: stored(scene), within=10)
        async with asyncio.timeout(10):
            while await actor.written(KEY) is not None:  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0)  # it is stored, and the answer is on its way


async def test_who_waits_for_a_root_quota_that_is_not_wanted_any_more_waits_no_longer(
    scene: Scene,
) -> None:
    actor = writer(scene)  # which does not run, so nothing is written
    actor.apply(Decisions(roots=(ROOT,)))
    waiting = asyncio.create_task(actor.written(KEY))
    await asyncio.sleep(0)
    assert not waiting.done()
    actor.apply(Decisions())
    assert await waiting is None


async def test_an_orphaned_root_quota_is_deleted_once_by_its_uid(scene: Scene) -> None:
    scene.quota("root")
    uid = stored(scene)[0]["metadata"]["uid"]
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(Decisions(orphan_roots=(KEY,)))
        await until(lambda: not stored(scene))
    assert scene.double.calls[-1].body["preconditions"] == {"uid": uid}


async def test_a_label_follows_its_field_and_a_newer_edit_is_not_undone(scene: Scene) -> None:
    scene.quota("q", spec={"parent": "dept"})
    key = Key("team", "q")
    actor = writer(scene)
    scene.double.faults.answer(refusals.stale(paths.QUOTAS, "q"), method="PATCH")
    async with writer_fixture.at_work(actor):
        actor.apply(Decisions(unequal=(key,)))
        await until(lambda: stored(scene)[0]["metadata"].get("labels"))
    assert stored(scene)[0]["metadata"]["labels"] == {names.PARENT: "dept"}
    assert all(call.body["metadata"]["resourceVersion"] for call in scene.double.calls)


async def test_a_root_quota_that_is_needed_again_is_not_deleted(scene: Scene) -> None:
    scene.quota("root")
    actor = writer(scene)
    actor.apply(Decisions(orphan_roots=(KEY,)))
    actor.apply(Decisions(roots=(ROOT,)))
    async with writer_fixture.at_work(actor):
        await until(lambda: "min" in stored(scene)[0]["spec"])
    assert scene.double.count("DELETE") == 0


async def test_a_profile_without_tree_id_gets_it_as_a_label_and_then_the_key_of_its_field(
    scene: Scene,
) -> None:
    key = scene.profile("pool", resourceKeys=[])
    item = Decisions(profiles=(ProfileStatus(key, "42", 1, 1, ()),))

    def metadata() -> Any:
        actor.apply(item)
        return scene.double.object(paths.PROFILES, "team", "pool")["metadata"]

    async with writer_fixture.at_work(writer(scene)) as actor:
        await until(lambda: metadata().get("annotations") == {names.RESOURCE_KEYS: "[]"})
        assert metadata()["labels"] == {names.TREE_ID: "42"}
    assert scene.double.count("PATCH") == 2
