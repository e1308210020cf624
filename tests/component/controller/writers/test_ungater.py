"""The ungater removes our gate from admitted pods and reports to the others why they wait."""

from collections.abc import Hashable

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.decision import Decisions, Release, Unscheduled, Wait
from elasticquota.model.key import Key
from elasticquota.model.wait_reason import WaitReason
from elasticquota.structs import replace
from elasticquota_kube.client import paths, retry
from elasticquota_operator.context import backlog
from elasticquota_operator.writers import ungate, ungater
from elasticquota_operator.writers.ungater import Ungater
from writer_fixture import Scene


KEY = Key("team", "a")

STARTED = "2026-11-21T10:00:00Z"
REFUSED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}

FAR_BACK = 20
"""A position that is too far back to follow every number."""


def keeper(scene: Scene, *decided: Decisions) -> Ungater:
    """An ungater that got these decisions, one after the other."""
    found = Ungater(scene.context(), wait=writer_fixture.short_back_off)
    for decisions in decided:
        found.apply(decisions)
    return found


def release(uid: str, gate_index: int = 0) -> Decisions:
    return Decisions(releases=(Release(KEY, uid, "team-a", gate_index, "admitted"),))


def wait(
    uid: str,
    reason: WaitReason,
    detail: str = "4 cpu asked, 1 left",
    place: int = FAR_BACK,
    quota: str = "team-a",
    facts: tuple[Hashable, ...] = (),
) -> Decisions:
    text = f"Waiting for quota {quota}: {detail}."
    return Decisions(waits=(Wait(KEY, uid, quota, reason, text, place, facts or (detail,)),))


def unscheduled(uid: str) -> Decisions:
    return Decisions(unscheduled=(Unscheduled(KEY, uid, "team-a", "no node has taken it"),))


def gates(scene: Scene) -> list[str]:
    spec = scene.double.object(paths.PODS, "team", "a")["spec"]
    return [gate["name"] for gate in spec["schedulingGates"]]


def message(scene: Scene, pod: str = "a") -> str:
    conditions = scene.double.object(paths.PODS, "team", pod)["status"]["conditions"]
    return str(next(c for c in conditions if c["type"] == "PodScheduled").get("message", ""))


async def test_ungating_removes_our_gate_and_no_other(scene: Scene) -> None:
    uid = scene.pod("a", gates=("someone/else", names.GATE))
    ungater = keeper(scene)
    admitted: list[str] = []
    scene.outcomes.on_admitted.append(lambda release: admitted.append(release.uid))
    ungater.apply(release(uid, gate_index=1))
    assert uid in scene.ledger.releasing, "it counts as admitted before the call"
    async with writer_fixture.at_work(ungater, scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaAdmitted"])
    assert gates(scene) == ["someone/else"]
    assert admitted == [uid]
    assert uid in scene.ledger.releasing, "until the watch shows it"
    scene.see_again("a")
    assert uid not in scene.ledger.releasing


async def test_a_refused_ungating_is_rolled_back_and_retried(scene: Scene) -> None:
    uid = scene.pod("a")
    refusal = refusals.invalid("the test of the patch failed")
    scene.double.faults.answer(refusal, times=1 + ungate.READS, method="PATCH")
    ungater = keeper(scene)
    ungater.apply(release(uid))
    scene.touches = 0
    async with writer_fixture.at_work(ungater):
        await until(lambda: uid not in scene.ledger.releasing)
        assert scene.ledger.withheld == {uid}, "others get its room until it is tried again"
        await until(lambda: scene.touches)
        assert scene.ledger.withheld == set()
        ungater.apply(release(uid))
        await until(lambda: gates(scene) == [])


async def test_a_pod_that_fits_no_node_gets_a_message(scene: Scene) -> None:
    uid = scene.pod("a", gates=())
    async with writer_fixture.at_work(keeper(scene), scene.recorder) as ungater:
        ungater.apply(unscheduled(uid))
        await until(lambda: scene.reasons() == ["QuotaUnscheduled"])


def test_a_pod_that_fits_no_node_gets_one_event_each_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        scene.recorder, "record", lambda _pod, reason, *_texts, **_facts: told.append(reason)
    )
    ungater = keeper(scene)
    ungater.apply(unscheduled("uid"))
    ungater.apply(unscheduled("uid"))
    assert told == ["QuotaUnscheduled"]
    ungater.apply(Decisions())
    ungater.apply(unscheduled("uid"))
    assert told == ["QuotaUnscheduled"] * 2


async def test_a_stale_ungating_never_touches_the_successor_of_the_pod(scene: Scene) -> None:
    uid = scene.pod("a")
    scene.double.remove(paths.PODS, "team", "a")
    scene.pod("a")
    async with writer_fixture.at_work(keeper(scene, release(uid))):
        await until(lambda: uid not in scene.ledger.releasing)
    assert gates(scene) == [names.GATE]


async def test_an_ungating_without_an_answer_is_sent_again_and_still_counted(scene: Scene) -> None:
    uid = scene.pod("a")
    scene.double.faults.answer(refusals.Refusal(500, "InternalError", "oops"), method="PATCH")
    async with writer_fixture.at_work(keeper(scene, release(uid))):
        await until(lambda: gates(scene) == [])
    assert uid in scene.ledger.releasing


async def test_an_ungating_that_worked_although_its_answer_was_lost_counts(scene: Scene) -> None:
    uid = scene.pod("a")
    ungater = keeper(scene)
    ungater.apply(release(uid))
    scene.double.edit(paths.PODS, "team", "a", lambda pod: pod["spec"].pop("schedulingGates"))
    async with writer_fixture.at_work(ungater, scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaAdmitted"])
    assert uid in scene.ledger.releasing, "until the watch shows it"


async def test_an_ungating_that_the_policy_forbids_is_reported_on_the_pod(scene: Scene) -> None:
    uid = scene.pod("a")
    refusal = refusals.Refusal(403, "Forbidden", "the gate is not yours")
    scene.double.faults.answer(refusal, method="PATCH")
    async with writer_fixture.at_work(keeper(scene, release(uid)), scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaReleaseRefused"])


async def test_a_pod_too_large_to_be_released_gets_no_message_until_it_is_to_be_tried_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store would not take that either, and each try costs the API server the whole pod."""
    monkeypatch.setattr(retry, "after", lambda _error, otherwise: otherwise)
    uid, other = scene.pod("a"), scene.pod("b")
    waits = Decisions(
        waits=tuple(
            Wait(Key("team", name), of, "team-a", "ReleaseRefused", "Waits.", FAR_BACK, ("x",))
            for name, of in (("a", uid), ("b", other))
        )
    )
    too_large = refusals.too_large_to_store()
    scene.double.faults.answer(too_large, times=2, method="PATCH", path="/pods/a")
    rests = Ungater(scene.context(), wait=lambda _refusals: 1000.0)
    rests.apply(release(uid))
    async with writer_fixture.at_work(rests, scene.recorder):
        await until(lambda: scene.ledger.withheld == {uid})
        rests.apply(waits)
        await until(lambda: "Waits" in message(scene, "b"))
        assert scene.double.count("PATCH", "/pods/a/status") == 0
    tries_again = keeper(scene)
    scene.touches = 0
    tries_again.apply(release(uid))
    async with writer_fixture.at_work(tries_again, scene.recorder):
        await until(lambda: scene.touches)
        tries_again.apply(waits)
        await until(lambda: "Waits" in message(scene))


async def test_a_pod_whose_quota_changes_before_its_ungating_waits_again_with_a_message(
    scene: Scene,
) -> None:
    uid = scene.pod("a")
    ungater = keeper(scene)
    ungater.apply(release(uid))
    scene.relabel("a", "team-b")
    scene.see_again("a")
    async with writer_fixture.at_work(ungater, scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaReleaseRefused"])
    assert gates(scene) == [names.GATE]
    assert uid not in scene.ledger.releasing
    (event,) = scene.double.objects(paths.EVENTS)
    assert event["note"].startswith("its quota label changed from 'team-a' to 'team-b'")


async def test_a_waiting_pod_says_why_in_its_condition_and_by_an_event(scene: Scene) -> None:
    uid = scene.pod("a")
    async with writer_fixture.at_work(keeper(scene, wait(uid, "QuotaExhausted")), scene.recorder):
        await until(lambda: scene.reasons() == ["QuotaWait"])
    assert message(scene) == "Waiting for quota team-a: 4 cpu asked, 1 left. [QuotaExhausted]"
    condition = scene.double.object(paths.PODS, "team", "a")["status"]["conditions"][0]
    assert (condition["status"], condition["reason"]) == ("False", "SchedulingGated")


async def test_a_message_says_when_the_pod_is_expected_to_start(
    scene: Scene, in_haste: None
) -> None:
    uid = scene.pod("a")
    said = [" Expected to start in 10 to 40 min, as of 12:00 UTC."]
    async with writer_fixture.at_work(
        Ungater(scene.context(), expects=lambda _wait: said[-1]), scene.recorder
    ) as ungater:
        ungater.apply(wait(uid, "QuotaExhausted", place=1))
        await until(lambda: said[0] in message(scene))
    scene.see_again("a")
    said.append(" Expected to start in 5 to 30 min, as of 12:10 UTC.")
    before = scene.double.count("PATCH")
    async with writer_fixture.at_work(ungater, scene.recorder):
        ungater.apply(wait(uid, "QuotaExhausted", place=1))
        ungater.apply(wait(uid, "QuotaExhausted", "4 cpu asked, 2 left", place=2))
        await until(lambda: said[1] in message(scene))
    assert scene.double.count("PATCH") == before + 1, "the time alone is no news"


async def test_new_figures_with_the_same_reason_are_not_written(scene: Scene) -> None:
    uid = scene.pod("a")
    async with writer_fixture.at_work(keeper(scene, wait(uid, "QuotaExhausted"))) as ungater:
        await until(lambda: message(scene))
        scene.see_again("a")
        ungater.apply(wait(uid, "QuotaExhausted", "4 cpu asked, 2 left"))
    assert scene.double.count("PATCH") == 1


async def test_another_reason_is_written_at_once_and_so_is_its_end(scene: Scene) -> None:
    """Not after the ten seconds between two messages: a pod would say that a pause goes on."""
    uid = scene.pod("a")
    async with writer_fixture.at_work(keeper(scene)) as ungater:
        for reason in ("QuotaExhausted", "QuotaPaused", "QuotaExhausted"):
            ungater.apply(wait(uid, reason))
            await until(lambda: message(scene).endswith(f"[{reason}]"))  # noqa: B023 - as above
            scene.see_again("a")


async def test_other_words_for_the_same_facts_are_not_written(scene: Scene, in_haste: None) -> None:
    uid, other = scene.pod("a"), scene.pod("b")
    async with writer_fixture.at_work(
        keeper(scene, wait(uid, "QuotaExhausted", "first words", place=1, facts=(4, 1))),
        scene.recorder,
    ) as ungater:
        await until(lambda: "QuotaWait" in scene.reasons())
        for words, figure in (("second words", 1), ("third words", 2)):
            scene.see_again("a")
            (again,) = wait(uid, "QuotaExhausted", "more words", place=1, facts=(4, 1)).waits
            (shown,) = wait(other, "QuotaExhausted", words, place=1, facts=(4, figure)).waits
            shown = replace(shown, pod=Key("team", "b"))
            ungater.apply(Decisions(waits=(again, shown)))
            await until(lambda: words in message(scene, "b"))  # noqa: B023 - awaited in the loop
            scene.see_again("b")
    assert "first words" in message(scene)


@pytest.fixture
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pod gets its message at once; the wait of ten seconds is tested with the work queue."""
    monkeypatch.setattr(ungater, "MESSAGE_INTERVAL", 0.01)


async def test_the_same_reason_in_another_quota_is_written(scene: Scene, in_haste: None) -> None:
    uid = scene.pod("a")
    async with writer_fixture.at_work(
        keeper(scene, wait(uid, "QuotaExhausted", quota="koordinator-default-quota")),
        scene.recorder,
    ) as ungater:
        await until(lambda: scene.reasons() == ["QuotaWait"])
        scene.see_again("a")
        ungater.apply(wait(uid, "QuotaExhausted"))
        await until(lambda: scene.double.count("PATCH", "/api/v1/namespaces/team/events/") == 1)
    (event,) = scene.double.objects(paths.EVENTS)
    assert event["note"] == message(scene)
    assert event["series"]["count"] == 2
    assert message(scene) == "Waiting for quota team-a: 4 cpu asked, 1 left. [QuotaExhausted]"


async def test_the_first_in_the_queue_report_every_figure_but_only_one_event(
    scene: Scene, in_haste: None
) -> None:
    uid = scene.pod("a")
    async with writer_fixture.at_work(
        keeper(scene, wait(uid, "QuotaExhausted")), scene.recorder
    ) as ungater:
        await until(lambda: message(scene))
        scene.see_again("a")
        ungater.apply(wait(uid, "QuotaExhausted", "4 cpu asked, 2 left", place=1))
        await until(lambda: "2 left" in message(scene))
    assert scene.reasons() == ["QuotaWait"]


async def test_a_workload_without_a_position_reports_every_figure(
    scene: Scene, in_haste: None
) -> None:
    uid = scene.pod("a")
    async with writer_fixture.at_work(
        keeper(scene, wait(uid, "WaitingForGroup", "1 of 3 pods are there", place=0))
    ) as ungater:
        await until(lambda: message(scene))
        scene.see_again("a")
        ungater.apply(wait(uid, "WaitingForGroup", "2 of 3 pods are there", place=0))
        await until(lambda: "2 of 3" in message(scene))


async def test_the_message_is_written_to_its_condition_among_others(scene: Scene) -> None:
    uid = scene.pod("a")
    other = {"type": "Ready", "status": "False"}
    scene.double.edit(paths.PODS, "team", "a", lambda p: p["status"]["conditions"].insert(0, other))
    async with writer_fixture.at_work(keeper(scene, wait(uid, "ExceedsMax"))):
        await until(lambda: message(scene).endswith("[ExceedsMax]"))


async def test_a_pod_that_the_scheduler_has_taken_over_gets_no_message(scene: Scene) -> None:
    uid = scene.pod("a")
    ungater = keeper(scene)
    ungater.apply(wait(uid, "QuotaExhausted"))
    scene.double.edit(
        paths.PODS, "team", "a", lambda p: p["status"]["conditions"][0].update(reason="Other")
    )
    async with writer_fixture.at_work(ungater):
        await until(lambda: scene.double.count("GET", "/pods/a"))
    assert message(scene) == ""


async def test_a_pod_is_admitted_by_no_other_quota_while_its_own_is_not_seen_yet(
    scene: Scene,
) -> None:
    uid = scene.pod("a", label="young")
    scene.double.put(paths.QUOTAS, {"metadata": {"namespace": "other", "name": "young"}})
    by_default = Decisions(releases=(Release(KEY, uid, names.DEFAULT_QUOTA, 0, "admitted"),))
    async with writer_fixture.at_work(keeper(scene)) as ungater:
        ungater.apply(by_default)
        await until(lambda: uid not in scene.ledger.releasing)
        assert gates(scene) == [names.GATE]
        assert scene.double.count("PATCH") == 0
        scene.double.remove(paths.QUOTAS, "other", "young")
        await until(lambda: scene.touches > 1)
        ungater.apply(by_default)
        await until(lambda: gates(scene) == [])


@pytest.mark.parametrize("end", ["a node", "the scheduler", "time", "deletion"])
async def test_many_released_pods_are_on_their_way_until_nodes_accept_them_or_none_does(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    now = 100.0
    monkeypatch.setattr(backlog, "loop_time", lambda: now)
    pods = {name: scene.pod(name) for name in map(str, range(backlog.RELEASING + 1))}
    many = keeper(scene)
    many.apply(
        Decisions(
            releases=tuple(
                Release(Key("team", name), uid, "team-a", 0, "admitted")
                for name, uid in pods.items()
            )
        )
    )
    async with writer_fixture.at_work(many):
        await until(scene.backlog.awaits_nodes)
    assert not scene.backlog.admitting_many()
    if end == "a node":
        for name in pods:
            scene.double.edit(
                paths.PODS, "team", name, lambda pod: pod["spec"].update(nodeName="node-1")
            )
            scene.see_again(name)
        assert scene.backlog.awaits_nodes(), "it has not accepted them yet"
        for name in pods:
            scene.double.edit(
                paths.PODS, "team", name, lambda pod: pod["status"].update(startTime=STARTED)
            )
            scene.see_again(name)
    elif end == "the scheduler":
        for name in pods:
            scene.double.edit(
                paths.PODS, "team", name, lambda pod: pod["status"].update(conditions=[REFUSED])
            )
            scene.see_again(name)
    elif end == "time":
        now += backlog.ON_THE_WAY
    else:
        for name in pods:
            scene.ledger.pods.pop(Key("team", name))
    assert not scene.backlog.awaits_nodes()
