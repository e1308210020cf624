"""Wrong decisions that were found once, each as its smallest example in virtual time."""

from elasticquota.model.capacity_mode import CapacityMode
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND
from worlds import amounts


def evicted(scene: Scene) -> list[str]:
    return [eviction.quota for _, eviction in scene.evictions]


def test_a_guaranteed_pod_behind_a_larger_one_gets_the_room_that_is_made_for_it() -> None:
    """The pod of 3 cpu is beyond min, the one of 2 cpu behind it is within; 2 cpu are borrowed."""
    scene = Scene(nodes=1, cpu=4)
    for number in range(8):
        scene.node(f"small-{number}", 1)
    scene.quota("owner", min=4)
    scene.quota("borrower")
    scene.run("first", "owner", cpu=2)
    scene.play(MINUTE)
    scene.run("borrowed", "borrower", cpu=2)
    scene.play(MINUTE)
    scene.run("large", "owner", cpu=3)
    scene.play(1_000)
    scene.run("within", "owner", cpu=2)
    scene.play(MINUTE // 2)
    assert evicted(scene) == ["borrower"]
    assert scene.runs_of("within") == 1


def test_an_owner_takes_from_a_borrower_and_not_inside_a_department_within_its_min() -> None:
    """Leaf x is above its runtime, as its sister y waits; the department holds its min of 8."""
    scene = Scene(nodes=1, cpu=12)
    scene.quota("dept", min=8, max=12, is_parent=True)
    scene.quota("x", max=8, parent="dept")
    scene.quota("y", min=6, max=8, parent="dept")
    scene.quota("z")
    scene.quota("owner", min=2)
    scene.run("of-x", "x", 8)
    scene.run("of-z", "z", 4)
    scene.play(MINUTE)
    scene.run("of-y", "y", cpu=8)
    scene.play(1_000)
    scene.run("of-owner", "owner", 2)
    scene.settle()
    assert evicted(scene) == ["z", "z"]


def test_a_fair_share_is_not_taken_from_a_department_that_holds_its_min_and_its_runtime() -> None:
    scene = Scene(nodes=1, cpu=6)
    scene.node("small-0", 1)
    scene.node("small-1", 1)
    scene.quota("dept", min=6, max=6, is_parent=True)
    scene.quota("x", parent="dept")
    scene.quota("y", parent="dept")
    scene.quota("outside")
    scene.run("of-x", "x", 3, cpu=2)
    scene.play(MINUTE)
    scene.run("of-y", "y", cpu=6)
    scene.run("other", "outside", cpu=2)
    scene.settle()
    assert scene.evictions == []


def test_pods_that_are_not_preemptible_get_no_idle_room_beyond_min() -> None:
    scene = Scene(nodes=1, cpu=16)
    scene.quota("team", min=5, max=16)
    scene.quota("other", max=16)
    scene.run("usual", "team", 4, cpu=2)
    scene.play(MINUTE)
    scene.run("waits", "other", cpu=9)
    scene.run("firm", "team", 3, cpu=2, preemptible=False)
    scene.settle()
    assert scene.runs_of("firm") == 2


def test_a_lowered_max_is_reached_though_min_protects_a_part_of_the_pod() -> None:
    """Only the pod of 3 cpu goes: it is enough, and the one of 1 cpu would go in vain."""
    scene = Scene(nodes=1, cpu=16)
    scene.quota("team", min=2, max=16)
    scene.run("large", "team", cpu=3)
    scene.run("small", "team")
    scene.play(MINUTE)
    scene.quota("team", min=2, max=2)
    scene.settle()
    assert [eviction.request["cpu"] for _, eviction in scene.evictions] == [3_000]
    assert scene.used() == {"team": 1}


def test_priority_inside_a_quota_counts_while_another_quota_waits_for_a_node() -> None:
    """The pod of the other quota is within its share, as half of all cpus are on another node."""
    scene = Scene(nodes=0)
    scene.node("small", 4, {"kind": "small"})
    scene.node("large", 8, {"kind": "large"})
    scene.quota("team", min=4)
    scene.quota("other")
    scene.run("usual", "team", 2, cpu=2, on="small")
    scene.play(MINUTE)
    scene.run("waits", "other", cpu=2, on="small")
    scene.play(MINUTE)
    scene.run("important", "team", cpu=2, priority=100, on="small")
    scene.settle()
    assert scene.runs_of("important") == 1
    assert evicted(scene) == ["team"]


def test_room_of_victims_is_not_taken_by_a_pod_that_may_not_preempt() -> None:
    """It stands first, and waits; the pod behind it preempts two pods, and starts."""
    scene = Scene(nodes=1, cpu=4)
    scene.quota("team", min=4)
    scene.run("usual", "team", 2, cpu=2)
    scene.play(MINUTE)
    scene.run("never", "team", cpu=2, priority=5, may_preempt=False)
    scene.play(MINUTE)
    scene.run("important", "team", cpu=4, priority=1)
    scene.settle()
    assert scene.runs_of("important") == 1
    assert len(scene.evictions) == 2


def test_what_a_department_is_guaranteed_returns_after_the_grace() -> None:
    """The leaf has no min of its own; its department has one of 4 cpu."""
    scene = Scene(nodes=1, cpu=4)
    scene.quota("dept", min=4, is_parent=True)
    scene.quota("leaf", parent="dept")
    scene.quota("borrower")
    scene.run("borrowed", "borrower", 4)
    scene.play(MINUTE)
    scene.run("owed", "leaf", 4)
    scene.play(MINUTE // 4)
    assert scene.runs_of("owed") == 4


def test_the_last_of_four_groups_to_ask_gets_its_published_40() -> None:
    """Its runtime is 39.6 cpu and that of C 35.4: the fortieth pod lowers the larger share."""
    scene = Scene(nodes=10, cpu=10)
    for name, low, weight in (("A", 10, 40), ("B", 15, 60), ("C", 20, 50), ("D", 15, 80)):
        scene.quota(name, min=low, weight=weight)
    for name, wants in (("A", 5), ("B", 20), ("C", 75)):
        scene.run(name.lower(), name, wants)
    scene.play(MINUTE)
    scene.run("d", "D", 70)
    scene.settle()
    assert scene.used() == {"A": 5, "B": 20, "C": 35, "D": 40}


def test_pods_that_wait_for_a_node_to_come_do_not_take_the_room_of_victims() -> None:
    """A node would come for the third cpu pod; a more important pod needs the device as well.

    Besides a victim on the node, the pod that has none is evicted: it may use other nodes only.
    """
    scene = Scene(nodes=0, capacity=CapacityMode("Elastic", max=amounts(cpu=24, memory=1_024)))
    scene.node("with-devices", 4, gpu=2)
    scene.quota("team", min=20, gpu=2)
    scene.run("usual", "team", 2, cpu=2)
    scene.play(MINUTE)
    scene.run("pending", "team", cpu=2)
    scene.play(SECOND)
    scene.run("important", "team", cpu=2, gpu=1, priority=5)
    scene.play(MINUTE // 2)
    assert scene.runs_of("important") == 1
    assert scene.runs_of("usual") == 1
    assert len(scene.evictions) == 2


def test_a_resource_that_a_pod_does_not_request_holds_it_up_nowhere() -> None:
    """Its quota holds two devices, and their min becomes one: that is nothing to a cpu pod."""
    scene = Scene(nodes=0)
    scene.node("with-devices", 16, gpu=4)
    scene.quota("team", min=12)
    scene.run("devices", "team", gpu=2, preemptible=False)
    scene.play(MINUTE)
    scene.quota("team", min=12, gpu=1)
    scene.run("firm", "team", cpu=2, preemptible=False)
    scene.play(MINUTE)
    assert scene.runs_of("devices") == 1
    assert scene.runs_of("firm") == 1


def test_room_that_is_cleared_for_a_pod_without_a_node_stays_its_own_while_victims_end() -> None:
    """No node comes in time. One victim ends 28 s before the other, while two pods wait beside it.

    Those two are evicted as well, as they have no node: they may use other nodes only.
    """
    capacity = CapacityMode(
        "Elastic", max=amounts(cpu=12, memory=1_024), scale_up_timeout=60 * SECOND
    )
    scene = Scene(nodes=1, cpu=4, capacity=capacity)
    scene.quota("owner", min=8)
    scene.quota("borrower")
    scene.run("soon", "borrower", cpu=2, grace=2 * SECOND)
    scene.run("late", "borrower", cpu=2, grace=30 * SECOND)
    scene.play(MINUTE)
    scene.run("owed", "owner", cpu=4)
    scene.play(SECOND)
    scene.run("waits", "borrower", 2, cpu=2, grace=2 * SECOND)
    scene.play(10 * MINUTE)
    assert scene.runs_of("owed") == 1
    assert len(scene.evictions) == 4


def test_a_min_of_devices_protects_their_pods_from_a_fair_share_of_cpu() -> None:
    """The other team may have 4 cpu by its share; 2 are idle, and the rest is on device pods."""
    scene = Scene(nodes=0)
    scene.node("with-devices", 8, gpu=2)
    scene.quota("devices", gpu=2, max=8)
    scene.quota("other", max=8)
    scene.run("training", "devices", 2, cpu=3, gpu=1)
    scene.play(MINUTE)
    scene.run("usual", "other", 2, cpu=2)
    scene.play(10 * MINUTE)
    assert scene.runs_of("usual") == 1
    assert scene.evictions == []


def test_a_pod_that_no_scheduler_takes_evicts_running_pods_of_its_quota_once_at_most() -> None:
    """After its time it takes no room, so the others start again; it is not evicted itself."""
    scene = Scene(nodes=1, cpu=3)
    scene.quota("team")
    scene.run("usual", "team", 3)
    scene.play(MINUTE)
    scene.run("stuck", "team", priority=2_000_000_000, scheduler="not-there")
    scene.play(60 * MINUTE)
    assert evicted(scene) == ["team"]
    assert scene.runs_of("usual") == 3


def test_a_pod_that_no_scheduler_takes_evicts_pods_of_others_once_at_most() -> None:
    scene = Scene(nodes=1, cpu=4)
    scene.quota("team")
    scene.quota("other")
    scene.run("usual", "team", 2, cpu=2)
    scene.play(MINUTE)
    scene.run("stuck", "other", cpu=2, scheduler="not-there")
    scene.play(60 * MINUTE)
    assert evicted(scene) == ["team"]
    assert scene.runs_of("usual") == 2


def test_pods_that_no_scheduler_takes_do_not_change_places() -> None:
    scene = Scene(nodes=1, cpu=4)
    scene.quota("team", max=4)
    scene.run("stuck", "team", 2, cpu=4, scheduler="not-there")
    scene.play(60 * MINUTE)
    assert evicted(scene) == []
