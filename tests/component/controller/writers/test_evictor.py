"""The evictor evicts victims and handles each answer of the eviction API."""

import pytest

import api_double
import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.model.key import Key
from elasticquota.model.refusal import Refusal
from elasticquota_config.model import Configuration
from elasticquota_config.sections.reclaim import ReclaimSection
from elasticquota_kube.client import paths
from elasticquota_kube.eviction import EvictionAnswer
from elasticquota_operator.pages.metrics import Telemetry
from elasticquota_operator.writers import evictor
from elasticquota_operator.writers.evictor import Evictor
from writer_fixture import Scene


class Told(Telemetry):
    """The answers of the API server."""

    def __init__(self) -> None:
        super().__init__(lambda: True)
        self.answers: list[EvictionAnswer] = []

    def asked_to_evict(self, _quota: str, answer: EvictionAnswer) -> None:
        self.answers.append(answer)


class Asking:
    """An evictor whose answers are recorded, and its victim, pod ``a``."""

    def __init__(
        self,
        scene: Scene,
        delete_after: int = 0,
        rest: float = 0.01,
        memory: float = evictor.MEMORY,
    ) -> None:
        """A refused victim is asked again after ``rest`` seconds, whatever the evictor says."""
        self._scene = scene
        self.pauses: list[float] = []

        def wait(refusals: int) -> float:
            self.pauses.append(evictor.rest(refusals))
            return rest

        self.delete_after(delete_after)
        told = Told()
        self.answers = told.answers
        self.evictor = Evictor(scene.context(telemetry=told), wait=wait, memory=memory)
        self.uid = scene.pod("a", gates=(), nodeName="n-1")

    def delete_after(self, seconds: int) -> None:
        """For how long budgets may keep a victim; 0: without end."""
        self.configure(Configuration(reclaim=ReclaimSection(delete_after_seconds=seconds)))

    def configure(self, configuration: Configuration) -> None:
        self._scene.settings.replace(configuration)
        self._scene.ledger.update(self._scene.settings.accounting)

    def apply(self, grace: int | None = None) -> None:
        victim = Eviction(
            Key("team", "a"), self.uid, "team-a", {"cpu": 1000}, "holds too much", "team-b",
            grace=grace,
        )  # fmt: skip
        self.evictor.apply(Decisions(evictions=(victim,)))


async def test_a_victim_counts_as_reclaimed_from_the_eviction_call_on(
    scene: Scene,
) -> None:
    asking = Asking(scene)
    evicted: list[str] = []
    scene.outcomes.on_evicted.append(lambda eviction: evicted.append(eviction.uid))
    asking.apply()
    assert asking.uid in scene.ledger.evicting
    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaReclaim"])
    assert evicted == [asking.uid]
    assert "deletionTimestamp" in scene.double.object(paths.PODS, "team", "a")["metadata"]
    assert asking.uid in scene.ledger.evicting
    scene.see_again("a")
    assert asking.uid not in scene.ledger.evicting, "it is seen terminating"


async def test_a_victim_is_not_evicted_twice_at_the_same_time(scene: Scene) -> None:
    asking = Asking(scene)
    scene.double.faults.flowing.clear()
    async with writer_fixture.at_work(asking.evictor):
        asking.apply()
        await until(lambda: scene.double.count("POST", "eviction"))
        asking.apply()
        scene.double.faults.flowing.set()
        await until(lambda: asking.answers)
        await scene.api.get(paths.PODS, "team", "a")  # time enough for another call
    assert scene.double.count("POST", "eviction") == 1


async def test_a_protected_pod_is_withheld_so_that_others_are_chosen(scene: Scene) -> None:
    asking = Asking(scene, rest=0.2)
    scene.double.refuse_eviction("team", "a", refusals.blocked_by_budget("keep"))
    asking.apply()
    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: asking.uid in scene.ledger.withheld)
        assert asking.uid not in scene.ledger.evicting
        assert scene.touches, "the next round chooses others"
        assert scene.ledger.refused == {
            asking.uid: Refusal(Key("team", "a"), "team-a", "team-b", "DisruptionBudget", "keep")
        }
        await until(lambda: scene.reasons() == ["QuotaReclaimBlocked"])
        note = scene.double.objects(paths.EVENTS)[0]["note"]
        assert note.startswith("To be evicted: holds too much. Refused: ")
        assert note.endswith("(keep)")
        await until(lambda: asking.uid not in scene.ledger.withheld)


async def test_the_pause_of_a_protected_pod_doubles_from_5_to_60_seconds(
    scene: Scene,
) -> None:
    asking = Asking(scene)
    scene.double.refuse_eviction("team", "a", refusals.two_budgets())
    async with writer_fixture.at_work(asking.evictor):
        for count in range(1, 7):
            asking.apply()
            await until(lambda count=count: len(asking.pauses) == count)  # type: ignore[misc]
            await until(lambda: asking.uid not in scene.ledger.withheld)
    assert asking.pauses == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]


async def test_a_refusal_is_remembered_for_a_while_after_the_pod_is_no_victim(
    scene: Scene,
) -> None:
    asking = Asking(scene, memory=0.3)
    scene.double.refuse_eviction("team", "a", refusals.two_budgets())
    asking.apply()
    async with writer_fixture.at_work(asking.evictor):
        await until(lambda: scene.ledger.refused and not scene.ledger.withheld)
        asking.evictor.apply(Decisions())
        assert scene.ledger.refused

        def is_forgotten() -> bool:
            asking.evictor.apply(Decisions())
            return not scene.ledger.refused

        await until(is_forgotten)


@pytest.mark.parametrize("said", [refusals.blocked_by_budget("keep"), refusals.two_budgets()])
async def test_a_pod_protected_by_budgets_for_too_long_is_deleted(
    scene: Scene, said: api_double.Refusal
) -> None:
    asking = Asking(scene, delete_after=1)
    scene.double.refuse_eviction("team", "a", said)

    def ask_again() -> bool:
        if EvictionAnswer.DELETED not in asking.answers:
            asking.apply()
        return EvictionAnswer.DELETED in asking.answers

    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(ask_again)
        await until(lambda: "QuotaReclaim" in scene.reasons())
    refused = asking.answers[:-1]
    assert len(refused) > 1, "it is not deleted at the first refusal"
    assert not {EvictionAnswer.BLOCKED, EvictionAnswer.AMBIGUOUS_BUDGETS}.isdisjoint(refused)
    assert asking.answers[-1] is EvictionAnswer.DELETED
    notes = {event["reason"]: event["note"] for event in scene.double.objects(paths.EVENTS)}
    told = "Evicted: holds too much. Deleted, as its disruption budget kept it for 1 s."
    assert notes["QuotaReclaim"] == told
    assert "deletionTimestamp" in scene.double.object(paths.PODS, "team", "a")["metadata"]
    assert asking.uid in scene.ledger.evicting


async def test_without_a_limit_no_pod_is_deleted_and_a_limit_may_come_at_run_time(
    scene: Scene,
) -> None:
    asking = Asking(scene)
    scene.double.refuse_eviction("team", "a", refusals.two_budgets())

    def ask_again() -> list[EvictionAnswer]:
        asking.apply()
        return asking.answers

    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: len(ask_again()) > 2)
        assert scene.double.count("DELETE", "pods") == 0
        asking.delete_after(1)
        await until(lambda: EvictionAnswer.DELETED in ask_again())


@pytest.mark.parametrize(
    ("has_successor", "answer"),
    [(False, EvictionAnswer.GONE), (True, EvictionAnswer.REPLACED)],
    ids=["no successor", "a successor of its name"],
)
async def test_a_victim_that_is_gone_is_left_to_the_watch_and_its_successor_is_never_evicted(
    scene: Scene, has_successor: bool, answer: EvictionAnswer
) -> None:
    asking = Asking(scene)
    scene.double.remove(paths.PODS, "team", "a")
    if has_successor:
        scene.pod("a", gates=(), nodeName="n-1")
    asking.apply()
    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: asking.answers and asking.uid not in scene.ledger.evicting)
    assert asking.answers == [answer]
    assert scene.reasons() == []
    assert all("deletionTimestamp" not in p["metadata"] for p in scene.double.objects(paths.PODS))


async def test_a_victim_is_spared_when_its_tree_switches_to_observe_mode(scene: Scene) -> None:
    asking = Asking(scene)
    asking.apply()
    asking.configure(Configuration(mode="observe"))
    assert asking.uid in scene.ledger.evicting
    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: asking.uid not in scene.ledger.evicting)
    assert scene.touches, "a new decision is requested"
    assert scene.double.count("POST", "eviction") == 0


async def test_a_pod_too_large_to_be_evicted_is_evicted_without_what_it_needs_no_more(
    scene: Scene,
) -> None:
    """Its budgets count, it keeps its grace, and ``deleteAfterSeconds`` need not be set."""
    asking = Asking(scene)
    too_large = refusals.too_large_to_store()
    scene.double.faults.answer(too_large, times=1, method="POST", path="eviction")
    asking.apply()
    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaReclaim"])
    assert asking.answers == [EvictionAnswer.TOO_LARGE, EvictionAnswer.EVICTED]
    (shrunk,) = [call.body for call in scene.double.calls if call.method == "PATCH"]
    assert shrunk == {
        "metadata": {
            "uid": asking.uid,
            "labels": {names.ADMITTED_AT: None},
            "managedFields": [{}],
        }
    }
    assert scene.double.count("DELETE", "pods") == 0


async def test_a_pod_too_large_to_be_evicted_is_deleted_at_once_where_that_is_allowed(
    scene: Scene,
) -> None:
    """A second eviction would be refused: the budgets count the first."""
    asking = Asking(scene, delete_after=300)
    scene.double.refuse_eviction("team", "a", refusals.too_large_to_store())
    asking.apply()
    async with writer_fixture.at_work(asking.evictor, scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaReclaim"])
    assert asking.answers == [EvictionAnswer.TOO_LARGE, EvictionAnswer.DELETED]
    assert scene.double.count("PATCH", "pods") == 1
    note = scene.double.objects(paths.EVENTS)[0]["note"]
    assert note.endswith("Deleted, as it is too large for the store to be evicted.")
    assert asking.uid in scene.ledger.evicting


async def test_a_too_large_pod_with_a_long_grace_is_deleted_with_the_shorter_one(
    scene: Scene,
) -> None:
    asking = Asking(scene, delete_after=300)
    scene.double.refuse_eviction("team", "a", refusals.too_large_to_store())
    asking.apply(grace=30)
    async with writer_fixture.at_work(asking.evictor):
        await until(lambda: EvictionAnswer.DELETED in asking.answers)
    (deleted,) = [call.body for call in scene.double.calls if call.method == "DELETE"]
    assert deleted["gracePeriodSeconds"] == 30


async def test_where_no_pod_may_be_deleted_others_are_chosen_for_a_too_large_one(
    scene: Scene,
) -> None:
    asking = Asking(scene, rest=60)
    scene.double.refuse_eviction("team", "a", refusals.too_large_to_store())
    asking.apply()
    async with writer_fixture.at_work(asking.evictor):
        await until(lambda: asking.uid in scene.ledger.withheld)
    assert scene.double.count("DELETE", "pods") == 0
    assert scene.ledger.refused[asking.uid].blocker == "ApiServer"


async def test_external_pods_that_take_the_room_again_are_evicted_with_pauses(
    scene: Scene,
) -> None:
    asking = Asking(scene)
    async with writer_fixture.at_work(asking.evictor):
        for number in range(50):
            name = f"again-{number}"
            uid = scene.pod(name, gates=(), label="", nodeName="n-1")
            racer = Eviction(Key("team", name), uid, "", {"cpu": 1000}, external=True)
            asking.evictor.apply(Decisions(evictions=(racer,)))
            await until(lambda uid=uid: uid in scene.ledger.evicting | scene.ledger.withheld)  # type: ignore[misc]
        await until(lambda: asking.answers)
        assert asking.answers == [EvictionAnswer.EVICTED]
        await until(lambda: not scene.ledger.withheld, within=5)
    assert scene.touches, "others are chosen meanwhile, and these again afterwards"
