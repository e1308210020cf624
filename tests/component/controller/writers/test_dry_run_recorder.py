"""The recorder reports what trees in observe mode would have done, once per change of state."""

import writer_fixture
from api_double.waiting import until
from elasticquota.model.decision import Decisions, Eviction, Wait
from elasticquota.model.key import Key
from elasticquota.model.wait_reason import WaitReason
from elasticquota_kube.client import paths
from elasticquota_operator.writers.dry_run_recorder import DryRunRecorder
from writer_fixture import Scene


class Looking:
    """A recorder, and the pod ``a`` that it reports on."""

    def __init__(self, scene: Scene) -> None:
        self.dry_run = DryRunRecorder(scene.recorder)
        self.uid = scene.pod("a", gates=(), nodeName="n-1")

    def wait(self, reason: WaitReason = "QuotaExhausted", message: str = "no room") -> None:
        wait = Wait(Key("team", "a"), self.uid, "team-a", reason, message)
        self.dry_run.apply(Decisions(would_wait=(wait,)))

    def reclaim(self) -> None:
        gone = Eviction(Key("team", "a"), self.uid, "team-a", {"cpu": 1000}, "holds too much")
        self.dry_run.apply(Decisions(would_evict=(gone,)))

    def nothing(self) -> None:
        self.dry_run.apply(Decisions())


async def told(scene: Scene, *reasons: str) -> None:
    """Check that exactly these events are written, in any order."""
    async with writer_fixture.at_work(scene.recorder):
        await until(lambda: len(scene.reasons()) >= len(reasons))
    assert sorted(scene.reasons()) == sorted(reasons)


async def test_a_pod_gets_an_event_with_what_enforcing_would_have_done(scene: Scene) -> None:
    Looking(scene).wait()
    await told(scene, "QuotaWouldWait")
    (event,) = scene.double.objects(paths.EVENTS)
    assert event["note"] == "only observed, nothing was done: no room [QuotaExhausted]"
    assert event["type"] == "Normal"
    assert (event["regarding"]["kind"], event["regarding"]["name"]) == ("Pod", "a")


async def test_it_is_reported_once_although_its_figures_move_and_no_pod_is_touched(
    scene: Scene,
) -> None:
    looking = Looking(scene)
    for left in range(5):
        looking.wait(message=f"{left} left")
    looking.reclaim()
    looking.reclaim()
    await told(scene, "QuotaWouldWait", "QuotaWouldReclaim")
    assert {call.path.rsplit("/", 1)[-1] for call in scene.double.calls} == {"events"}


async def test_another_reason_is_reported_again(scene: Scene) -> None:
    looking = Looking(scene)
    looking.wait()
    looking.wait("ExceedsMax", "more than max")
    await told(scene, "QuotaWouldWait", "QuotaWouldWait")


async def test_a_recurring_reason_is_reported_again(scene: Scene) -> None:
    looking = Looking(scene)
    looking.wait()
    looking.nothing()
    looking.wait(message="no room again")
    await told(scene, "QuotaWouldWait", "QuotaWouldWait")
