"""What a gang and a queued job are as one workload."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.model import constraints, workload
from elasticquota.model.constraints import Constraints
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import JobName, QueuedJob


TRAIN = Key("team-a", "train")


def pod(name: str, **facts: Any) -> Pod:
    return Pod(Key("team-a", name), f"uid-{name}", facts.pop("created", "2026-01-01"), **facts)


def job(*pods: Pod, **facts: Any) -> QueuedJob:
    return QueuedJob(TRAIN, "uid-job", "2026-01-01", JobName("Job", TRAIN), pods=pods, **facts)


def test_a_gang_asks_for_what_all_its_pods_ask_for() -> None:
    first = pod("a", request={"cpu": 1_000, names.PODS: 1})
    second = pod("b", request={"cpu": 500, "memory": 7, names.PODS: 1})
    found = workload.gang(TRAIN, [first, second])
    assert found.request == {"cpu": 1_500, "memory": 7, names.PODS: 2}
    assert found.size == frozenset(found.request.items())
    assert (found.key, found.pods, found.surplus) == (TRAIN, (first, second), ())


def test_pods_beyond_the_size_of_a_gang_are_kept_and_not_in_its_request() -> None:
    late = pod("c", request={"cpu": 1_000})
    found = workload.gang(TRAIN, [pod("a"), pod("b")], [late])
    assert found.surplus == (late,)
    assert found.request == {}


def test_a_gang_has_the_lowest_priority_of_its_pods() -> None:
    assert workload.gang(TRAIN, [pod("a", priority=5), pod("b", priority=3)]).priority == 3


@pytest.mark.parametrize("fact", ["preemptible", "may_preempt"])
@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, False)])
def test_a_gang_may_only_what_all_its_pods_may(fact: str, first: bool, second: bool) -> None:
    gang = workload.gang(TRAIN, [pod("a", **{fact: first}), pod("b", **{fact: second})])
    assert getattr(gang, fact) is (first and second)


def test_a_gang_has_the_age_the_holder_and_the_constraints_of_its_first_pod() -> None:
    ssd, ann = Constraints((("disk", "ssd"),)), Holder(user="ann")
    first = pod("a", created="2026-01-02", holder=ann, constraints=ssd)
    gang = workload.gang(TRAIN, [first, pod("b", created="2026-01-01")])
    assert (gang.created, gang.holder, gang.constraints) == ("2026-01-02", ann, ssd)


@pytest.mark.parametrize(("node", "bound"), [("", False), ("node-1", True)])
def test_one_pod_with_a_node_makes_its_workload_bound(node: str, bound: bool) -> None:
    pods = [pod("a"), pod("b", node_name=node)]
    assert workload.gang(TRAIN, pods).bound is bound
    assert job(*pods).bound is bound


@pytest.mark.parametrize("deleting", [False, True])
def test_one_pod_that_is_being_deleted_makes_its_gang_deleting(deleting: bool) -> None:
    assert workload.gang(TRAIN, [pod("a"), pod("b", deleting=deleting)]).deleting is deleting


@pytest.mark.parametrize(
    ("starts", "started"),
    [(("", ""), ""), (("", "2026-02"), "2026-02"), (("2026-03", "2026-02"), "2026-02")],
)
def test_a_workload_started_when_the_first_of_its_pods_did(
    starts: tuple[str, str], started: str
) -> None:
    pods = [pod(name, started=start) for name, start in zip("ab", starts, strict=True)]
    assert workload.gang(TRAIN, pods).started == started
    assert job(*pods).started == started


def test_a_gang_has_the_name_of_its_group_in_messages_and_as_uid() -> None:
    gang = workload.gang(TRAIN, [pod("a"), pod("b")])
    assert gang.title == "group train of 2 pods"
    assert gang.uid == "team-a/train"


def test_a_queued_job_waits_while_our_gate_is_among_its_gates() -> None:
    assert job(gates=("theirs", names.GATE)).gated
    assert not job(gates=("theirs",)).gated


def test_a_queued_job_may_preempt_and_may_run_anywhere_unless_its_templates_say_where() -> None:
    found = job(request={"cpu": 1_000})
    assert found.may_preempt
    assert found.constraints == constraints.EVERYWHERE
    assert found.size == frozenset({("cpu", 1_000)})
    assert found.title == "Job team-a/train"


def test_the_ledger_counts_the_pods_of_a_gang_and_others_as_themselves() -> None:
    pods = (pod("a"), pod("b"))
    assert workload.counted(workload.gang(TRAIN, pods)) == pods
    assert workload.counted(pods[0]) == pods[:1]
    assert workload.counted(job(*pods)) == (job(*pods),)
