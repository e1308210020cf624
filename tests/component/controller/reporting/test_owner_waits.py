"""The object that a user made says how many of its pods wait, and when none waits any more."""

import pytest

from elasticquota.model.decision import Wait
from elasticquota_operator.reporting import owner_waits
from elasticquota_operator.reporting.owner_waits import INTERVAL, PATIENCE, OwnerWaits
from owned_pods import Event, Owned, wait


REFRESH = 3000.0


class Reported:
    """The events on owners of pods that wait, at the time of ``owned``."""

    def __init__(self, owned: Owned) -> None:
        self.owned = owned
        self.waits = OwnerWaits(owned.recorder, owned.owners, owned.reader, REFRESH)

    async def at(self, seconds: float, *found: Wait, most: int = 100) -> float | None:
        self.owned.now = seconds
        return (await self.waits.report(found, seconds, most)).next_at


@pytest.fixture
def reported(owned: Owned) -> Reported:
    return Reported(owned)


def note(count: int, total: int, place: int = 1, first: str = "web-0") -> str:
    pods, verb = ("pod" if total == 1 else "pods"), ("waits" if count == 1 else "wait")
    return (
        f"{count} of {total} {pods} {verb} for quota team-a; first in line is pod {first} at "
        f"position {place} [QuotaExhausted]"
    )


async def test_a_deployment_says_how_many_of_its_pods_wait(
    owned: Owned, reported: Reported
) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0", "web-1", "web-2")
    assert await reported.at(0, wait("web-0"), wait("web-1", 2)) == PATIENCE
    assert await owned.events() == []
    await reported.at(PATIENCE, wait("web-0"), wait("web-1", 2))
    assert await owned.events() == [Event("Deployment/web", "QuotaWait", note(2, 3))]


async def test_pods_of_an_old_replica_set_count_in_the_total(
    owned: Owned, reported: Reported
) -> None:
    deployment, replicas = owned.deployment("web")
    old = owned.put("apps/v1", "ReplicaSet", "web-old", deployment)
    other = owned.put("apps/v1", "ReplicaSet", "webmail-1", deployment)
    owned.see(replicas, "web-0")
    owned.see(old, "web-1", "web-2")
    owned.see(other, "webmail-0")  # no name that a Deployment gives: not read for a total
    for seconds in (0, PATIENCE):
        await reported.at(seconds, wait("web-0"))
    assert await owned.events() == [Event("Deployment/web", "QuotaWait", note(1, 3))]
    assert owned.reader.reads == 3


async def test_it_is_written_again_when_a_value_changes_and_not_more_often_than_the_interval(
    owned: Owned, reported: Reported
) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0", "web-1")
    await reported.at(0, wait("web-0", 9))
    for second in range(int(PATIENCE), 90):
        await reported.at(second, wait("web-0", 9 - second // 10))
    (event,) = await owned.events()
    assert event.times == 1 + (90 - int(PATIENCE)) // int(INTERVAL)
    assert event.note == note(1, 2, 3)  # as of second 65


async def test_while_nothing_changes_it_is_written_again_only_to_keep_it_alive(
    owned: Owned, reported: Reported
) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0")
    await reported.at(0, wait("web-0"))
    assert await reported.at(PATIENCE, wait("web-0")) == PATIENCE + REFRESH
    for seconds in (100, 1000, REFRESH):
        await reported.at(seconds, wait("web-0"))
    assert [event.times for event in await owned.events()] == [1]
    await reported.at(PATIENCE + REFRESH, wait("web-0"))
    assert await owned.events() == [Event("Deployment/web", "QuotaWait", note(1, 1), 2)]


async def test_the_end_of_the_wait_is_reported_once(owned: Owned, reported: Reported) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0", "web-1")
    await reported.at(0, wait("web-0"))
    await reported.at(PATIENCE, wait("web-0"))
    assert await reported.at(PATIENCE + 1) == PATIENCE + INTERVAL
    assert await reported.at(PATIENCE + INTERVAL) is None
    assert await reported.at(PATIENCE + 3 * INTERVAL) is None
    assert await owned.events() == [
        Event("Deployment/web", "QuotaAdmitted", "none of its 2 pods waits for quota any more"),
        Event("Deployment/web", "QuotaWait", note(1, 2)),
    ]


async def test_a_short_wait_is_not_reported(owned: Owned, reported: Reported) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0")
    await reported.at(0, wait("web-0"))
    assert await reported.at(PATIENCE - 1) is None
    assert await owned.events() == []


async def test_an_owner_that_is_gone_has_no_end_of_a_wait(owned: Owned, reported: Reported) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0")
    await reported.at(0, wait("web-0"))
    await reported.at(PATIENCE, wait("web-0"))
    owned.lose("web-0")
    assert await reported.at(100) is None
    assert [event.reason for event in await owned.events()] == ["QuotaWait"]


async def test_pods_of_many_jobs_of_one_object_are_one_event(
    owned: Owned, reported: Reported
) -> None:
    jobs = owned.put("jobset.x-k8s.io/v1alpha2", "JobSet", "train")
    for number in range(3):
        job = owned.put("batch/v1", "Job", f"train-w-{number}", jobs)
        owned.see(job, f"web-{number}")
    found = [wait(f"web-{number}", number + 1) for number in range(3)]
    for seconds in (0, PATIENCE):
        await reported.at(seconds, *found)
    assert await owned.events() == [Event("JobSet/train", "QuotaWait", note(3, 3))]


async def test_a_forged_owner_gets_no_event(owned: Owned, reported: Reported) -> None:
    deployment, _ = owned.deployment("web")
    theirs = owned.put("apps/v1", "StatefulSet", "db", namespace="theirs")
    owned.see(deployment._replace(uid="forged"), "web-0")
    owned.see(theirs, "web-1")
    for seconds in (0, PATIENCE, 100):
        await reported.at(seconds, wait("web-0"), wait("web-1", 2))
    assert await owned.events() == []


async def test_pods_of_a_pod_have_events_of_their_own_only(
    owned: Owned, reported: Reported
) -> None:
    driver = owned.put("v1", "Pod", "driver")
    owned.see(driver, "web-0")
    for seconds in (0, PATIENCE):
        await reported.at(seconds, wait("web-0"))
    assert await owned.events() == []


async def test_no_more_are_written_at_a_time_than_allowed_the_oldest_first(
    owned: Owned, reported: Reported
) -> None:
    found = []
    for number in range(4):
        owned.see(owned.put("apps/v1", "StatefulSet", f"db-{number}"), f"web-{number}")
        found.append(wait(f"web-{number}", number + 1))
    await reported.at(0, *found[:2])
    await reported.at(1, *found)
    await reported.at(50, *found, most=3)
    about = [event.about for event in await owned.events()]
    assert about[:2] == ["StatefulSet/db-0", "StatefulSet/db-1"]
    assert len(about) == 3
    await reported.at(51, *found, most=3)
    assert len(await owned.events()) == 4


async def test_owners_are_read_some_at_a_time(
    owned: Owned, reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner_waits, "READS", 2)
    found = []
    for number in range(5):
        owned.see(owned.put("apps/v1", "StatefulSet", f"db-{number}"), f"web-{number}")
        found.append(wait(f"web-{number}", number + 1))
    assert await reported.at(0, *found) == 0
    assert owned.reader.reads == 2
    for second in (1, 2, 10):
        await reported.at(second, *found)
    assert len(await owned.events()) == 5
