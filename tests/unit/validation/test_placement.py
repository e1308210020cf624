"""PD1301: pods go into leaf quotas."""

import forests
from elasticquota.forest.membership import Membership
from elasticquota.forest.violation import Violation
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.validation import placement


MEMBERS = Membership(forests.forest("dept; team-b<dept; team-a<dept; lab<dept parent"))


def check(label: str, namespace: str = "ns") -> tuple[Violation, ...]:
    return tuple(placement.check(Pod(Key(namespace, "p"), "uid", "", quota_label=label), MEMBERS))


def test_a_parent_quota_takes_no_pods() -> None:
    assert [found.line for found in check("dept")] == [
        "metadata.labels[quota.scheduling.koordinator.sh/name]: 'dept' is a parent quota, "
        "which holds quotas and no pods. Name one of its leaf quotas: team-a, team-b. [PD1301]"
    ]


def test_a_parent_without_leaves_names_none() -> None:
    assert [found.sentence for found in check("lab")] == [
        "'lab' is a parent quota, which holds quotas and no pods. Name a leaf quota. [PD1301]"
    ]


def test_leaves_and_the_built_in_quotas_take_pods() -> None:
    assert check("team-a") == ()
    assert check("") == ()
    assert check("dept", "kube-system") == ()
