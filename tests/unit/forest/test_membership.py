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


QUOTAS: dict[str, tuple[Pod, str]] = {
    "that of its label": (pod("team", "a"), "a"),
    "that of its label, though it stands nowhere": (pod(label="lost"), "lost"),
    "that of its label, also a daemon's": (pod("team", "a", daemon=True), "a"),
    "the one named like its namespace": (pod("team"), "team"),
    "not one that is named so elsewhere": (pod("elsewhere"), names.DEFAULT_QUOTA),
    "the oldest that binds its namespace": (pod("shared"), "early"),
    "else the default quota": (pod(), names.DEFAULT_QUOTA),
    "of a system namespace": (pod("kube-system"), names.SYSTEM_QUOTA),
    "of a system namespace, with a label": (pod("kube-system", "a"), names.SYSTEM_QUOTA),
    "a static pod": (pod("team", mirror=True), names.SYSTEM_QUOTA),
    "a static pod with a label": (pod("team", "a", mirror=True), names.SYSTEM_QUOTA),
    "a daemon without a label": (pod("team", daemon=True), names.SYSTEM_QUOTA),
}


@pytest.mark.parametrize(("belonging", "quota"), QUOTAS.values(), ids=QUOTAS)
def test_a_pod_belongs_to_one_quota(belonging: Pod, quota: str) -> None:
    assert MEMBERS.quota_of(belonging) == quota
    assert not MEMBERS.unknown_label(belonging)


def test_a_younger_quota_named_like_its_namespace_takes_no_pods_from_one_that_binds_it() -> None:
    """The webhook would have refused it: the pods would leave the max of the older one."""
    younger = Membership(forests.forest("early binds=team; team ns=team"))
    assert younger.quota_of(pod("team")) == younger.binding("team") == "early"
    assert younger.quota_of(pod("team", "team")) == "team", "a label decides"


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
