"""The fields that name pools: what is read, and the one line for each thing that is wrong."""

from typing import Any

import pytest

from elasticquota.derived import pools_text
from elasticquota.model.fault import Fault
from elasticquota.model.pools import Pool, Pools
from elasticquota.wire.quota import tree_settings
from elasticquota.wire.quota.tree_settings import TreeSettings


WHERE, RESOURCES = "s.pools", "s.poolResources"
A100 = {"name": "a100", "nodeLabels": {"gpu": "a100"}}


def read(written: Any = None, resources: Any = None) -> tuple[TreeSettings, list[str]]:
    faults: list[Fault] = []
    return tree_settings.read({"pools": written, "poolResources": resources}, "s", faults), [
        *map(str, faults)
    ]


def test_pools_keep_the_order_in_which_they_are_written() -> None:
    listed = [
        {"name": "t4", "nodeLabels": {"z": "1", "a": "2"}},
        {"name": "b", "nodeLabels": {"a": "0"}},
    ]
    found, faults = read(listed, ["cpu", "nvidia.com/gpu"])
    assert faults == []
    assert found.pools == Pools(
        (Pool("t4", (("a", "2"), ("z", "1"))), Pool("b", (("a", "0"),))), ("cpu", "nvidia.com/gpu")
    )


def test_what_the_root_quota_states_is_read_as_what_the_profile_said() -> None:
    first, _ = read([A100, {"name": "b", "nodeLabels": {}}], ["cpu"])
    assert first.pools is not None
    stated = pools_text.fields(first.pools)
    again, faults = read(stated["pools"], stated["poolResources"])
    assert (again, faults) == (first, [])


def test_without_the_fields_there_are_no_pools() -> None:
    assert read() == (TreeSettings(), [])
    assert read([]) == (TreeSettings(), [])


@pytest.mark.parametrize(
    ("written", "resources", "fault"),
    [
        ("a100", None, f"{WHERE}: must be a list, got 'a100'"),
        ({"a100": {"gpu": "a100"}}, None, f"{WHERE}: must be a list, got a map"),
        ([3], None, f"{WHERE}[0]: must be a map with name and nodeLabels, got 3"),
        ([{"nodeLabels": {}}], None, f"{WHERE}[0].name: must have 1 to 63 lower case letters"),
        ([{**A100, "name": "A.100"}], None, f"{WHERE}[0].name: must have 1 to 63 lower case"),
        ([{**A100, "name": "x" * 64}], None, f"{WHERE}[0].name: must have 1 to 63 lower case"),
        ([{"name": "a"}], None, f"{WHERE}[0].nodeLabels: must be a map of the labels"),
        ([{"name": "a", "nodeLabels": ["x"]}], None, f"{WHERE}[0].nodeLabels: must be a map of"),
        ([{"name": "a", "nodeLabels": {"x": 1}}], None, f"{WHERE}[0].nodeLabels.x: must be a text"),
        (
            [{"name": "a", "nodelabels": {}, "nodeLabels": {}}],
            None,
            f"{WHERE}[0].nodelabels: is no field of a pool; did you mean nodeLabels?",
        ),
        ([A100, A100], None, f"{WHERE}[1].name: 'a100' is there already"),
        (
            [{"name": "all", "nodeLabels": {}}, A100],
            None,
            f"{WHERE}[1].nodeLabels: every node of pool 'a100' is in pool 'all' too, which comes "
            "first. Put 'a100' before 'all'",
        ),
        (
            [{"name": "two", "nodeLabels": {"x": "1", "y": "2"}}, A100],
            None,
            f"{WHERE}[1].nodeLabels: a node may be in pool 'two' too, which comes first, and "
            "2 labels tell them apart: x, y",
        ),
        (
            [{"name": f"p{index}", "nodeLabels": {"x": str(index)}} for index in range(33)],
            None,
            f"{WHERE}: must not have more than 32 entries, got 33",
        ),
        (None, ["cpu"], f"{RESOURCES}: has no effect without pools"),
        ([A100], "cpu", f"{RESOURCES}: must be a list, got 'cpu'"),
        ([A100], [], f"{RESOURCES}: must name at least one resource"),
        ([A100], ["pods"], f"{RESOURCES}[0]: 'pods' cannot be counted by pool"),
        ([A100], ["cpu", "b.pool.elasticquota.dev/cpu"], f"{RESOURCES}[1]: 'b.pool.elasticquota"),
        ([A100], ["cpu", 4], f"{RESOURCES}[1]: must be a name, got 4"),
        ([A100], ["cpu", "cpu"], f"{RESOURCES}[1]: 'cpu' is there already. Leave it out"),
    ],
)
def test_one_line_says_what_is_wrong_and_then_no_pool_counts(
    written: Any, resources: Any, fault: str
) -> None:
    found, faults = read(written, resources)
    assert found == TreeSettings(pools_unreadable=True)
    assert len(faults) == 1
    assert faults[0].startswith(fault)
