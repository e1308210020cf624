"""A real scheduler and a real ResourceQuota compute the pod sizes of the golden table."""

from collections.abc import Iterator

import pytest

import pod_sizes
import scenes
import served
import users
from elasticquota import resources
from installation import Installation
from pod_sizes import Row
from pod_trials import Trials, lacking
from waiting import eventually


# The first test makes some nine hundred objects, which takes a busy machine its time. Containers
# with restart policies of their own exist only since 1.35.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300), served.since(35)]

ROWS = [row.at(served.minor()) for row in pod_sizes.ROWS]
BY_SCHEDULER = [row for row in ROWS if pod_sizes.SCHEDULER in row.judges]
BY_QUOTA = [row for row in ROWS if pod_sizes.QUOTA in row.judges]
BY_CLASS = {"pods", "cpu", "memory"}
BY_ADMISSION = {"ephemeral-storage", "nvidia.com/gpu", "example.com/nic", "hugepages-2Mi"}


@pytest.fixture(scope="module")
def trials(product: Installation, admin: users.User) -> Iterator[Trials]:
    made = Trials(admin)
    try:
        made.open(BY_SCHEDULER)
        yield made
    finally:
        made.close()


def test_scheduler_and_resource_quota_see_enough_rows() -> None:
    assert (len(BY_SCHEDULER) >= 60, len(BY_QUOTA) >= 60) == (True, True)


@pytest.mark.parametrize("row", BY_SCHEDULER, ids=lambda row: row.name)
def test_a_scheduler_finds_room_on_a_node_of_exactly_the_size(trials: Trials, row: Row) -> None:
    eventually(lambda: trials.exact(row)["spec"].get("nodeName"), bool)


@pytest.mark.parametrize("row", BY_SCHEDULER, ids=lambda row: row.name)
def test_a_scheduler_finds_no_room_where_one_unit_is_missing(trials: Trials, row: Row) -> None:
    refusals = {
        "1 Too many pods" if key == "pods" else f"1 Insufficient {key}" for key in lacking(row)
    }
    eventually(
        lambda: scenes.condition(trials.short(row), "PodScheduled")["message"],
        lambda message: all(refusal in message for refusal in refusals),
    )


@pytest.fixture(scope="module")
def quotas(trials: Trials) -> Trials:
    trials.open_quotas(BY_QUOTA)
    return trials


@pytest.mark.parametrize("row", BY_QUOTA, ids=lambda row: row.name)
def test_a_resource_quota_counts_the_same_cpu_and_memory(quotas: Trials, row: Row) -> None:
    size = resources.maximum(resources.parse(row.size), {"cpu": 0, "memory": 0, "pods": 1})
    eventually(lambda: quotas.counted(row), resources.masked(size, BY_CLASS))


@pytest.fixture(scope="module")
def quota(trials: Trials) -> Trials:
    trials.open_quota(BY_ADMISSION)
    return trials


@pytest.mark.parametrize(
    "row", [row for row in BY_QUOTA if row.size.keys() & BY_ADMISSION], ids=lambda row: row.name
)
def test_a_resource_quota_counts_the_same_of_all_other_resources(quota: Trials, row: Row) -> None:
    size = resources.maximum(resources.parse(row.size), dict.fromkeys(BY_ADMISSION, 0))
    assert quota.counted_at_admission(row) == resources.masked(size, BY_ADMISSION)
