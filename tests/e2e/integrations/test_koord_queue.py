"""What Koord-Queue adds to kube-queue, on our own quotas: queues, their priority and choice."""

from collections.abc import Iterator
from typing import Any

import pytest

import users
import workloads
from scenes import Pool, refusal
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster

HOME = "kube-queue"
QUEUE = "kube-queue/queue-name"
ALIAS = "alibabacloud.com/quota-name"
AVAILABLE = "kube-queue/available-quota"


@pytest.fixture(scope="module")
def values() -> Document:
    """Jobs are queued, every leaf has a queue, and the priorities of queues count."""
    dialects = {
        "jobs": True,
        "queuePerQuota": True,
        "queuePriority": True,
        "createQueueNamespace": True,
    }
    return {"dialects": dialects, "crds": {"dialects": {"jobs": True}}}


@pytest.fixture
def teams(pool: Pool) -> Iterator[Pool]:
    """Two quotas of 16 cpu together, and one that takes no pods of this namespace."""
    pool.quota("one", min=0, max=16)
    pool.quota("two", min=0, max=16)
    pool.quota("theirs", min=0, max=16, access={"pods": ["elsewhere"]})
    yield pool
    pool.admin.delete_all("Job", pool.namespace)


def submitted(pool: Pool, name: str, pods: int, **metadata: Any) -> Any:
    """A suspended Job whose pods name no quota."""
    spec = workloads.job_spec(workloads.template(pool, "", name), pods, suspend=True)
    manifest = workloads.manifest(pool, "Job", name, spec)
    manifest["metadata"] |= metadata
    return pool.admin.create(manifest)


def suspended(pool: Pool, name: str) -> bool:
    return bool(pool.admin.get("Job", name, pool.namespace)["spec"]["suspend"])


def queue_of(pool: Pool, name: str) -> str:
    unit = pool.admin.find("QueueUnit", f"{name}-job-qu", pool.namespace) or {}
    return str(unit.get("spec", {}).get("queue", ""))


def queues(pool: Pool) -> set[str]:
    return {queue["metadata"]["name"] for queue in pool.admin.list("Queue", HOME)}


def test_every_leaf_quota_has_a_queue_that_goes_with_it(teams: Pool) -> None:
    names = {teams.name(short) for short in ("one", "two", "theirs")}
    eventually(lambda: names <= queues(teams), True, within=30)
    assert teams.root not in queues(teams)
    teams.admin.delete("ElasticQuota", teams.name("two"), teams.namespace)
    eventually(lambda: teams.name("two") in queues(teams), False, within=30)


def test_a_job_chooses_its_queue_and_takes_its_pods_along(teams: Pool) -> None:
    submitted(teams, "by-queue", 2, annotations={QUEUE: teams.name("one")})
    submitted(teams, "by-quota", 1, labels={ALIAS: teams.name("two")})
    eventually(lambda: suspended(teams, "by-queue"), False)
    eventually(lambda: suspended(teams, "by-quota"), False)
    eventually(lambda: queue_of(teams, "by-queue"), teams.name("one"))
    eventually(lambda: queue_of(teams, "by-quota"), teams.name("two"))
    eventually(lambda: (teams.used("one"), teams.used("two")), ("2", "1"))


def test_a_job_does_not_get_into_the_queue_of_others(teams: Pool) -> None:
    theirs = teams.name("theirs")

    def jumped() -> str:
        return refusal(lambda: submitted(teams, "jumper", 1, annotations={QUEUE: theirs})).message

    # The webhook may learn of the quota a moment later.
    refused = f"'{theirs}' accepts no pods from namespace '{teams.namespace}'"
    eventually(jumped, lambda message: refused in message)
    found = refusal(lambda: submitted(teams, "lost", 1, annotations={QUEUE: "no-queue"}))
    assert "there is no queue 'no-queue'" in found.message
    metadata = {"annotations": {AVAILABLE: teams.name("one")}}
    teams.admin.patch("Namespace", teams.namespace, change={"metadata": metadata})

    def said() -> str:
        try:
            submitted(teams, "restricted", 1, annotations={QUEUE: teams.name("two")})
        except users.RefusedError as refused:
            return refused.message
        teams.admin.delete("Job", "restricted", teams.namespace)
        return ""

    eventually(said, lambda text: f"lists: {teams.name('one')}" in text)


def test_what_is_idle_goes_to_the_queue_of_higher_priority(teams: Pool) -> None:
    submitted(teams, "running", 8, annotations={QUEUE: teams.name("one")})
    eventually(lambda: suspended(teams, "running"), False)
    eventually(lambda: teams.name("two") in queues(teams), True, within=30)
    change = {"spec": {"priority": 9}}
    teams.admin.patch("Queue", teams.name("two"), HOME, change=change)
    submitted(teams, "older", 10, annotations={QUEUE: teams.name("one")})
    submitted(teams, "urgent", 10, annotations={QUEUE: teams.name("two")})
    eventually(lambda: queue_of(teams, "urgent"), teams.name("two"))
    teams.admin.delete("Job", "running", teams.namespace)
    eventually(lambda: suspended(teams, "urgent"), False)
    assert suspended(teams, "older")
