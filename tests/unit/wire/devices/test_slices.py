"""ResourceSlices as values."""

from typing import Any

import msgspec

from elasticquota.model.constraints import NodeRequirement, NodeTerm
from elasticquota.model.devices import Amount, Reach, Slice, Version
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.devices import slices


def read(**spec: Any) -> Slice:
    pool = {"name": "p", "generation": 3, "resourceSliceCount": 2}
    whole = {"driver": "d.example.com", "pool": pool, **spec}
    return slices.read(msgspec.convert({"metadata": {"name": "s"}, "spec": whole}, StatusManifest))


def test_a_device_has_attributes_and_capacity_of_its_driver_or_another_domain() -> None:
    attributes = {
        "model": {"string": "A100"},
        "other.com/index": {"int": 0},
        "ecc": {"bool": False},
        "version": {"version": "1.2.3"},
        "tags": {"strings": ["a", "b"]},
        "odd": {"complex": 1},
    }
    found = read(
        nodeName="n",
        devices=[
            {
                "name": "gpu-0",
                "attributes": attributes,
                "capacity": {"memory": {"value": "80Gi"}, "other.com/x": {"value": "1"}},
            }
        ],
    )
    assert (found.name, found.driver, found.pool) == ("s", "d.example.com", "p")
    assert (found.generation, found.slices, found.faults) == (3, 2, ())
    (device,) = found.devices
    assert dict(device.attributes) == {
        ("d.example.com", "model"): "A100",
        ("other.com", "index"): 0,
        ("d.example.com", "ecc"): False,
        ("d.example.com", "version"): Version("1.2.3"),
        ("d.example.com", "tags"): ("a", "b"),
    }
    assert dict(device.capacity) == {
        ("d.example.com", "memory"): Amount(80 * 1024**3 * 10**9),
        ("other.com", "x"): Amount(10**9),
    }
    assert device.reach == Reach("n")


def test_devices_say_from_which_nodes_they_can_be_used() -> None:
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
    zone = Reach(terms=(NodeTerm((NodeRequirement("zone", "In", ("a",)),)),))
    device = {"name": "x"}
    assert read(allNodes=True, devices=[device]).devices[0].reach == Reach(everywhere=True)
    selector = {"nodeSelectorTerms": terms}
    assert read(nodeSelector=selector, devices=[device]).devices[0].reach == zone
    own = [{**device, "nodeName": "n"}, {**device, "nodeSelector": selector}, device]
    found = read(perDeviceNodeSelection=True, devices=own)
    assert [each.reach for each in found.devices] == [Reach("n"), zone]
    bad = read(nodeSelector={"nodeSelectorTerms": 3}, devices=[device])
    assert (bad.devices, tuple(map(str, bad.faults))) == (
        (),
        ("spec.nodeSelector: must be a node selector",),
    )


def test_counters_of_the_pool_and_what_devices_take_of_them() -> None:
    counters = {"slots": {"value": "8"}, "memory": {"value": "40Gi"}}
    found = read(
        nodeName="n",
        sharedCounters=[{"name": "gpu-0", "counters": counters}],
        devices=[
            {
                "name": "part",
                "allowMultipleAllocations": True,
                "consumesCounters": [
                    {"counterSet": "gpu-0", "counters": {"slots": {"value": "1"}}}
                ],
            }
        ],
    )
    assert found.counters["gpu-0", "slots"] == 8 * 10**9
    (device,) = found.devices
    assert device.counters == ((("gpu-0", "slots"), 10**9),)
    assert device.shared


def test_a_device_cannot_enlarge_the_counters_of_its_pool() -> None:
    taking = [{"counterSet": "gpu-0", "counters": {"slots": {"value": "-1"}}}]
    found = read(nodeName="n", devices=[{"name": "x", "consumesCounters": taking}])
    assert found.devices[0].counters == ()
    assert tuple(map(str, found.faults)) == (
        "spec.devices[0].consumesCounters.slots: must not be negative, got -1",
    )


def test_parts_of_another_shape_are_left_out_and_named() -> None:
    found = read(
        nodeName="n",
        pool=3,
        devices=[{"name": "x", "capacity": {"m": {"value": "much"}, "n": {"value": True}}}, 4],
    )
    assert (found.pool, found.generation, found.slices) == ("", 0, 1)
    assert [each.name for each in found.devices] == ["x", ""]
    assert len(found.faults) == 4
