"""Koordinator's own end-to-end specs of quotas pass, unchanged, with three values.

They are those of its package `test/e2e/quota`, in the version that tools/external_systems pins.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import koordinator_specs
import namespaces
from installation import Installation
from koordinator_specs import Result
from local_cluster import cluster as local
from scenes import Pool
from users import Document, User


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(900)]

SPECS = {
    # multi_tree.go
    "create two profile and construct two quota tree, check the min and labels",
    "create profile with resource ratio",
    "root quota show resource usage",
    # quota.go
    "the sum of child min is smaller than parent min",
    "check the quota max",
    # quota_guaranteed.go
    "quota guaranteed",
}


@pytest.fixture(scope="module")
def values() -> Document:
    """What the specs presuppose, each with its reason.

    They run with the gate ElasticQuotaGuaranteeUsage. One looks for `exceedDimensions` in the
    message of a pod that waits. Two delete a profile before the quotas of its tree.
    """
    return {
        "config": {
            "guaranteeUsage": True,
            "compatMessages": True,
            "rules": {"overrides": {"EP1203": "warn"}},
            "defaultTree": {"childNamespaces": []},
        }
    }


@pytest.fixture(scope="module")
def nodes(product: Installation, admission: None, admin: User) -> Iterator[None]:
    """Two nodes of no tree: the specs make trees of the first two nodes that they find."""
    pool = Pool(admin, namespaces.new(admin))
    for _ in range(2):
        pool.add_node()
    yield
    pool.close()


@pytest.fixture(scope="module")
def results(
    nodes: None, cluster: local.Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Result]:
    """How each spec ended, by its text."""
    return koordinator_specs.run(cluster, Path(tmp_path_factory.mktemp("koordinator")))


def test_no_spec_is_left_out(results: Mapping[str, Result]) -> None:
    assert {*results} == SPECS


@pytest.mark.parametrize("spec", sorted(SPECS))
def test_each_spec_passes(spec: str, results: Mapping[str, Result]) -> None:
    assert results[spec].state == "passed", results[spec].log
