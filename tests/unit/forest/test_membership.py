"""Which quota a pod belongs to."""

import pytest

import forests
from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


FOREST = forests.forest(
    "a; lost<ghost; team ns=team; early binds=shared,team; late binds=shared,kube-system; "
    "other ns=elsewhere; elsewhere ns=not-elsewhere"
)
MEMBERS = Membership(FOREST)
NO_DEFAULT = Membership(FOREST, default_quota=False)


def pod(
    namespace: str = "any", label: str = "", *, mirror: bool = False, daemon: bool = False
) -> Pod:
    return Pod(
        Key(namespace, "pod"), uid="1", created="", quota_label=label, mirror=mirror, daemon=daemon
    )


def test_a_namespace_is_bound_to_the_quota_of_its_unlabelled_pods() -> None:
    found = {name: MEMBERS.binding(name) for name in ("team", "shared", "any", "kube-system")}
    assert found == {"team": "team", "shared": "early", "any": NO_QUOTA, "kube-system": NO_QUOTA}


def test_a_label_decides() -> None:
    assert MEMBERS.quota_of(pod("team", "a")) == "a"


def test_a_label_may_name_a_quota_that_stands_nowhere() -> None:
    assert MEMBERS.quota_of(pod(label="lost")) == "lost"
    assert not MEMBERS.unknown_label(pod(label="lost"))


def test_a_pod_without_label_belongs_to_the_quota_named_like_its_namespace() -> None:
    assert MEMBERS.quota_of(pod("team")) == "team"


def test_a_quota_named_like_a_namespace_counts_only_inside_it() -> None:
    assert MEMBERS.quota_of(pod("elsewhere")) == names.DEFAULT_QUOTA


def test_a_namespace_belongs_to_the_oldest_quota_that_binds_it() -> None:
    assert MEMBERS.quota_of(pod("shared")) == "early"


def test_a_younger_quota_named_like_its_namespace_takes_no_pods_from_one_that_binds_it() -> None:
    """The webhook would have refused it: the pods would leave the max of the older one."""
    younger = Membership(forests.forest("early binds=team; team ns=team"))
    assert younger.quota_of(pod("team")) == younger.binding("team") == "early"
    assert younger.quota_of(pod("team", "team")) == "team", "a label decides"


def test_all_other_pods_belong_to_the_default_quota() -> None:
    assert MEMBERS.quota_of(pod()) == names.DEFAULT_QUOTA


@pytest.mark.parametrize("label", ["", "ghost", names.ROOT_QUOTA, names.SYSTEM_QUOTA])
def test_without_a_default_quota_all_other_pods_belong_to_no_quota(label: str) -> None:
    assert NO_DEFAULT.quota_of(pod(label=label)) == NO_QUOTA


def test_without_a_default_quota_labels_and_namespaces_decide_as_ever() -> None:
    assert NO_DEFAULT.quota_of(pod(label="a")) == "a"
    assert NO_DEFAULT.quota_of(pod("team")) == "team"
    assert NO_DEFAULT.quota_of(pod("shared")) == "early"
    assert NO_DEFAULT.quota_of(pod(label=names.DEFAULT_QUOTA)) == names.DEFAULT_QUOTA
    assert NO_DEFAULT.quota_of(pod("kube-system")) == names.SYSTEM_QUOTA
    assert NO_DEFAULT.quota_of(pod(mirror=True)) == names.SYSTEM_QUOTA


@pytest.mark.parametrize("label", ["ghost", names.ROOT_QUOTA, names.SYSTEM_QUOTA])
def test_a_label_that_names_no_quota_does_not_escape(label: str) -> None:
    assert MEMBERS.quota_of(pod("team", label)) == "team"
    assert MEMBERS.quota_of(pod("any", label)) == names.DEFAULT_QUOTA
    assert MEMBERS.unknown_label(pod("any", label))


def test_the_default_quota_is_no_way_out_of_a_bound_namespace() -> None:
    for members in (MEMBERS, NO_DEFAULT):
        assert members.quota_of(pod("team", names.DEFAULT_QUOTA)) == "team"
        assert members.quota_of(pod("shared", names.DEFAULT_QUOTA)) == "early"
        assert members.quota_of(pod("any", names.DEFAULT_QUOTA)) == names.DEFAULT_QUOTA
        assert members.quota_of(pod("team", names.DEFAULT_QUOTA, daemon=True)) == "team"


def test_a_pod_without_label_has_no_unknown_label() -> None:
    assert not MEMBERS.unknown_label(pod())


@pytest.mark.parametrize(
    "system",
    [
        pod("kube-system"),
        pod("kube-system", "a"),
        pod("team", mirror=True),
        pod("team", "a", mirror=True),
        pod("team", daemon=True),
    ],
)
def test_pods_of_the_system_belong_to_the_system_quota(system: Pod) -> None:
    assert MEMBERS.quota_of(system) == names.SYSTEM_QUOTA


def test_a_daemon_pod_may_be_given_a_quota() -> None:
    assert MEMBERS.quota_of(pod("team", "a", daemon=True)) == "a"
