"""Which nodes have room for a pod now, and which would if they were empty."""

import pytest

from elasticquota import pool_keys
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.nodes.node_fit import MOST_KINDS, NodeFit, Where
from elasticquota.ledger.nodes.node_pods import NodePods
from elasticquota.model.constraints import ANYWHERE, Constraints, Toleration
from elasticquota.model.node import Node, Taint
from elasticquota.model.pod import Pod
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.structs import replace
from worlds import World


SSD = Constraints((("disk", "ssd"),))
IN_TREE = Where("42", EVERYTHING, ANYWHERE)


def books(world: World) -> ClusterSnapshot:
    return world.ledger.update(Accounting())


def fitting(world: World, pod: Pod) -> set[str]:
    found = books(world)
    return set(found.index.fit.fitting(found.index.where(pod.quota_label, pod), pod.size))


def change(world: World, name: str, **facts: object) -> None:
    node = world.ledger.nodes[name]
    world.ledger.upsert_node(replace(node, **facts))


def label(world: World, name: str, **labels: str) -> None:
    change(world, name, labels={**world.ledger.nodes[name].labels, **labels})


def waiting(world: World, cpu: int = 4, constraints: Constraints = ANYWHERE) -> Pod:
    (pod,) = world.pods("team-a", cpu=cpu, waiting=True)
    pod = replace(pod, constraints=constraints)
    world.ledger.upsert_pod(pod)
    return pod


def small() -> World:
    """Two nodes of 8 cpu."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    return world


def test_a_node_has_room_beside_all_pods_on_it() -> None:
    world = small()
    pod = waiting(world)
    assert fitting(world, pod) == {"node-0", "node-1"}
    (large,) = world.pods("team-a", cpu=5, node="node-0")
    assert fitting(world, pod) == {"node-1"}
    world.ledger.delete_pod(large.key)
    assert fitting(world, pod) == {"node-0", "node-1"}


def test_a_pod_on_its_way_out_still_takes_its_room() -> None:
    world = small()
    pod = waiting(world)
    world.pods("team-a", cpu=5, node="node-0", deleting=True)
    assert fitting(world, pod) == {"node-1"}


def test_labels_that_change_are_seen() -> None:
    world = small()
    pod = waiting(world, constraints=SSD)
    assert fitting(world, pod) == set()
    label(world, "node-1", disk="ssd")
    assert fitting(world, pod) == {"node-1"}
    label(world, "node-1", disk="hdd")
    assert fitting(world, pod) == set()


def test_taints_and_cordons_keep_off_who_does_not_tolerate_them() -> None:
    world = small()
    plain = waiting(world)
    tolerant = waiting(world, constraints=Constraints(tolerations=(Toleration("gpu", "Exists"),)))
    change(world, "node-0", taints=(Taint("gpu", "", "NoSchedule"),))
    assert (fitting(world, plain), fitting(world, tolerant)) == (
        {"node-1"},
        {"node-0", "node-1"},
    )
    change(world, "node-1", unschedulable=True)
    assert (fitting(world, plain), fitting(world, tolerant)) == (set(), {"node-0"})


def test_a_taint_that_only_prefers_keeps_no_pod_off() -> None:
    world = small()
    change(world, "node-0", taints=(Taint("gpu", "", "PreferNoSchedule"),))
    assert fitting(world, waiting(world)) == {"node-0", "node-1"}


def test_nodes_that_the_quota_does_not_select_are_no_room() -> None:
    world = small()
    label(world, "node-1", model="a100")
    (key,) = (q.key for q in world.ledger.quotas.values() if q.name == "team-a")
    wanted = Selector((Requirement("model", "In", ("a100",)),))
    world.ledger.upsert_quota(replace(world.ledger.quotas[key], nodes=wanted))
    assert fitting(world, waiting(world)) == {"node-1"}


def test_a_node_of_another_tree_is_no_room() -> None:
    world = small()
    pod = waiting(world)
    assert fitting(world, pod) == {"node-0", "node-1"}
    label(world, "node-0", pool="other")
    assert fitting(world, pod) == {"node-1"}


def test_only_nodes_on_which_something_changed_are_looked_at_again() -> None:
    world = World(nodes=300, cpu=8)
    world.quota("team-a")
    pod = waiting(world)
    assert len(fitting(world, pod)) == 300
    looked: list[str] = []
    has = NodeFit.has

    class Watched(NodeFit):
        def has(self, name: str, *rest: object) -> bool:
            looked.append(name)
            return has(self, name, *rest)  # type: ignore[arg-type]

    world.pods("team-a", cpu=8, node="node-7")
    found = books(world)
    found.index.fit.__class__ = Watched
    assert len(found.index.fit.fitting(found.index.where("team-a", pod), pod.size)) == 299
    assert looked == ["node-7"]


def test_a_long_log_is_forgotten_and_nothing_is_missed() -> None:
    world = small()
    pod = waiting(world)
    fitting(world, pod)
    for _ in range(2_100):
        (large,) = world.pods("team-a", cpu=8, node="node-0")
        books(world)
        world.ledger.delete_pod(large.key)
        books(world)
    (large,) = world.pods("team-a", cpu=8, node="node-1")
    assert fitting(world, pod) == {"node-0"}
    world.ledger.delete_pod(large.key)
    assert fitting(world, pod) == {"node-0", "node-1"}


def test_the_older_half_of_a_log_that_is_too_long_is_dropped_and_counted() -> None:
    load = NodePods()
    load.log.extend(str(number) for number in range(7))
    load.shorten_log(7)
    assert (len(load.log), load.forgotten) == (7, 0)
    load.shorten_log(6)
    assert (load.log, load.forgotten) == (["3", "4", "5", "6"], 3)
    load.shorten_log(3)
    assert (load.log, load.forgotten) == (["5", "6"], 5)


def test_a_changed_node_could_host_a_pod_once_it_is_of_the_tree() -> None:
    nodes = {name: Node(name, "", {}, {"cpu": cpu}) for name, cpu in (("a", 1), ("b", 9))}
    fit, size = NodeFit(nodes, NodePods()), frozenset({("cpu", 5)})
    where = Where("42", EVERYTHING, ANYWHERE)
    assert fit.could_host(where, size)
    fit.set_nodes({"42": {"a"}}, {"a"})
    assert not fit.could_host(where, size)
    fit.set_nodes({"42": {"a"}}, {"b"})
    assert not fit.could_host(where, size)
    fit.set_nodes({"42": {"a", "b"}}, {"b"})
    assert fit.could_host(where, size)
    nodes["b"] = replace(nodes["b"], allocatable={"cpu": 4})
    fit.set_nodes({"42": {"a", "b"}}, {"b"})
    assert not fit.could_host(where, size)
    nodes["b"] = replace(nodes["b"], allocatable={"cpu": 5})
    fit.set_nodes({"42": {"a", "b"}}, {"b"})
    assert fit.could_host(where, size)


def test_a_pod_that_no_node_is_for_is_no_request_until_one_is() -> None:
    world = small()
    pod = waiting(world, constraints=SSD)
    (wait,) = world.decide().waits
    assert (wait.reason, wait.message.rpartition(": ")[2]) == (
        "NoNodeFits",
        "kubectl elastic-quota explain pod teams/team-a-6-0 [NoNodeFits]",
    )
    assert books(world).trees["42"].runtimes.runtime("team-a").get("cpu", 0) == 0
    label(world, "node-1", disk="ssd")
    assert [release.uid for release in world.decide().releases] == [pod.uid]


def test_cordons_and_pressure_pass_so_such_a_pod_waits_and_asks() -> None:
    world = small()
    waiting(world)
    change(world, "node-0", unschedulable=True)
    change(world, "node-1", taints=(Taint("node.kubernetes.io/disk-pressure", "", "NoSchedule"),))
    (wait,) = world.decide().waits
    assert wait.reason == "NoNodeFitsNow"
    assert "1 is cordoned, 1 has taint node.kubernetes.io/disk-pressure:NoSchedule" in wait.message
    assert books(world).trees["42"].runtimes.runtime("team-a")["cpu"] == 4_000


def test_the_message_names_three_obstacles_and_counts_the_rest() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a")
    for number in range(4):
        change(world, f"node-{number}", taints=(Taint(f"t{number}", "", "NoSchedule"),))
    change(world, "node-4", unschedulable=True)
    waiting(world)
    (wait,) = world.decide().waits
    assert "1 is cordoned, 1 has taint t0:NoSchedule, 1 has taint t1:NoSchedule, 2 for other" in (
        wait.message
    )


ROLE = "node-role.kubernetes.io/control-plane"


@pytest.mark.parametrize("asks", [Requirement(ROLE, "Exists"), Requirement(ROLE, "In", ("",))])
def test_a_node_that_is_kept_for_the_cluster_is_in_no_tree_that_does_not_ask_for_it(
    asks: Requirement,
) -> None:
    world = small()
    taints = (Taint(ROLE, "", "NoSchedule"),)
    node = world.ledger.nodes["node-1"]
    world.ledger.upsert_node(replace(node, taints=taints, labels={**node.labels, ROLE: ""}))
    assert books(world).trees["42"].total["cpu"] == 8_000
    (profile,) = world.ledger.profiles.values()
    world.ledger.upsert_profile(replace(profile, selector=Selector((asks,))))
    assert books(world).trees["42"].total["cpu"] == 8_000
    assert set(books(world).capacities[profile.key].node_names) == {"node-1"}


def test_nodes_outside_the_pool_of_a_request_are_counted_as_such() -> None:
    world = small()
    of_pool = pool_keys.key("a100", "cpu")
    node = world.ledger.nodes["node-0"]
    change(world, "node-0", allocatable={**node.allocatable, of_pool: 8_000})
    found = books(world).index.fit.obstacles(IN_TREE, {of_pool: 1_000})
    assert found == {"are not in pool a100": 1, "": 1}


def test_a_request_lacks_all_of_a_resource_that_the_node_does_not_offer() -> None:
    world = small()
    world.pods("team-a", 6, node="node-0")
    fit = books(world).index.fit
    request = {"cpu": 3_000, "nvidia.com/gpu": 2, "memory": 0}
    assert fit.missing("node-0", request, {}) == {"cpu": 1_000, "nvidia.com/gpu": 2}
    assert fit.missing("node-0", request, {"cpu": 500}) == {"cpu": 1_500, "nvidia.com/gpu": 2}
    assert fit.missing("node-1", {"cpu": 8_000}, {}) == {}


def test_leaving_pods_are_missing_no_longer_and_take_their_slots_still() -> None:
    world = small()
    world.pods("team-a", 2, cpu=3, node="node-0", deleting=True)
    fit = books(world).index.fit
    assert fit.missing("node-0", {"cpu": 8_000}, {}) == {}
    assert fit.slots("node-0", {"cpu": 1_000}) == 2
    assert fit.slots("node-0", {"cpu": 1_000, "nvidia.com/gpu": 1}) == 0
    assert not fit.has("node-0", {"cpu": 3_000})
    assert fit.has("node-0", {"cpu": 2_000})
    assert not fit.has("node-0", {"cpu": 2_000}, {"cpu": 1})
    assert not fit.has("node-7", {})


def test_the_scheduler_prefers_the_node_with_the_larger_free_parts() -> None:
    world = small()
    world.pods("team-a", 2, cpu=3, node="node-0")
    fit = books(world).index.fit
    assert fit.share_free("node-0") == 250 + 1_000
    assert fit.share_free("node-1") == 1_000 + 1_000


def test_the_smallest_offer_has_a_free_part_too_and_no_offer_has_none() -> None:
    nodes = {"a": Node("a", "", {}, {"cpu": 1, "memory": 0, "gpu": 4})}
    assert NodeFit(nodes, NodePods()).share_free("a") == 1_000


def test_only_so_many_results_are_kept_and_the_oldest_are_dropped() -> None:
    fit = NodeFit({"a": Node("a", "", {}, {"cpu": 9_999})}, NodePods())
    fit.set_nodes({"42": {"a"}}, {"a"})
    where = Where("42", EVERYTHING, ANYWHERE)
    for cpu in range(MOST_KINDS + 5):
        size = frozenset({("cpu", cpu)})
        assert fit.could_host(where, size)
        assert fit.fitting(where, size) == {"a"}
    assert len(fit._kinds) == len(fit._hosts) == MOST_KINDS
    assert next(iter(fit._kinds)) == (where, frozenset({("cpu", 5)}))


def halved_log() -> tuple[dict[str, Node], NodeFit]:
    """The nodes a and b with 34 noted changes that were followed, and 35 of a after them.

    More than 68 are too many for two nodes: the older half is dropped, which is what was followed.
    """
    nodes = {name: Node(name, "", {"pool": "main"}, {"cpu": 9}) for name in ("a", "b")}
    fit = NodeFit(nodes, NodePods())
    fit.set_nodes({"42": {"a", "b"}}, {"a", "b"})
    for _ in range(32):
        fit.set_nodes({"42": {"a", "b"}}, {"a"})
    assert fit.admitted(IN_TREE) == {"a", "b"}
    for _ in range(34):
        fit.set_nodes({"42": {"a", "b"}}, {"a"})
    return nodes, fit


def test_a_result_that_followed_all_of_the_dropped_half_is_kept() -> None:
    _, fit = halved_log()
    fit.set_nodes({"42": {"a", "b"}}, {"a"})
    assert fit.admitted(IN_TREE) == {"a", "b"}


def test_the_last_change_before_a_half_is_dropped_is_followed() -> None:
    nodes, fit = halved_log()
    nodes["b"] = replace(nodes["b"], unschedulable=True)
    fit.set_nodes({"42": {"a", "b"}}, {"b"})
    assert fit.admitted(IN_TREE) == {"a"}


def test_a_node_without_a_label_and_one_that_is_gone_have_an_empty_one() -> None:
    nodes = {"a": Node("a", "", {"zone": "east"}, {"cpu": 1})}
    fit = NodeFit(nodes, NodePods())
    assert (fit.label("a", "zone"), fit.label("a", "rack"), fit.label("b", "zone")) == (
        "east",
        "",
        "",
    )
