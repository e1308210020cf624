"""What users see with kubectl alone: describe, wait and the width of tables, as the pages say."""

import re

import pytest

from installation import Kubectl
from scenes import HIGH, LOW, Pool
from waiting import eventually


pytestmark = pytest.mark.cluster


def described(kubectl: Kubectl, kind: str, name: str, namespace: str) -> str:
    """The output of kubectl describe on one line."""
    return " ".join(kubectl("describe", kind, name, "-n", namespace).split())


def test_describe_of_a_waiting_pod_says_what_it_needs_and_what_has_to_happen(
    pool: Pool, kubectl: Kubectl
) -> None:
    pool.quota("team", min=1, max=2)
    pool.pods("team", 3)
    (waiting,) = eventually(lambda: pool.gated("team"), lambda found: len(found) == 1)
    eventually(lambda: len(pool.running("team")), 2)
    eventually(lambda: pool.events(waiting), lambda found: "QuotaWait" in found)
    said = described(kubectl, "pod", waiting, pool.namespace)
    assert (
        f"Waiting for quota {pool.name('team')}: needs 1 cpu; all 2 of its current share are in "
        "use (guaranteed 1, limit 2). Position 1 of 1. It starts when 1 cpu is freed in "
        f"{pool.name('team')}. More: kubectl elastic-quota explain pod {pool.namespace}/{waiting} "
        "[QuotaExhausted]"
    ) in said


def test_describe_of_an_evicted_pod_says_who_took_its_place_by_what_right(
    pool: Pool, kubectl: Kubectl
) -> None:
    pool.quota("team", min=1, max=1)
    pool.pod("cheap", "team", priority=LOW, terminationGracePeriodSeconds=0)
    eventually(lambda: pool.running("team"), {"cheap"})
    pool.pod("dear", "team", priority=HIGH)
    eventually(lambda: pool.events("cheap"), lambda found: "QuotaReclaim" in found)
    events = kubectl("get", "events", "-n", pool.namespace, "-o", "wide")
    assert (
        f"Evicted: pod {pool.namespace}/dear of the same quota {pool.name('team')} takes its "
        "place, because its priority 1000 is higher. It starts again when "
        f"{pool.name('team')} has room."
    ) in " ".join(events.split())


def test_describe_of_a_quota_says_what_is_guaranteed_and_used(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=4, max=8)
    pool.pods("team", 2)
    said = eventually(
        lambda: described(kubectl, "elasticquota", pool.name("team"), pool.namespace),
        lambda text: "uses 2 of its current share of 2 cpu" in text,
    )
    assert "Message: guaranteed 4 cpu" in said
    assert f"Message: in force in tree {pool.root}" in said
    assert "Message: no pod within its guarantee waits for too long" in said


def test_describe_of_a_profile_says_what_its_tree_shares(pool: Pool, kubectl: Kubectl) -> None:
    said = eventually(
        lambda: described(kubectl, "elasticquotaprofile", "pool", pool.namespace),
        lambda text: f"root quota {pool.root} shares 2 nodes" in text,
    )
    assert "RootQuotaMissing" not in said


def test_kubectl_waits_for_a_quota_to_be_ready(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=1, max=1)
    name = f"elasticquota/{pool.name('team')}"
    done = kubectl("wait", "--for=condition=Ready", name, "-n", pool.namespace, "--timeout=60s")
    assert "condition met" in done
    ready = kubectl(
        "wait", "--for=condition=Ready", "elasticquotaprofile/pool", "-n", pool.namespace
    )
    assert "condition met" in ready


def test_the_default_columns_fit_a_terminal_of_100_characters(pool: Pool, kubectl: Kubectl) -> None:
    long = "reinforcement"
    pool.quota(long, min=120, max=4000)
    pool.pods(long, 2)
    eventually(lambda: pool.used(long), "2")
    printed = kubectl("get", "elasticquota", "-n", pool.namespace)
    assert re.findall(r"\S+", printed.splitlines()[0]) == [
        "NAME",
        "CPU",
        "MEMORY",
        "GPU",
        "PENDING",
        "READY",
        "AGE",
    ]
    assert max(map(len, printed.splitlines())) <= 100
    of_team = ("elasticquota", pool.name(long), "-n", pool.namespace)
    kubectl("patch", *of_team, "--type=merge", "--patch", '{"spec": {"paused": true}}')
    paused = eventually(
        lambda: kubectl("get", *of_team),
        lambda text: "Paused" in text,
    )
    assert max(map(len, paused.splitlines())) <= 100
    said = described(kubectl, "elasticquota", pool.name(long), pool.namespace)
    assert f"Message: quota {pool.name(long)} is paused" in said
    profiles = kubectl("get", "elasticquotaprofile", "-n", pool.namespace)
    assert max(map(len, profiles.splitlines())) <= 100
