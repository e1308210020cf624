"""Quotas follow the objects of external systems, also across failed writes and restarts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

import translations
import writer_fixture
from api_double import ApiDouble, refusals
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota_config.model import Configuration
from elasticquota_config.sections.dialects import Dialects
from elasticquota_kube.client import paths
from elasticquota_operator.integrations import sources
from elasticquota_operator.integrations.quota_sync import QuotaSync
from elasticquota_operator.integrations.sources import ExternalSource
from small_cluster import controller
from sync_process import HOME, SyncProcess
from writer_fixture import Scene


BOTH = Dialects(ack=True, capacity=True)
TREES = Kind(paths.TREES, names.TREE_KIND, status=True)
LIMITS = Kind(paths.CAPACITY_QUOTAS, names.CAPACITY_KIND, status=True)
TREE = translations.tree(
    {
        "name": "r",
        "children": [
            {"name": "a", "min": {"cpu": 4}, "max": {"cpu": 8}, "namespaces": ["one"]},
            {"name": "b", "min": {"cpu": 2}, "namespaces": ["two"]},
        ],
    }
)


class Process(SyncProcess):
    """It follows the objects of these dialects."""

    def __init__(self, scene: Scene, dialects: Dialects) -> None:
        super().__init__(scene, Configuration())
        found = sources.chosen(dialects)
        self.followed = [ExternalSource(self.context, dialect, every=0.02) for dialect in found]
        self.keeper = QuotaSync(
            self.context, self.followed, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)
        )


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.double.serve(TREES)
    scene.double.serve(LIMITS)
    return scene


def kept(double: ApiDouble) -> dict[str, tuple[Any, Any]]:
    """Min of cpu and bound namespaces of the quotas with a mark, by name."""
    return {
        quota["metadata"]["name"]: (
            quota["spec"].get("min", {}).get("cpu"),
            quota["spec"].get("namespaces"),
        )
        for quota in double.objects(paths.QUOTAS)
        if names.DIALECT in (quota["metadata"].get("labels") or {})
    }


IN_STEP = {"r-a": ("4", ["one"]), "r-b": ("2", ["two"])}


@contextlib.asynccontextmanager
async def in_step(scene: Scene) -> AsyncIterator[None]:
    """A process that has made the quotas of the tree."""
    scene.double.put(paths.TREES, TREE)
    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: kept(scene.double) == IN_STEP)
        yield


def translated(double: ApiDouble, name: str = "tree") -> tuple[str, str]:
    stored = double.object(paths.TREES, "kube-system", name).get("status") or {}
    (condition,) = stored.get("conditions") or [{"status": "", "reason": ""}]
    return (condition["status"], condition["reason"])


async def test_a_tree_becomes_quotas_of_its_own_namespace_and_is_reported(scene: Scene) -> None:
    async with in_step(scene):
        await until(lambda: translated(scene.double) == ("True", "AsWritten"))
    stored = scene.double.object(paths.QUOTAS, HOME, "r-a")["metadata"]
    assert stored["labels"] == {names.DIALECT: "ack"}
    assert stored["annotations"][names.SOURCE] == "ack:r/a"


async def test_a_tree_of_a_profile_waits_for_it_and_stays_when_it_goes(scene: Scene) -> None:
    profile = Profile(Key("ml", "gpu"), "", "", quota_name="gpu-root", tree_id="1")
    labels = {names.IS_ROOT: "true", names.IS_PARENT: "true", names.TREE_ID: "1"}
    metadata = {"namespace": "ml", "name": "gpu-root", "labels": labels}
    scene.double.put(paths.NAMESPACES, {"metadata": {"name": "ml"}})
    scene.double.put(paths.QUOTAS, {"metadata": metadata, "spec": {}})
    scene.double.put(paths.TREES, translations.tree(TREE["spec"]["root"], profile="ml/gpu"))
    process = Process(scene, BOTH)
    whole = {f"gpu-{name}": facts for name, facts in IN_STEP.items()}
    async with writer_fixture.at_work(process):
        await until(lambda: translated(scene.double) == ("False", "WaitsForProfile"))
        assert kept(scene.double) == {}
        process.ledger.upsert_profile(profile)
        await until(lambda: kept(scene.double) == whole)
        await until(lambda: translated(scene.double) == ("True", "AsWritten"))
        process.ledger.delete_profile(profile.key)
        await until(lambda: translated(scene.double) == ("False", "WaitsForProfile"))
        assert kept(scene.double) == whole
        scene.double.remove(paths.TREES, "kube-system", "tree")
        await until(lambda: kept(scene.double) == {})


async def test_an_up_to_date_quota_costs_no_write(scene: Scene) -> None:
    scene.double.put(paths.TREES, TREE)
    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: translated(scene.double) == ("True", "AsWritten"))
    before = len([call for call in scene.double.calls if call.method != "GET"])
    async with writer_fixture.at_work(Process(scene, BOTH)) as second:
        await until(lambda: all(found.is_known for found in second.followed))
        await second.more_cycles(10)
    assert len([call for call in scene.double.calls if call.method != "GET"]) == before


async def test_edits_and_deletions_are_followed(scene: Scene) -> None:
    def edit(tree: Any) -> None:
        tree["spec"]["root"]["children"][0]["min"] = {"cpu": 5}
        tree["spec"]["root"]["children"][0]["namespaces"] = ["one", "two"]
        del tree["spec"]["root"]["children"][1]

    async with in_step(scene):
        scene.double.edit(paths.TREES, "kube-system", "tree", edit)
        await until(lambda: kept(scene.double) == {"r-a": ("5", ["one", "two"])})
        scene.double.remove(paths.TREES, "kube-system", "tree")
        await until(lambda: kept(scene.double) == {})


async def test_a_quota_that_a_user_edits_or_deletes_is_restored(scene: Scene) -> None:
    def edit(quota: Any) -> None:
        quota["spec"] = {"min": {"cpu": "1"}}

    async with in_step(scene):
        scene.double.edit(paths.QUOTAS, HOME, "r-a", edit)
        scene.double.remove(paths.QUOTAS, HOME, "r-b")
        await until(lambda: kept(scene.double) == IN_STEP)


async def test_a_later_edit_is_seen_after_everything_was_up_to_date(scene: Scene) -> None:
    scene.double.put(paths.TREES, TREE)
    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: translated(scene.double) == ("True", "AsWritten"))
    async with writer_fixture.at_work(Process(scene, BOTH)) as second:
        await until(lambda: all(found.is_known for found in second.followed))
        scene.double.remove(paths.QUOTAS, HOME, "r-b")
        await until(lambda: kept(scene.double) == IN_STEP)


async def test_another_owners_quota_keeps_its_name_and_the_tree_says_so(scene: Scene) -> None:
    theirs = {"metadata": {"namespace": "team", "name": "r-a"}, "spec": {"min": {"cpu": "7"}}}
    scene.double.put(paths.QUOTAS, theirs)
    scene.double.put(paths.TREES, TREE)
    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: translated(scene.double) == ("False", "NameTaken"))
        await until(lambda: kept(scene.double) == {"r-b": IN_STEP["r-b"]})
    assert scene.double.object(paths.QUOTAS, "team", "r-a")["spec"] == theirs["spec"]


@pytest.mark.parametrize(
    "refusal",
    [
        refusals.exists(paths.QUOTAS, "r-a"),
        refusals.Refusal(500, "InternalError", "failed calling webhook"),
        refusals.Refusal(429, "TooManyRequests", "slow down"),
        refusals.Refusal(403, "Forbidden", "not now"),
    ],
    ids=lambda refusal: str(refusal.reason),
)
async def test_a_refused_write_is_tried_again(scene: Scene, refusal: refusals.Refusal) -> None:
    scene.double.put(paths.TREES, TREE)
    scene.double.faults.answer(refusal, times=2, method="POST", path="elasticquotas")
    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: kept(scene.double) == IN_STEP, within=15)


def _has(double: ApiDouble, count: int) -> bool:
    return len(kept(double)) >= count


async def test_the_next_process_completes_what_one_began(scene: Scene) -> None:
    """Each process dies after one more write than the one before."""
    children = [
        {"name": name, "min": {"cpu": 1}, "children": [{"name": "x", "min": {"cpu": 1}}]}
        for name in ("a", "b", "c")
    ]
    whole = {f"r-{name}{end}" for name in ("a", "b", "c") for end in ("", "-x")}
    scene.double.put(paths.TREES, translations.tree({"name": "r", "children": children}))
    for count in range(1, 4):
        async with writer_fixture.at_work(Process(scene, BOTH)):
            await until(partial(_has, scene.double, count))
    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: kept(scene.double).keys() == whole)
    assert scene.double.count("POST") == len(whole), "nothing was made twice"


async def test_an_absent_definition_is_reported_once_and_waited_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with (
        writer_fixture.scene() as scene,
        writer_fixture.at_work(Process(scene, Dialects(ack=True))),
    ):
        asked = "/apis/scheduling.sigs.k8s.io/v1beta1/elasticquotatrees"
        await until(lambda: sum(call.path == asked for call in scene.double.calls) > 3)
        scene.double.serve(TREES)
        scene.double.put(paths.TREES, TREE)
        await until(lambda: kept(scene.double) == IN_STEP)
    said = capsys.readouterr()
    assert (said.out + said.err).count("not installed, waiting for it") == 1


async def test_while_a_definition_is_unknown_nothing_is_removed() -> None:
    async with writer_fixture.scene() as scene:
        labels = {names.DIALECT: "ack"}
        metadata = {"namespace": HOME, "name": "r-a", "labels": labels}
        scene.double.put(paths.QUOTAS, {"metadata": metadata, "spec": {}})
        async with writer_fixture.at_work(Process(scene, Dialects(ack=True))):
            await until(lambda: len(scene.double.calls) > 5)
        assert kept(scene.double).keys() == {"r-a"}


async def test_with_all_integrations_off_no_call_is_made(scene: Scene) -> None:
    scene.double.put(paths.TREES, TREE)
    async with writer_fixture.at_work(Process(scene, Dialects())):
        await asyncio.sleep(0.1)
    assert scene.double.calls == []


def limit(namespace: str, name: str = "quota") -> Any:
    spec = {"min": {"cpu": 4}, "max": {"cpu": 6}}
    return {"metadata": {"namespace": namespace, "name": name}, "spec": spec}


async def test_capacity_quotas_are_followed_in_the_operators_namespace(scene: Scene) -> None:
    for namespace in ("one", "two"):
        scene.double.put(paths.CAPACITY_QUOTAS, limit(namespace))
    whole = {"capacity": ("8", None), "one": ("4", ["one"]), "two": ("4", ["two"])}
    process = Process(scene, BOTH)
    process.decisions = Decisions(
        statuses=(writer_fixture.status(Key(HOME, "one"), used={"cpu": 1500}),)
    )

    def told() -> Any:
        return scene.double.object(paths.CAPACITY_QUOTAS, "one", "quota").get("status") or {}

    async with writer_fixture.at_work(process):
        await until(lambda: told().get("used") == {"cpu": "1500m"})
        await until(lambda: kept(scene.double) == whole)
    assert {quota["metadata"]["namespace"] for quota in scene.double.objects(paths.QUOTAS)} == {
        HOME
    }


async def test_a_field_dropped_by_their_definition_is_not_written_again_and_again(
    scene: Scene,
) -> None:
    """The CRD of the external system has no conditions."""
    scene.double.put(paths.CAPACITY_QUOTAS, limit("one"))

    def drop(quota: Any) -> None:
        (quota.get("status") or {}).pop("conditions", None)

    def writes() -> int:
        return sum(call.path.endswith("/status") for call in scene.double.calls)

    async with writer_fixture.at_work(Process(scene, BOTH)):
        await until(lambda: writes() == 1)
        scene.double.edit(paths.CAPACITY_QUOTAS, "one", "quota", drop)
        await asyncio.sleep(3.5)
    assert writes() <= 2


async def test_a_definition_without_status_is_left_alone() -> None:
    async with writer_fixture.scene() as scene:
        scene.double.serve(Kind(paths.TREES, names.TREE_KIND))
        scene.double.put(paths.TREES, TREE)
        async with writer_fixture.at_work(Process(scene, Dialects(ack=True))):
            await until(lambda: kept(scene.double) == IN_STEP)
            await until(lambda: any(c.path.endswith("/status") for c in scene.double.calls))
            await asyncio.sleep(2.5)
        assert sum(call.path.endswith("/status") for call in scene.double.calls) == 1


def test_only_enabled_integrations_are_followed() -> None:
    assert sources.chosen(Dialects()) == ()
    assert [each.name for each in sources.chosen(Dialects(capacity=True))] == ["capacity"]
    assert [each.name for each in sources.chosen(BOTH)] == ["ack", "capacity"]


async def test_the_whole_controller_follows(unused_tcp_port: int) -> None:
    async with ApiDouble() as double:
        double.serve(TREES)
        double.put(paths.TREES, TREE)
        double.put(paths.NAMESPACES, {"metadata": {"name": HOME}})
        async with controller(double, "one", unused_tcp_port, dialects={"ack": True}):
            await until(lambda: kept(double) == IN_STEP, within=15)
            await until(lambda: translated(double) == ("True", "AsWritten"), within=15)
