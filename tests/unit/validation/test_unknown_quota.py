"""PD1306: a pod that names no quota that there is."""

import pytest

import forests
from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.validation import unknown_quota


FOREST = forests.forest("team ns=team; a")
MEMBERS = Membership(FOREST)
FIELD = "metadata.labels[quota.scheduling.koordinator.sh/name]"


def pod(label: str, namespace: str = "team") -> Pod:
    return Pod(Key(namespace, "p"), "uid", "", quota_label=label)


def test_an_unknown_name_is_reported_with_where_the_pod_belongs_instead() -> None:
    assert [found.line for found in unknown_quota.check(pod("ghost"), MEMBERS)] == [
        f"{FIELD}: there is no quota 'ghost'; without one the pod belongs to 'team'. "
        "Correct the name, or create that quota. [PD1306]"
    ]


def test_without_a_default_quota_the_pod_may_belong_to_no_quota() -> None:
    without_default = Membership(FOREST, default_quota=False)
    (found,) = unknown_quota.check(pod("ghost", "elsewhere"), without_default)
    assert found.message == (
        "there is no quota 'ghost'; without one the pod belongs to no quota and is not limited"
    )


@pytest.mark.parametrize(
    "fine", [pod("a"), pod(""), pod(names.DEFAULT_QUOTA), pod("ghost", "kube-system")]
)
def test_known_names_no_name_and_the_systems_pods_pass(fine: Pod) -> None:
    assert not [*unknown_quota.check(fine, MEMBERS)]
