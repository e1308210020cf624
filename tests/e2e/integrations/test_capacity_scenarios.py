"""The scenarios of scheduler-plugins' integration test of capacity scheduling, one by one.

Seven cases of ``test/integration/capacity_scheduling_test.go``, with its amounts: two nodes of 100
bytes of memory and 100 cpu, and quotas of two namespaces with min 100 and max 200, in bytes and in
thousandths of a cpu. Each docstring says what differs here. There pods are put on nodes by name;
here a node selector does it, so that the stock scheduler places them.
"""

from collections.abc import Callable, Iterator

import pytest

from capacity_scenes import ALONE, CapacityScene, middle_class, node, pod, quota
from integration_scenes import IntegrationScene
from users import Document, User


pytestmark = pytest.mark.cluster

ONE, TWO = "capacity-node-1", "capacity-node-2"
LOW = {"memory": "100", "cpu": "100m"}
HIGH = {"memory": "200", "cpu": "200m"}


@pytest.fixture(scope="module", autouse=True)
def middle(admin: User) -> Iterator[None]:
    """The third priority class that the scenarios need."""
    with middle_class(admin):
        yield


@pytest.fixture(scope="module")
def values() -> Document:
    return ALONE


@pytest.fixture
def scene(integration: Callable[[str], IntegrationScene]) -> CapacityScene:
    """Their two nodes."""
    found = integration("capacity-scheduling")
    found.apply(*(node(name, memory="100", cpu="100", pods="32") for name in (ONE, TWO)))
    return CapacityScene(found)


def small(namespace: str, name: str, priority: str, on: str = "", memory: int = 50) -> Document:
    """Their usual pod."""
    return pod(namespace, name, priority, on, memory=str(memory), cpu="10m")


def both(number: int) -> tuple[str, str]:
    """The two namespaces of a scenario."""
    return (f"s{number}-ns1", f"s{number}-ns2")


def test_scenario_1_cross_namespace_preemption(scene: CapacityScene) -> None:
    """The same: the owner's two pods within min take the room of the borrowed pod."""
    first, second = both(1)
    scene.open(quota(first, LOW, HIGH), quota(second, LOW, HIGH))
    scene.create(
        small(first, "p1", "mid", ONE),
        small(first, "p2", "mid", ONE),
        small(first, "p3", "low", TWO),
    )
    scene.become({first: {"p1", "p2", "p3"}, second: set()})
    scene.create(small(second, "p4", "mid"), small(second, "p5", "mid"), small(second, "p6", "low"))
    scene.settle({first: {"p1", "p2"}, second: {"p4", "p5"}})


def test_scenario_2_in_namespace_preemption(scene: CapacityScene) -> None:
    """The same: both quotas use their min, so each pod takes the room of a lower one beside it."""
    first, second = both(2)
    scene.open(quota(first, LOW, HIGH), quota(second, LOW, HIGH))
    scene.create(
        small(first, "p1", "mid", ONE),
        small(first, "p2", "low", ONE),
        small(second, "p3", "mid", TWO),
        small(second, "p4", "low", TWO),
    )
    scene.become({first: {"p1", "p2"}, second: {"p3", "p4"}})
    scene.create(small(first, "p5", "mid"), small(second, "p6", "mid"))
    scene.settle({first: {"p1", "p5"}, second: {"p3", "p6"}})


def test_scenario_3_regular_preemption_without_a_quota(scene: CapacityScene) -> None:
    """The same: pods of the default quota pass to the stock scheduler, and it preempts."""
    first, second = both(3)
    scene.open(namespaces=(first, second))
    scene.create(
        small(first, "p1", "high", ONE),
        small(first, "p2", "low", ONE),
        small(second, "p3", "high", TWO),
        small(second, "p4", "low", TWO),
    )
    scene.become({first: {"p1", "p2"}, second: {"p3", "p4"}})
    scene.create(small(first, "p5", "mid"), small(second, "p6", "mid"))
    scene.settle({first: {"p1", "p5"}, second: {"p3", "p6"}})


def test_scenario_4_no_pod_goes_where_no_node_is_large_enough(scene: CapacityScene) -> None:
    """The same: pods of 150 fit on no node of 100, so none is preempted for them."""
    first, second = both(4)
    scene.open(quota(first, LOW, HIGH), quota(second, LOW, HIGH))
    scene.create(
        small(first, "p1", "mid", ONE),
        small(first, "p2", "mid", ONE),
        small(first, "p3", "low", TWO),
        small(second, "p4", "mid", TWO),
    )
    before = {first: {"p1", "p2", "p3"}, second: {"p4"}}
    scene.become(before)
    scene.create(small(first, "p5", "high", memory=150), small(second, "p6", "high", memory=150))
    scene.settle(before)


def test_scenario_5_a_quota_above_its_min_takes_from_no_other(scene: CapacityScene) -> None:
    """The same, whatever the priority, also after the delay for fair shares (C11)."""
    first, second = both(5)
    scene.open(quota(first, LOW, HIGH), quota(second, LOW, HIGH))
    scene.create(
        small(first, "p1", "mid", ONE),
        small(second, "p2", "high", ONE),
        small(second, "p3", "high", TWO),
        small(second, "p4", "high", TWO),
    )
    before = {first: {"p1"}, second: {"p2", "p3", "p4"}}
    scene.become(before)
    scene.create(small(second, "p5", "high"))
    scene.settle(before, 4)


def test_scenario_6_no_pod_goes_where_rooms_on_two_nodes_do_not_add_up(
    scene: CapacityScene,
) -> None:
    """The same: each pod of 100 could take 50 on each of two nodes, which is no room for it.

    There the search never looks at more than one node. Here it does, and sees that no node would be
    free (C17 is what it then can).
    """
    first, second = both(6)
    scene.open(quota(first, LOW, HIGH), quota(second, LOW, HIGH))
    scene.create(
        small(first, "p1", "low", ONE),
        small(first, "p2", "low", TWO),
        small(second, "p3", "mid", ONE),
        small(second, "p4", "mid", TWO),
    )
    before = {first: {"p1", "p2"}, second: {"p3", "p4"}}
    scene.become(before)
    scene.create(small(first, "p5", "high", memory=100), small(second, "p6", "high", memory=100))
    scene.settle(before)


def test_scenario_7_cross_namespace_preemption_with_three_quotas(scene: CapacityScene) -> None:
    """The same: the third quota takes its min from the first, which is above its own.

    The second uses its min exactly and keeps it, and the fourth pod of the third has no room: all
    together use the sum of min.
    """
    first, second, third = "s7-ns1", "s7-ns2", "s7-ns3"

    def bounds(namespace: str, low: str, high: str) -> Document:
        return quota(namespace, {"memory": "100", "cpu": low}, {"memory": "200", "cpu": high})

    def tiny(namespace: str, name: str, priority: str, on: str = "") -> Document:
        return pod(namespace, name, priority, on, memory="0", cpu="1m")

    scene.open(bounds(first, "1m", "3m"), bounds(second, "3m", "3m"), bounds(third, "3m", "4m"))
    scene.create(
        tiny(first, "p1", "high", ONE),
        tiny(first, "p2", "mid", TWO),
        tiny(first, "p3", "mid", TWO),
        tiny(second, "p5", "mid", TWO),
        tiny(second, "p6", "mid", ONE),
        tiny(second, "p7", "mid", TWO),
    )
    three = {"p5", "p6", "p7"}
    scene.become({first: {"p1", "p2", "p3"}, second: three, third: set()})
    scene.create(*(tiny(third, name, "mid") for name in ("p9", "p10", "p11")))
    wanted = {first: {"p1"}, second: three, third: {"p9", "p10", "p11"}}
    scene.become(wanted)
    scene.create(tiny(third, "p12", "mid"))
    scene.settle(wanted)
