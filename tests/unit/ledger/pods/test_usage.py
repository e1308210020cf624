"""An account counts each pod where it stands, and forgets it without a trace."""

import pytest

from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.ledger.pods.usage import Account, CountedAs
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.structs import replace


POD = Pod(
    Key("teams", "a"),
    "uid-a",
    "2026-01-01",
    request={"cpu": 1_000},
    priority=3,
    preemptible=False,
    node_name="node-0",
)
JOB = QueuedJob(Key("teams", "job"), "uid-job", "2026-01-01", JobName("Job", Key("teams", "job")))
RUNS = CountedAs("team-a", running=True)
WAITS = CountedAs("team-a", running=False)
NEVER = WAITS._replace(infeasible=Infeasible("ExceedsMax", "too large"))


def facts(account: Account) -> dict[str, object]:
    """All that an account says."""
    return {
        "running": list(account.running),
        "waiting": list(account.waiting),
        "infeasible": account.infeasible_pods,
        "gated": account.gated,
        "empty": account.empty,
        "least_priority": account.least_priority,
        "least_requests": account.least_requests,
        "leaving": account.leaving,
        "late": account.late,
        "jobs": account.jobs,
        "stuck": account.stuck,
        "held": account.held,
        "request": account.request(accepted=True),
        "non_preemptible": account.non_preemptible_request(accepted=True),
    }


@pytest.mark.parametrize(
    "counted_as",
    [
        RUNS,
        WAITS,
        NEVER,
        RUNS._replace(leaving=True),
        RUNS._replace(late=True),
        RUNS._replace(stuck=True),
    ],
)
@pytest.mark.parametrize("found", [POD, JOB])
def test_an_account_that_forgets_a_pod_says_what_it_said_before(
    found: Pod | QueuedJob, counted_as: CountedAs
) -> None:
    account = Account()
    account.add(found, counted_as)
    assert not account.empty
    account.remove(found, counted_as)
    assert facts(account) == facts(Account())


def test_a_pod_without_a_node_for_too_long_is_admitted_and_no_request() -> None:
    account = Account()
    account.add(POD, RUNS._replace(stuck=True))
    assert account.stuck == {POD.key: POD}
    assert account.stuck_request == account.admitted == {"cpu": 1_000}
    assert account.request(accepted=True) == {}


def test_what_a_leaving_pod_holds_is_admitted_and_returning() -> None:
    account = Account()
    account.add(POD, RUNS._replace(leaving=True))
    assert account.leaving == {POD.key}
    assert account.returning == account.admitted == account.used == {"cpu": 1_000}
    assert account.held == {"cpu": 0}


def test_a_waiting_pod_is_request_only_of_an_accepted_quota() -> None:
    account = Account()
    account.add(POD, WAITS)
    assert account.request(accepted=True) == {"cpu": 1_000}
    assert account.non_preemptible_request(accepted=True) == {"cpu": 1_000}
    assert account.request(accepted=False) == {}
    assert account.non_preemptible_request(accepted=False) == {}


def test_the_lowest_priority_follows_the_running_pods() -> None:
    account, low = Account(), replace(POD, key=Key("teams", "b"), priority=1)
    account.add(POD, RUNS)
    assert account.least_priority == 3
    account.add(low, RUNS)
    assert account.least_priority == 1
    account.remove(low, RUNS)
    assert account.least_priority == 3


def test_the_least_requests_follow_the_running_pods() -> None:
    account, small = Account(), replace(POD, key=Key("teams", "b"), request={"cpu": 100, "gpu": 0})
    assert account.least_requests == {}
    account.add(POD, RUNS)
    assert account.least_requests == {"cpu": 1_000}
    account.add(small, RUNS)
    assert account.least_requests == {"cpu": 100}
    account.remove(small, RUNS)
    assert account.least_requests == {"cpu": 1_000}


def test_the_queue_goes_by_priority_then_age_then_uid_then_name() -> None:
    account = Account()
    pods = [
        replace(POD, key=Key("teams", name), uid=uid, created=created, priority=priority)
        for name, uid, created, priority in [
            ("first", "d", "2026-01-02", 4),
            ("second", "c", "2026-01-01", 3),
            ("third", "a", "2026-01-02", 3),
            ("e", "b", "2026-01-02", 3),
            ("f", "b", "2026-01-02", 3),
        ]
    ]
    for pod in reversed(pods):
        account.add(pod, WAITS)
    assert account.waiting == pods
    assert account.gated == 5


@pytest.mark.parametrize(
    ("counted_as", "stays"),
    [
        (RUNS, True),
        (WAITS, False),
        (RUNS._replace(leaving=True), False),
        (RUNS._replace(late=True), False),
        (RUNS._replace(stuck=True), False),
    ],
)
def test_only_an_admitted_pod_in_good_order_stays(counted_as: CountedAs, stays: bool) -> None:
    assert counted_as.stays is stays
