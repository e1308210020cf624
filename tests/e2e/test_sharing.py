"""Two teams share a pool of 16 cpus, 8 guaranteed to each: they borrow, wait, and reclaim."""

from functools import partial
from pathlib import Path

import pytest

import audit
from installation import CONTROLLER_USER
from local_cluster import cluster as local
from scenes import HIGH, LOW, Pool, condition, gates
from users import User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster


GANG = {"scheduling.x-k8s.io/pod-group": "train", "elasticquota.dev/pod-group-size": "5"}


@pytest.fixture
def teams(pool: Pool) -> Pool:
    """team-a and team-b, each with min 8 and max 16."""
    for team in ("team-a", "team-b"):
        pool.quota(team, min=8, max=16)
    return pool


def evictions(log: Path, pool: Pool) -> list[audit.Request]:
    return [
        write for write in audit.writes(log, "pods/eviction", pool.namespace) if write.code == 201
    ]


def message(pool: Pool, pod: str) -> str:
    """What the pod's owner reads about its waiting."""
    return str(condition(pool.get_pod(pod), "PodScheduled")["message"])


def test_a_team_borrows_what_is_unused_and_the_rest_waits_with_a_reason(teams: Pool) -> None:
    teams.pods("team-a", 16, priority=HIGH)
    eventually(lambda: len(teams.running("team-a")), 16)
    for place, (pod, priority) in enumerate([("dear", HIGH), ("cheap", LOW)], start=1):
        teams.pod(pod, "team-a", priority=priority)
        besides = ", besides what those ahead of it take" if place > 1 else ""
        reason = (
            f"Waiting for quota {teams.name('team-a')}: needs 1 cpu; all 16 of its current share "
            f"are in use (guaranteed 8, limit 16). Position {place} of {place}. It starts when 1 "
            f"cpu is freed in {teams.name('team-a')}{besides}. More: kubectl elastic-quota explain "
            f"pod {teams.namespace}/{pod} [QuotaExhausted]"
        )
        eventually(partial(message, teams, pod), reason)
        scheduled = condition(teams.get_pod(pod), "PodScheduled")
        assert (scheduled["status"], scheduled["reason"]) == ("False", "SchedulingGated")
        event = eventually(partial(teams.events, pod), lambda found: "QuotaWait" in found)
        assert event["QuotaWait"] == reason
    assert teams.gated("team-a") == {"dear", "cheap"}


def test_a_released_pod_says_that_it_was_admitted(teams: Pool) -> None:
    teams.pod("one", "team-a")
    event = eventually(lambda: teams.events("one"), lambda found: "QuotaAdmitted" in found)
    assert event["QuotaAdmitted"] == (
        f"Admitted into quota {teams.name('team-a')}: it now uses 1 of its current share of 1 cpu."
    )
    eventually(lambda: gates(teams.get_pod("one")), [])


def test_a_more_important_pod_takes_the_place_of_a_less_important_one_of_its_team(
    teams: Pool, cluster: local.Cluster
) -> None:
    teams.pods("team-a", 15, priority=HIGH)
    teams.pod("cheap", "team-a", priority=LOW)
    eventually(lambda: len(teams.running("team-a")), 16)
    teams.pod("dear", "team-a", priority=HIGH)
    eventually(lambda: "dear" in teams.running("team-a"), True, within=30)
    assert [write.name for write in evictions(cluster.audit_log, teams)] == ["cheap"]
    event = eventually(lambda: teams.events("cheap"), lambda found: "QuotaReclaim" in found)
    assert "dear" in event["QuotaReclaim"]


def test_an_owner_reclaims_exactly_what_it_lacks_lowest_priority_first(
    teams: Pool, cluster: local.Cluster
) -> None:
    dear = teams.pods("team-a", 8, prefix="dear", priority=HIGH)
    teams.pods("team-a", 8, prefix="cheap", priority=LOW)
    eventually(lambda: len(teams.running("team-a")), 16)
    owners = teams.pods("team-b", 5)
    eventually(lambda: teams.running("team-b"), set(owners))
    eventually(lambda: teams.used("team-a"), "11")
    left = teams.running("team-a")
    assert set(dear) <= left
    assert len(left) == 11
    evicted = evictions(cluster.audit_log, teams)
    assert {write.user for write in evicted} == {CONTROLLER_USER}
    assert len(evicted) == 5
    victim = evicted[0].name
    event = eventually(lambda: teams.events(victim), lambda found: "QuotaReclaim" in found)
    assert f"quota {teams.name('team-b')} reclaims this room for pod " in event["QuotaReclaim"]
    assert "(within its guarantee)" in event["QuotaReclaim"]


def test_a_gang_that_runs_is_reclaimed_as_a_whole_for_a_single_pod(
    teams: Pool, cluster: local.Cluster
) -> None:
    """It has five pods, and the rate allows four evictions at once."""
    dear = teams.pods("team-a", 11, prefix="dear", priority=HIGH)
    gang = teams.pods("team-a", 5, prefix="gang", priority=LOW, labels=GANG)
    eventually(lambda: len(teams.running("team-a")), 16)
    teams.pod("owner", "team-b")
    eventually(lambda: teams.running("team-b"), {"owner"})
    eventually(lambda: teams.running("team-a"), set(dear))
    stays(lambda: teams.running("team-a"), set(dear))
    assert {write.name for write in evictions(cluster.audit_log, teams)} == set(gang)


def test_unused_min_is_lent_again(teams: Pool) -> None:
    teams.deployment("borrower", "team-a", replicas=18, priority=LOW)
    eventually(lambda: (len(teams.running("team-a")), len(teams.gated("team-a"))), (16, 2))
    owners = teams.pods("team-b", 4)
    eventually(lambda: teams.running("team-b"), set(owners))
    # The Deployment makes new pods for the evicted ones; these wait like any other.
    eventually(lambda: (len(teams.running("team-a")), len(teams.gated("team-a"))), (12, 6))
    teams.delete_pods(*owners)
    eventually(lambda: (len(teams.running("team-a")), len(teams.gated("team-a"))), (16, 2))


def test_a_pod_that_has_finished_makes_room(teams: Pool) -> None:
    teams.pods("team-a", 16, prefix="short", run_for="1s")
    teams.pods("team-a", 4, prefix="next")
    eventually(lambda: teams.running("team-a"), {f"next-{number}" for number in range(4)})
    eventually(lambda: teams.used("team-a"), "4")


def test_a_pod_under_a_disruption_budget_stays_and_another_goes(teams: Pool, admin: User) -> None:
    guarded = teams.pods("team-a", 4, prefix="guarded", priority=LOW, labels={"guarded": "yes"})
    admin.create(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "all-of-them", "namespace": teams.namespace},
            "spec": {"minAvailable": 4, "selector": {"matchLabels": {"guarded": "yes"}}},
        }
    )
    teams.pods("team-a", 12, prefix="plain", priority=HIGH)
    eventually(lambda: len(teams.running("team-a")), 16)
    eventually(
        lambda: admin.get("PodDisruptionBudget", "all-of-them", teams.namespace)["status"],
        lambda status: status.get("currentHealthy") == 4,
    )
    owners = teams.pods("team-b", 3)
    eventually(lambda: teams.running("team-b"), set(owners), within=30)
    assert set(guarded) <= teams.running("team-a")
    assert len(teams.running("team-a")) == 13


def test_a_higher_priority_is_released_before_an_older_pod(teams: Pool) -> None:
    teams.pods("team-a", 16, prefix="first", priority=HIGH)
    eventually(lambda: len(teams.running("team-a")), 16)
    teams.pod("older", "team-a", priority=LOW)
    teams.pod("dearer", "team-a", priority=HIGH)
    eventually(lambda: teams.gated("team-a"), {"older", "dearer"})
    teams.delete_pods("first-0")
    eventually(lambda: teams.gated("team-a"), {"older"})
