"""A node is reshaped when it may take other pods than before if it were empty."""

from collections.abc import Mapping
from typing import Any

import pytest

from elasticquota.ledger.nodes import node_shape
from elasticquota.model.node import Node, Taint
from elasticquota.structs import replace


NODE = Node("a", "2026-01-01", {"pool": "main"}, {"cpu": 1_000})


@pytest.mark.parametrize(
    ("change", "is_reshaped"),
    [
        ({}, False),
        ({"unschedulable": True}, False),
        ({"allocatable": {"cpu": 2_000}}, True),
        ({"labels": {}}, True),
        ({"taints": (Taint("gpu", "", "NoSchedule"),)}, True),
    ],
)
def test_a_node_that_may_take_other_pods_when_empty_is_reshaped(
    change: Mapping[str, Any], is_reshaped: bool
) -> None:
    assert node_shape.reshaped(NODE, replace(NODE, **change)) is is_reshaped


def test_a_node_that_comes_or_goes_is_reshaped() -> None:
    assert node_shape.reshaped(None, NODE)
    assert node_shape.reshaped(NODE, None)
    assert not node_shape.reshaped(None, None)


@pytest.mark.parametrize(
    ("change", "takes_all"),
    [
        ({"allocatable": {"cpu": 2_000}}, True),
        ({"allocatable": {"cpu": 1_000, "gpu": 1}}, True),
        ({"allocatable": {"cpu": 999}}, False),
        ({"labels": {}}, False),
        ({"taints": (Taint("gpu", "", "NoSchedule"),)}, False),
    ],
)
def test_a_node_that_grew_takes_all_that_it_took(
    change: Mapping[str, Any], takes_all: bool
) -> None:
    assert node_shape.takes_all_it_took(NODE, replace(NODE, **change)) is takes_all


def test_a_node_that_came_takes_all_that_it_took_and_one_that_went_does_not() -> None:
    assert node_shape.takes_all_it_took(None, NODE)
    assert not node_shape.takes_all_it_took(NODE, None)
