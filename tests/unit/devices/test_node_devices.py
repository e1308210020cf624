"""Devices that nodes offer, by the classes that match them."""

import devices
from devices import GPU, NIC, device, device_class, node, slice_of
from elasticquota import names
from elasticquota.devices.node_devices import NodeDevices
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.constraints import NodeRequirement, NodeTerm
from elasticquota.model.devices import Reach, Slice
from elasticquota.model.fault import Fault
from elasticquota.structs import replace


EXTENDED = "example.com/gpu"


def tracked(*classes: str) -> NodeDevices:
    found = NodeDevices(Ledger(), devices.matches)
    for name in ("node-0", "node-1"):
        found.upsert_node(node(name))
    for each in classes or ("gpu",):
        found.upsert_class(device_class(each))
    return found


def offered(found: NodeDevices, name: str, key: str = GPU) -> int:
    found.flush()
    return found._ledger.nodes[name].allocatable.get(key, 0)


def test_a_node_offers_the_devices_of_its_slices_for_each_class_that_matches() -> None:
    found = tracked("gpu", "nic")
    found.upsert_slice(slice_of("node-0", 8))
    found.upsert_slice(slice_of("node-0", 2, "nic", pool="other"))
    assert (offered(found, "node-0"), offered(found, "node-0", NIC)) == (8, 2)
    assert offered(found, "node-1") == 0
    assert found._ledger.nodes["node-0"].allocatable[names.CPU] == 8000
    assert found.node("node-0") == node("node-0")


def test_changes_of_slices_classes_and_nodes_are_followed() -> None:
    found = tracked()
    found.upsert_slice(slice_of("node-0", 8))
    assert offered(found, "node-0") == 8
    found.upsert_slice(slice_of("node-0", 4))
    assert offered(found, "node-0") == 4
    found.upsert_class(device_class("gpu", "nic"))
    assert offered(found, "node-0") == 0
    found.upsert_class(device_class("gpu", "*"))
    assert offered(found, "node-0") == 4
    found.delete_class("gpu")
    assert offered(found, "node-0") == 0
    found.upsert_class(device_class("gpu"))
    found.delete_node("node-0")
    found.upsert_node(node("node-0"))
    assert offered(found, "node-0") == 4
    found.delete_slice(slice_of("node-0", 4).name)
    assert offered(found, "node-0") == 0


def test_while_a_driver_replaces_its_slices_the_last_complete_pool_counts() -> None:
    found = tracked()
    found.upsert_slice(slice_of("node-0", 8))
    assert offered(found, "node-0") == 8
    found.upsert_slice(slice_of("node-0", 2, generation=1, slices=2))
    assert offered(found, "node-0") == 8
    second = replace(slice_of("node-0", 0, generation=1, slices=2), name="second")
    found.upsert_slice(second)
    assert offered(found, "node-0") == 2


def test_a_device_in_reach_of_several_nodes_is_room_on_each_and_counts_once() -> None:
    found = tracked()
    wide = Slice("s", "d", "p", devices=(device("x", reach=Reach(everywhere=True)),))
    found.upsert_slice(wide)
    assert (offered(found, "node-0"), offered(found, "node-1")) == (1, 1)
    nodes = found._ledger.nodes
    assert [nodes[name].offered.get(GPU, 0) for name in sorted(nodes)] == [1, 0]
    found.delete_node("node-0")
    found.flush()
    assert nodes["node-1"].offered[GPU] == 1
    found.delete_slice("s")
    assert offered(found, "node-1") == 0


def test_a_selector_of_nodes_says_which_can_use_a_device() -> None:
    found = tracked()
    zone = NodeTerm((NodeRequirement("zone", "In", ("1",)),))
    found.upsert_slice(Slice("s", "d", "p", devices=(device("x", reach=Reach(terms=(zone,))),)))
    assert (offered(found, "node-0"), offered(found, "node-1")) == (0, 1)
    found.upsert_node(replace(node("node-0"), labels={"zone": "1"}))
    assert (offered(found, "node-0"), offered(found, "node-1")) == (1, 1)
    assert found._ledger.nodes["node-1"].offered[GPU] == 0


def test_a_class_that_cannot_be_evaluated_counts_nowhere_and_is_reported() -> None:
    found = tracked("gpu", "nic")
    found.upsert_slice(slice_of("node-0", 8))
    found.upsert_class(device_class("gpu", "?"))
    assert offered(found, "node-0") == 0
    assert found.demand.uncounted == {"gpu"}
    assert found.reports() == {"gpu": "it cannot be read"}
    found.upsert_class(replace(device_class("gpu"), faults=(Fault("", "bad"),)))
    assert offered(found, "node-0") == 0
    assert found.demand.uncounted == {"gpu"}
    assert found.reports() == {"gpu": "bad"}
    found.upsert_class(device_class("gpu"))
    assert offered(found, "node-0") == 8
    assert (found.demand.uncounted, found.reports()) == (frozenset(), {})


def test_a_device_for_which_a_selector_fails_does_not_count_and_is_reported() -> None:
    found = tracked()
    found.upsert_class(device_class("gpu", "!"))
    pair = (device("x"), device("y", "broken"))
    found.upsert_slice(Slice("s", "d", "p", devices=pair))
    assert offered(found, "node-0") == 1
    assert found.reports() == {"gpu": "device y: it fails"}
    assert found.demand.uncounted == frozenset()


def test_devices_without_a_limit_of_allocations_are_no_number() -> None:
    found = tracked()
    found.upsert_slice(Slice("s", "d", "p", devices=(device("x", shared=True),)))
    assert offered(found, "node-0") == 0
    assert found.reports() == {"gpu": "device x can be allocated several times at a time"}
    assert found.demand.uncounted == {"gpu"}


def test_the_extended_resource_of_a_class_is_offered_too_but_not_beside_a_plugin() -> None:
    found = tracked()
    found.upsert_class(device_class("gpu", extended=EXTENDED))
    found.upsert_node(node("node-1", **{EXTENDED: 3}))
    for name in ("node-0", "node-1"):
        found.upsert_slice(slice_of(name, 8))
    assert (offered(found, "node-0", EXTENDED), offered(found, "node-1", EXTENDED)) == (8, 3)
    assert found.demand.served == {EXTENDED: frozenset({"node-1"})}


def test_of_two_classes_with_one_extended_resource_the_younger_serves_it() -> None:
    found = tracked()
    found.upsert_class(device_class("gpu", extended=EXTENDED, created="1"))
    found.upsert_class(device_class("nic", extended=EXTENDED, created="2"))
    found.flush()
    assert found.demand.extended == {"nic": EXTENDED}
    found.upsert_class(device_class("nic", extended=EXTENDED, created="1"))
    found.flush()
    assert found.demand.extended == {"gpu": EXTENDED}


def test_the_most_that_one_node_has_is_known_for_requests_of_all() -> None:
    found = tracked()
    found.upsert_slice(slice_of("node-0", 4))
    found.upsert_slice(slice_of("node-1", 8))
    found.upsert_slice(slice_of("gone", 16))
    found.flush()
    assert found.demand.largest == {"gpu": 8}
    found.delete_node("node-1")
    found.flush()
    assert found.demand.largest == {"gpu": 4}


def test_a_node_cannot_claim_devices_that_no_slice_has() -> None:
    found = tracked()
    found.upsert_node(node("node-0", **{GPU: 100}))
    assert offered(found, "node-0") == 0
    found.upsert_slice(slice_of("node-0", 2))
    assert offered(found, "node-0") == 2


def test_nodes_without_devices_are_stored_unchanged() -> None:
    found = tracked()
    found.flush()
    assert found._ledger.nodes["node-0"] is found.node("node-0")
