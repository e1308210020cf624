"""Fields of a quota and the keys of Koordinator say the same: what is edited alone is followed."""

import pytest

from installation import Kubectl
from scenes import PREFIX, Pool, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

LABEL = f"{PREFIX}parent"


def manifest(pool: Pool, short: str, parent: str) -> Document:
    """A quota that names its parent by the field only."""
    made = pool.quota_manifest(short, max=4)
    made["metadata"]["labels"] = {}
    made["spec"]["parent"] = parent
    return made


def said(pool: Pool, short: str) -> tuple[str, str]:
    """What field and label say."""
    found = pool.get(short)
    return found["spec"]["parent"], found["metadata"]["labels"][LABEL]


def test_field_and_label_follow_each_other_and_a_difference_is_refused(
    admin: User, pool: Pool
) -> None:
    root, dept = pool.root, pool.name("dept")
    pool.department("dept", max=4)
    admin.create(manifest(pool, "team", dept))
    assert said(pool, "team") == (dept, dept)
    eventually(lambda: pool.status("team").get("parent"), lambda found: found == dept)

    place = ("ElasticQuota", pool.name("team"), pool.namespace)
    admin.patch(*place, change={"spec": {"parent": root}})
    assert said(pool, "team") == (root, root)
    admin.patch(*place, change={"metadata": {"labels": {LABEL: dept}}})
    assert said(pool, "team") == (dept, dept)
    # Neither a manifest without the label nor a client without the field moves it.
    admin.patch(*place, change={"metadata": {"labels": {LABEL: None}}})
    assert said(pool, "team") == (dept, dept)
    admin.patch(*place, change={"spec": {"parent": None}})
    eventually(lambda: pool.status("team").get("parent"), lambda found: found == dept)
    assert pool.get("team")["metadata"]["labels"][LABEL] == dept

    other = manifest(pool, "other", root)
    other["metadata"]["labels"] = {LABEL: dept}
    refused = refusal(lambda: admin.create(other))
    assert f"spec.parent: '{root}' and '{dept}' of metadata.labels[{LABEL}]" in refused.message
    assert refused.message.endswith("[EQ1114]")
    admin.patch(*place, change={"metadata": {"labels": {LABEL: root}}, "spec": {"parent": root}})
    other_label = {"metadata": {"labels": {LABEL: dept}}, "spec": {"parent": pool.name("x")}}
    assert refusal(lambda: admin.patch(*place, change=other_label)).message.endswith("[EQ1114]")


def test_the_field_of_a_root_quota_is_removed(admin: User, pool: Pool) -> None:
    place = ("ElasticQuota", pool.root, pool.namespace)
    admin.patch(*place, change={"spec": {"parent": "koordinator-root-quota"}})
    eventually(pool.root_quota, lambda found: "parent" not in found["spec"])


def test_kubectl_label_moves_a_field_and_kubectl_patch_moves_a_label(
    kubectl: Kubectl, admin: User, pool: Pool
) -> None:
    made = pool.quota_manifest("team", max=4)
    made["spec"] |= {"lends": False, "isParent": True}
    admin.create(made)
    team = ("eq", pool.name("team"), "-n", pool.namespace)
    found = f"{PREFIX}allow-lent-resource=false,{PREFIX}is-parent=true"
    assert pool.name("team") in kubectl("get", "eq", "-n", pool.namespace, "-l", found)

    kubectl("label", *team, f"{PREFIX}is-parent=false", "--overwrite")
    assert pool.get("team")["spec"]["isParent"] is False
    kubectl("patch", *team, "--type=merge", "-p", '{"spec": {"lends": true}}')
    assert pool.get("team")["metadata"]["labels"][f"{PREFIX}allow-lent-resource"] == "true"
    refused = kubectl.attempt("label", *team, f"{PREFIX}allow-lent-resource=no", "--overwrite")
    assert "spec.lends: 'true' and 'no' of metadata.labels" in refused.stderr
