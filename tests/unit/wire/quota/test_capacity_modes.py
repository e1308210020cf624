"""Reading the capacity of a profile: every fault is one line that says path, numbers and remedy."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.derived import tree_settings
from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.wire.quota import capacity_modes, profiles, quotas


GI = 2**30
ELASTIC = {"mode": "Elastic", "max": {"cpu": "20", "memory": "80Gi"}}


def faults_of(written: Any) -> list[str]:
    faults: list[Fault] = []
    assert capacity_modes.read(written, "c", faults) is None
    return [*map(str, faults)]


def profile(written: Any) -> profiles.ProfileManifest:
    document = {
        "metadata": {"name": "p"},
        "spec": {"quotaName": "root", "nodeSelector": {}, "capacity": written},
    }
    return msgspec.convert(document, profiles.ProfileManifest)


def test_each_mode_is_read_with_its_amounts() -> None:
    faults: list[Fault] = []
    written = {**ELASTIC, "largestNode": {"cpu": "4"}, "scaleUpTimeout": "90s"}
    assert capacity_modes.read(written, "c", faults) == CapacityMode(
        "Elastic",
        max={"cpu": 20_000, "memory": 80 * GI},
        largest_node={"cpu": 4_000},
        scale_up_timeout=90_000,
    )
    declared = {"mode": "Declared", "total": {"nvidia.com/gpu": 3}}
    assert capacity_modes.read(declared, "c", faults) == CapacityMode(
        "Declared", total={"nvidia.com/gpu": 3}
    )
    assert capacity_modes.read({"mode": "Nodes"}, "c", faults) == NODES
    assert capacity_modes.read(None, "c", faults) is None
    assert faults == []


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("x", "c: must be a map, got 'x'"),
        ([], "c: must be a map, got a list"),
        ({}, "c.mode: must be one of Nodes, Elastic and Declared, got null"),
        ({"mode": "elastic"}, "c.mode: must be one of Nodes, Elastic and Declared, got "
         "'elastic'; did you mean Elastic?"),
        ({"mode": ["Elastic"]}, "c.mode: must be one of Nodes, Elastic and Declared, got a list"),
        ({"mode": "Elastic"}, "c.max: must say what the nodes may become, like"),
        ({"mode": "Elastic", "max": {}}, "c.max: must say what the nodes may become, like"),
        ({"mode": "Elastic", "max": []}, "c.max: must be a map, got a list"),
        ({"mode": "Elastic", "max": {"cpu": "20"}}, "c.max: must name cpu and memory, lacks "
         "memory: nodes to come offer only what it names"),
        ({"mode": "Elastic", "max": {"cpu": "x", "memory": 1}}, "c.max.cpu: "),
        ({"mode": "Elastic", "max": {"cpu": -1, "memory": 1}}, "c.max.cpu: must not be negative"),
        ({"mode": "Declared"}, "c.total: must say what the tree offers, like"),
        ({"mode": "Nodes", "max": {}}, "c.max: belongs to mode Elastic, and the mode is Nodes"),
        ({"mode": "Nodes", "maxx": {}}, "c.maxx: is no field of capacity; did you mean max?"),
        ({**ELASTIC, "scaleupTimeOut": "1m"}, "c.scaleupTimeOut: is no field of capacity; did "
         "you mean scaleUpTimeout?"),
        ({**ELASTIC, "scaleUpTimeout": "9s"}, "c.scaleUpTimeout: must be a duration "
         "like '15m', from 10s to 24h, got '9s'"),
        ({**ELASTIC, "scaleUpTimeout": 900}, "c.scaleUpTimeout: must be a duration"),
        ({**ELASTIC, "scaleUpTimeout": "25h"}, "c.scaleUpTimeout: must be a duration"),
        ({**ELASTIC, "largestNode": {"cpu": "32"}}, "c.largestNode.cpu: 32 must be "
         "less than or equal to 20, the max of all nodes together"),
        ({"mode": "Declared", "total": {"cpus": "20"}}, "c.total.cpus: no node offers it; did "
         "you mean cpu?"),
        ({"mode": "Declared", "total": {"CPU": "20"}}, "c.total.CPU: no node offers it; did you "
         "mean cpu?"),
        ({"mode": "Declared", "total": {"gpu": "2"}}, "c.total.gpu: no node offers it; "),
        ({**ELASTIC, "largestNode": {"memroy": "1Gi"}}, "c.largestNode.memroy: no "
         "node offers it; did you mean memory?"),
        ({**ELASTIC, "largestNode": {}}, "c.largestNode: must say what the largest"),
    ],
)  # fmt: skip
def test_each_fault_is_one_line_with_its_path(written: Any, fault: str) -> None:
    found = faults_of(written)
    assert found
    assert found[0].startswith(fault)
    assert all("\n" not in each for each in found)


def test_what_nodes_offer_besides_cpu_and_memory_may_be_declared() -> None:
    total = {"pods": "9", "ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "example.com/x": "1"}
    faults: list[Fault] = []
    written = {"mode": "Declared", "total": total}
    assert capacity_modes.read(written, "c", faults) is not None
    assert faults == []


def test_hostile_values_are_faults_and_never_an_exception() -> None:
    for written in (
        "[" * 100_000,
        {"mode": "Elastic", "max": {f"r{n}/x": 1 for n in range(10_000)}},
        {"mode": "\n" * 1000},
        {"mode": "Elastic", "max": {"cpu": 1e300, "memory": "1e99"}},
        {"mode": "Nodes", "\u0000\n": 1},
    ):
        found = faults_of(written)
        assert found
        assert all(each.isprintable() for each in found)


def test_a_profile_with_a_fault_has_no_capacity_of_its_own() -> None:
    found = profiles.read(profile({"mode": "Elastic"}))
    assert (found.capacity, found.capacity_unknown) == (NODES, True)
    assert [fault.split(": ")[0] for fault in map(str, found.faults)] == ["spec.capacity.max"]
    good = profiles.read(profile(ELASTIC))
    assert (good.capacity.mode, good.capacity_unknown, good.faults) == ("Elastic", False, ())


def test_what_a_root_publishes_is_read_as_the_same_mode() -> None:
    for mode in (
        CapacityMode("Declared", total={"cpu": 1_500}),
        CapacityMode("Elastic", max={"cpu": 1, "memory": 5}),
        CapacityMode(
            "Elastic",
            max={"cpu": 9_000, "memory": GI, "nvidia.com/gpu": 8},
            largest_node={"cpu": 4_000},
            scale_up_timeout=61_500,
        ),
    ):
        spec = {"tree": {"capacity": tree_settings.capacity(mode)}}
        for labels, read in (({names.IS_ROOT: "true"}, mode), ({}, None)):
            document = {"metadata": {"name": "r", "labels": labels}, "spec": spec}
            quota = quotas.read(msgspec.convert(document, quotas.QuotaManifest))
            assert quota.capacity == read
            assert (quota.faults, quota.warnings) == ((), ())
