"""PD1301: pods go into leaf quotas."""

import forests
from elasticquota.rules import placement


FOREST = forests.forest("dept; team-b<dept; team-a<dept; lab<dept parent")


def test_a_parent_quota_takes_no_pods() -> None:
    assert [found.line for found in placement.check("dept", FOREST)] == [
        (
            "metadata.labels[quota.scheduling.koordinator.sh/name]: 'dept' is a parent quota, "
            "which holds quotas and no pods. Name one of its leaf quotas: team-a, team-b. [PD1301]"
        )
    ]


def test_a_parent_without_leaves_names_none() -> None:
    assert [found.sentence for found in placement.check("lab", FOREST)] == [
        "'lab' is a parent quota, which holds quotas and no pods. Name a leaf quota. [PD1301]"
    ]


def test_a_parent_quota_takes_pods_where_the_administrator_lets_them_in() -> None:
    assert placement.check("dept", FOREST, pods_in_parents=True) == ()


def test_leaves_and_the_built_in_quotas_take_pods() -> None:
    for quota in ("team-a", "koordinator-default-quota", "koordinator-system-quota"):
        assert placement.check(quota, FOREST) == ()
