"""``spec.min``, ``spec.max`` and ``spec.pools`` of a quota, which are two resource lists."""

from typing import Any

import pytest

from elasticquota import pool_keys
from elasticquota.model.fault import Fault
from elasticquota.wire.quota import bounds


GPU = "nvidia.com/gpu"
A100, T4 = (pool_keys.key(name, GPU) for name in ("a100", "t4"))
BOTH = [
    {"name": "a100", "min": {GPU: "2"}, "max": {GPU: 4}},
    {"name": "t4", "max": {GPU: "1"}},
]


def faults_of(spec: Any) -> list[str]:
    faults: list[Fault] = []
    bounds.read(spec, faults)
    return [*map(str, faults)]


def test_what_is_bounded_in_a_pool_has_the_key_of_the_pool() -> None:
    faults: list[Fault] = []
    found = bounds.read({"min": {"cpu": 1}, "max": {"cpu": 2, GPU: 4}, "pools": BOTH}, faults)
    assert found.min == {"cpu": 1000, A100: 2}
    assert found.max == {"cpu": 2000, GPU: 4, A100: 4, T4: 1}
    assert faults == []


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"pools": [{"name": "a100", "min": {GPU: 3}, "max": {GPU: 2}}]},
            f"spec.pools[0].min.{GPU}: 3 must be less than or equal to 2, "
            "the max of the same resource. Lower min, or raise max",
        ),
        (
            {"pools": [{"name": "a100", "min": {GPU: 3}, "max": {"cpu": 2}}]},
            f"spec.pools[0].min.{GPU}: must also be named in spec.pools[0].max. Add it there, "
            "or leave max out for no limit",
        ),
        (
            {"pools": [{"name": "a100"}, {"name": "a100"}]},
            "spec.pools[1].name: 'a100' is there already. Name each pool once",
        ),
        (
            {"pools": [{"name": "a100", "weight": {}}]},
            "spec.pools[0].weight: is no field of a pool of a quota; it takes name, min, max",
        ),
        (
            {"pools": [{"name": "a100", "max": {"pods": 1}}]},
            "spec.pools[0].max.pods: cannot be counted by pool. Name a resource of nodes such as "
            "cpu or nvidia.com/gpu, of at most 63 characters",
        ),
        ({"min": {A100: 1}}, f"spec.min.{A100}: is the key of a pool. Name the pool in spec.pools"),
    ],
)
def test_what_cannot_be_meant_is_a_fault_with_its_path(spec: Any, said: str) -> None:
    assert faults_of(spec) == [said]


def test_a_key_of_a_pool_outside_of_pools_bounds_nothing() -> None:
    assert bounds.read({"max": {A100: 1, "cpu": 1}}, []).max == {"cpu": 1000}


def test_the_bounds_of_pools_are_written_by_pool() -> None:
    low, high = {"cpu": 1000, A100: 2}, {A100: 4, T4: 1}
    assert bounds.document(low, high) == [
        {"name": "a100", "min": {GPU: "2"}, "max": {GPU: "4"}},
        {"name": "t4", "max": {GPU: "1"}},
    ]
    assert bounds.document({"cpu": 1}, {}) == []


def test_a_stored_list_that_says_the_same_stays_as_it_is() -> None:
    stored = {"pools": [BOTH[1], {"name": "a100", "min": {GPU: 2}, "max": {GPU: "4"}}]}
    low, high = {A100: 2}, {A100: 4, T4: 1}
    assert bounds.document(low, high, stored) is stored["pools"]
    assert bounds.document({A100: 1}, high, stored)[0]["min"] == {GPU: "1"}
    assert bounds.document(low, high, {"pools": "a100"}) == bounds.document(low, high)
