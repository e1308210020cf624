"""Fields of a quota and the keys of Koordinator say the same: what is edited alone is followed."""

import json

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


def test_an_annotation_is_compared_by_value_and_moves_its_field(
    kubectl: Kubectl, admin: User, pool: Pool
) -> None:
    weight, bound = f"{PREFIX}shared-weight", f"{PREFIX}namespaces"
    made = pool.quota_manifest("team", max=4)
    said = {"weight": {"cpu": 3}, "namespaces": [pool.namespace]}
    made["spec"] |= said
    made["metadata"]["annotations"] = {
        weight: '{ "cpu": "3000m"}',
        bound: f'[ "{pool.namespace}" ]',
    }
    assert admin.create(made, dry_run=True)["metadata"]["annotations"][bound][1] == " "
    del made["metadata"]["annotations"]
    found = admin.create(made)["metadata"]["annotations"]
    assert found[weight] == '{"cpu":"3"}'
    assert found[bound] == f'["{pool.namespace}"]'

    team = ("eq", pool.name("team"), "-n", pool.namespace)
    kubectl("annotate", *team, f'{weight}={{"cpu": 2}}', f"{bound}=[]", "--overwrite")
    spec = pool.get("team")["spec"]
    assert (spec["weight"], spec["namespaces"]) == ({"cpu": "2"}, [])
    kubectl("patch", *team, "--type=merge", "-p", '{"spec": {"weight": {"cpu": 7}}}')
    assert pool.get("team")["metadata"]["annotations"][weight] == '{"cpu":"7"}'
    refused = kubectl.attempt("annotate", *team, f'{weight}={{"cpu": 2', "--overwrite")
    assert """spec.weight: 'cpu: 7' and '{"cpu": 2' of metadata.annotations""" in refused.stderr


def test_field_and_annotation_of_a_profile_follow_each_other(
    kubectl: Kubectl, admin: User, pool: Pool
) -> None:
    key = f"{PREFIX}resource-keys"
    place = ("eqp", "pool", "-n", pool.namespace)
    kubectl("patch", *place, "--type=merge", "-p", '{"spec": {"resourceKeys": ["cpu", "pods"]}}')
    profile = ("ElasticQuotaProfile", "pool", pool.namespace)
    assert admin.get(*profile)["metadata"]["annotations"][key] == '["cpu","pods"]'
    eventually(lambda: sorted(pool.root_quota()["spec"]["max"]), ["cpu", "pods"])
    kubectl("annotate", *place, f'{key}=["cpu"]', "--overwrite")
    assert admin.get(*profile)["spec"]["resourceKeys"] == ["cpu"]
    eventually(lambda: sorted(pool.root_quota()["spec"]["max"]), ["cpu"])
    refused = kubectl.attempt("annotate", *place, f"{key}=[cpu", "--overwrite")
    assert "spec.resourceKeys: 'cpu' and '[cpu' of metadata.annotations" in refused.stderr


def test_of_a_manager_of_the_field_and_one_of_the_label_the_last_one_counts(
    admin: User, pool: Pool, kubectl: Kubectl
) -> None:
    """The API server finds no conflict: what admission changes belongs to no manager."""
    lends = f"{PREFIX}allow-lent-resource"
    made = pool.quota_manifest("team", max=4)
    made["spec"]["lends"] = False
    admin.apply(made, "planner")

    def label(value: str) -> Document:
        found = {"name": pool.name("team"), "namespace": pool.namespace, "labels": {lends: value}}
        return {"apiVersion": made["apiVersion"], "kind": made["kind"], "metadata": found}

    def applied(manifest: Document, manager: str) -> str:
        words = ("apply", "--server-side", f"--field-manager={manager}", "-f", "-")
        return kubectl.attempt(*words, stdin=json.dumps(manifest)).stderr

    assert applied(label("false"), "labeller") == ""
    assert applied(made, "planner") == ""
    assert applied(label("true"), "labeller") == ""
    assert pool.get("team")["spec"]["lends"] is True
    assert applied(made, "planner") == ""
    found = pool.get("team")
    assert (found["spec"]["lends"], found["metadata"]["labels"][lends]) == (False, "false")


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
