"""An elastic tree: pods start on nodes that have yet to come, as far as the tree may grow."""

from elasticquota import names
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.fault import Fault
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.node import Taint
from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from worlds import GI, World, amounts


GPU = "nvidia.com/gpu"
MINUTE = 60_000


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def release_unplaced(world: World, decisions: Decisions, since: int) -> None:
    """What the ungater does, while the scheduler finds no node."""
    for release in decisions.releases:
        pod = world.ledger.pods[release.pod]
        world.ledger.upsert_pod(replace(pod, gates=(), unplaced_since=since, refused=True))


def bind(world: World, pods: list[Pod], node: str) -> None:
    for pod in pods:
        now = world.ledger.pods[pod.key]
        world.ledger.upsert_pod(
            replace(now, gates=(), node_name=node, unplaced_since=None, refused=False)
        )


def test_a_job_starts_in_a_pool_of_no_nodes() -> None:
    """The number of jobs is a limit of a quota, which no node offers."""
    world = World(nodes=0)
    world.elastic(cpu=20)
    world.quota("team-a", max=100)
    world.job("team-a", "train", 4, cpu=2)
    assert [each.pod.name for each in world.decide().jobs.releases] == ["job.batch/train"]


def test_a_pool_of_no_nodes_starts_up_to_its_max() -> None:
    world = World(nodes=0)
    world.elastic(cpu=20)
    world.quota("team-a", max=100)
    pods = world.pods("team-a", 7, cpu=4, waiting=True)
    decisions = world.decide()
    assert released(decisions) == [pod.uid for pod in pods[:5]]
    assert {wait.uid: wait.reason for wait in decisions.waits} == {
        pod.uid: "QuotaExhausted" for pod in pods[5:]
    }


def test_the_message_says_how_far_the_tree_has_grown() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20)
    world.quota("team-a", max=100)
    world.pods("team-a", 2, cpu=5, waiting=True)
    here, to_come = (release.message for release in world.decide().releases)
    assert here == "Admitted into quota team-a: it now uses 5 of its current share of 10 cpu."
    assert to_come == (
        "Admitted into quota team-a: it now uses 10 of its current share of 10 cpu; "
        "WaitingForNodes: waiting for nodes (8 of at most 20 cpu)."
    )


def test_pods_that_wait_for_nodes_take_of_what_may_come() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20)
    world.quota("team-a")
    world.pods("team-a", 1, cpu=8)
    first = world.pods("team-a", 2, cpu=6, waiting=True)
    decisions = world.decide()
    assert released(decisions) == [pod.uid for pod in first]
    release_unplaced(world, decisions, since=0)
    world.pods("team-a", 1, cpu=1, waiting=True)
    assert released(world.decide()) == []


def test_no_node_comes_for_a_pod_beyond_what_the_tree_may_grow_by() -> None:
    """The runtime has room, but only in parts of present nodes, and the tree is full-grown."""
    world = World(nodes=2, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a")
    for index in range(2):
        world.pods("team-a", 1, cpu=6, node=f"node-{index}")
    (pod,) = world.pods("team-a", 1, cpu=3, waiting=True)
    (wait,) = world.decide().waits
    assert (wait.uid, wait.reason) == (pod.uid, "NoNodeFitsNow")
    world.elastic(cpu=19)
    assert released(world.decide()) == [pod.uid]


def test_all_of_a_group_starts_on_nodes_to_come_or_none_of_it() -> None:
    world = World(nodes=1, cpu=4)
    world.elastic(cpu=12)
    world.quota("team-a")
    world.pods("team-a", 3, cpu=4, waiting=True, group=Group("train", 3))
    assert len(released(world.decide())) == 3
    world.elastic(cpu=11)
    assert released(world.decide()) == []


def test_a_pod_larger_than_the_largest_node_never_starts() -> None:
    world = World(nodes=1, cpu=4)
    world.elastic(cpu=64, largest=8)
    world.quota("team-a")
    (pod,) = world.pods("team-a", 1, cpu=9, waiting=True)
    (wait,) = world.decide().waits
    assert (wait.uid, wait.reason) == (pod.uid, "NoNodeFits")
    assert "needs 9 cpu; the largest node of the tree offers 8 by the capacity" in wait.message
    world.node("large", cpu=16)  # present nodes count as they are
    assert released(world.decide()) == [pod.uid]


def test_labels_that_no_present_node_has_keep_no_pod_back() -> None:
    """A node to come may have them. If none does, the pod is timed out."""
    world = World(nodes=1, cpu=4)
    world.elastic(cpu=8)
    world.quota("team-a")
    (pod,) = world.pods("team-a", 1, cpu=1, waiting=True)
    choosy = replace(pod, constraints=Constraints(selector=(("disk", "ssd"),)))
    world.ledger.upsert_pod(choosy)
    assert released(world.decide()) == [pod.uid]


def test_a_pod_beyond_the_max_of_the_tree_says_so() -> None:
    world = World(nodes=0)
    world.elastic(cpu=20)
    world.quota("team-a")
    world.pods("team-a", 1, cpu=21, waiting=True)
    (wait,) = world.decide().waits
    assert wait.reason == "ExceedsMax"
    assert "needs 21 cpu; the tree offers at most 20 by the capacity" in wait.message


def test_a_device_that_the_max_does_not_name_is_limited_to_what_is_present() -> None:
    world = World(nodes=0)
    world.elastic(cpu=20)
    world.quota("team-a")
    (pod,) = world.pods("team-a", 1, cpu=1, waiting=True)
    world.ledger.upsert_pod(replace(pod, request={**pod.request, GPU: 1}))
    (wait,) = world.decide().waits
    assert wait.reason == "ExceedsMax"
    lacks = f"needs 1 {GPU}; the capacity of the tree's profile does not name {GPU} in its max"
    assert lacks in wait.message
    world.node("node-0", cpu=4)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, GPU: 1}))
    assert released(world.decide()) == [pod.uid]


def test_a_tree_with_more_nodes_than_its_max_shares_the_max() -> None:
    world = World(nodes=5, cpu=8)
    world.elastic(cpu=16)
    world.quota("team-a")
    world.pods("team-a", 20, cpu=1, waiting=True)
    assert len(released(world.decide())) == 16


def test_the_ratio_counts_for_what_nodes_may_become_too() -> None:
    world = World(nodes=0)
    world.elastic(cpu=20)
    profile = world.ledger.profiles[Key("system", "pool")]
    half = type(profile.ratio)(1, 2)
    world.ledger.upsert_profile(replace(profile, ratio=half))
    world.quota("team-a")
    world.pods("team-a", 20, cpu=1, waiting=True)
    assert len(released(world.decide())) == 10


def test_a_declared_total_counts_and_not_the_nodes() -> None:
    world = World(nodes=1, cpu=2)
    world.capacity(CapacityMode("Declared", total=amounts(cpu=6)))
    world.quota("team-a")
    pods = world.pods("team-a", 8, cpu=1, waiting=True)
    decisions = world.decide()
    assert released(decisions) == [pod.uid for pod in pods[:6]]
    (root,) = decisions.roots
    assert root.min == amounts(cpu=6)


def test_the_root_quota_publishes_mode_and_present_nodes() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20, memory=100)
    (root,) = world.decide().roots
    assert root.min == {"cpu": 20_000, "memory": 100 * GI}
    assert root.tree == {"capacity": {"mode": "Elastic", "max": {"cpu": "20", "memory": "100Gi"}}}
    assert root.annotations[names.PRESENT_RESOURCE] == ('{"cpu":"8","memory":"64Gi","pods":"110"}')


def test_a_node_that_an_autoscaler_removes_is_no_room() -> None:
    for key, is_room in (
        ("ToBeDeletedByClusterAutoscaler", False),
        ("karpenter.sh/disrupted", False),
        ("karpenter.sh/disruption", False),
        ("DeletionCandidateOfClusterAutoscaler", True),
    ):
        world = World(nodes=1, cpu=8)
        world.elastic(cpu=8)
        world.quota("team-a")
        effect = "PreferNoSchedule" if is_room else "NoSchedule"
        node = world.ledger.nodes["node-0"]
        world.ledger.upsert_node(replace(node, taints=(Taint(key, "1", effect),)))
        world.pods("team-a", 1, cpu=8, waiting=True)
        (release,) = world.decide().releases
        assert ("WaitingForNodes" in release.message) == (not is_room), key


def test_a_pod_without_a_node_in_time_makes_room_for_others_and_stays() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20)
    world.quota("team-a")
    world.quota("team-b")
    late = world.pods("team-a", 1, cpu=12, waiting=True)
    release_unplaced(world, world.decide(), since=0)
    others = world.pods("team-b", 9, cpu=1, waiting=True)
    world.ledger.set_time(14 * MINUTE)
    assert len(released(world.decide())) == 8
    world.ledger.set_time(15 * MINUTE)
    decisions = world.decide()
    # What did not come does not count: of 20 cpu, 12 are not there.
    assert released(decisions) == [pod.uid for pod in others[:8]]
    assert decisions.evictions == ()
    (told,) = decisions.unscheduled
    assert told.uid == late[0].uid
    assert "no node came for it within 900 s" in told.message


def test_runtime_falls_back_to_what_is_present_and_on_its_way() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", 1, cpu=9, waiting=True)
    release_unplaced(world, world.decide(), since=0)
    world.pods("team-b", 20, cpu=1, waiting=True)

    def runtime() -> dict[str, int]:
        return {each.key.name: each.runtime["cpu"] for each in world.decide().statuses}

    assert runtime() == {"pool-root": 20_000, "team-a": 9_000, "team-b": 11_000}
    world.ledger.set_time(15 * MINUTE)
    assert runtime() == {"pool-root": 11_000, "team-a": 0, "team-b": 11_000}
    release_unplaced(world, world.decide(), since=15 * MINUTE)
    world.ledger.set_time(30 * MINUTE)
    assert runtime()["pool-root"] == 8_000


def test_a_pod_that_gets_a_node_after_all_counts_again() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20)
    world.quota("team-a")
    world.quota("team-b")
    late = world.pods("team-a", 1, cpu=12, waiting=True)
    release_unplaced(world, world.decide(), since=0)
    world.ledger.set_time(15 * MINUTE)
    assert world.decide().unscheduled
    world.node("new", cpu=12)
    bind(world, late, "new")
    world.pods("team-b", 9, cpu=1, waiting=True)
    decisions = world.decide()
    assert decisions.unscheduled == ()
    assert len(released(decisions)) == 8


def test_timed_out_pods_leave_room_beside_them_only_within_the_max_of_their_quota() -> None:
    """They may get a node at any time, and then the quota holds no more than its max."""
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=40)
    world.quota("team-a", max=14)
    world.pods("team-a", 1, cpu=12, waiting=True)
    release_unplaced(world, world.decide(), since=0)
    world.ledger.set_time(15 * MINUTE)
    world.pods("team-a", 5, cpu=1, waiting=True)
    assert len(released(world.decide())) == 2


def test_the_timeout_is_that_of_the_profile() -> None:
    world = World(nodes=0)
    world.elastic(cpu=20, timeout=MINUTE)
    world.quota("team-a")
    world.pods("team-a", 1, cpu=12, waiting=True)
    release_unplaced(world, world.decide(), since=0)
    world.ledger.set_time(MINUTE - 1)
    assert world.decide().unscheduled == ()
    world.ledger.set_time(MINUTE)
    assert len(world.decide().unscheduled) == 1
    world.elastic(cpu=20, timeout=2 * MINUTE)
    decisions = world.decide()
    assert decisions.unscheduled == ()
    assert decisions.wake_at is not None


def with_unreadable_capacity(world: World, published: CapacityMode | None) -> None:
    profile = world.ledger.profiles[Key("system", "pool")]
    world.ledger.upsert_profile(
        replace(
            profile,
            capacity=CapacityMode(),
            capacity_unknown=True,
            faults=(Fault("", "it is wrong"),),
        )
    )
    root = world.ledger.quotas[Key("system", "pool-root")]
    world.ledger.upsert_quota(replace(root, capacity=published))


def test_a_capacity_that_cannot_be_read_leaves_the_published_one_in_force() -> None:
    """Also for a controller that starts then: it reads what its predecessor published."""
    elastic = CapacityMode("Elastic", max=amounts(cpu=20, memory=100))
    for published, shared in ((elastic, 20_000), (None, 8_000)):
        world = World(nodes=1, cpu=8)
        with_unreadable_capacity(world, published)
        decisions = world.decide()
        (root,) = decisions.roots
        assert root.min["cpu"] == shared
        assert ("capacity" in root.tree) == (published is not None)
        ready, stalled = decisions.profiles[0].conditions
        assert (stalled.type, stalled.status, stalled.message) == ("Stalled", True, ready.message)
        mode = "Nodes" if published is None else "Elastic"
        assert (ready.reason, ready.message) == (
            "InvalidSpec",
            f"it is wrong. [EP1201]; mode {mode} stays in force as the capacity of the tree",
        )


def test_a_capacity_on_another_quota_than_the_root_of_the_profile_means_nothing() -> None:
    world = World(nodes=1, cpu=8)
    with_unreadable_capacity(world, None)
    world.quota("team-a")
    forged = world.ledger.quotas[Key("teams", "team-a")]
    huge = CapacityMode("Elastic", max=amounts(cpu=2000, memory=2000))
    world.ledger.upsert_quota(replace(forged, capacity=huge, is_root=True, profile="pool"))
    (root,) = world.decide().roots
    assert root.min["cpu"] == 8_000


def test_a_capacity_that_is_removed_leaves_the_present_nodes() -> None:
    world = World(nodes=1, cpu=8)
    world.elastic(cpu=20)
    assert world.decide().roots[0].min["cpu"] == 20_000
    world.capacity(CapacityMode())
    (root,) = world.decide().roots
    assert root.min["cpu"] == 8_000
    assert root.tree == {}
    assert names.PRESENT_RESOURCE in root.not_annotated


def test_a_pod_for_a_node_to_come_is_kept_off_nodes_where_it_could_preempt() -> None:
    """The scheduler preempts before an autoscaler acts, also pods within the min of a quota."""
    for priority, may_preempt, kept_off in ((5, True, True), (5, False, False), (0, True, False)):
        world = World(nodes=1, cpu=8)
        world.elastic(cpu=16)
        for name in ("node-0", "node-1"):
            labels = {"pool": "main", "kubernetes.io/hostname": f"host-{name}"}
            if name == "node-1":
                world.node(name, cpu=1)
            node = world.ledger.nodes[name]
            world.ledger.upsert_node(replace(node, labels=labels))
        world.quota("team-a", min=8)
        world.quota("team-b")
        world.pods("team-a", 8, cpu=1)
        world.pods("team-b", 1, cpu=4, waiting=True, priority=priority, may_preempt=may_preempt)
        (release,) = world.decide().releases
        hosts = [
            each.values
            for each in release.nodes.requirements
            if (each.key, each.operator) == ("kubernetes.io/hostname", "NotIn")
        ]
        assert hosts == ([("host-node-0",)] if kept_off else [])
