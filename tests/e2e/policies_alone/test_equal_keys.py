"""Without a webhook the field of a quota counts, and the controller makes the label follow."""

import pytest

import policies
from scenes import PREFIX, Pool, refusal
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

LABEL = f"{PREFIX}parent"
WITH_ONE_MORE = [
    before + entry + after
    for entry in ('"pods": 1', '"pods":"1"', '"pods" : "1k"', '"pods": 0', '"a/b": "0"')
    for before, after in (
        ('{"cpu": 3, "memory": "1Gi", ', "}"),
        ("{", ', "memory": "1Gi", "cpu": "3"}'),
        ('{"memory":1073741824,', ',"cpu":"3000m"}'),
    )
]
"""The weight of 3 cpu and 1Gi, in forms that CEL reads, with a resource that the field lacks."""


def label(home: Pool) -> str | None:
    """The parent that the label names."""
    found: str | None = home.get("by-field")["metadata"].get("labels", {}).get(LABEL)
    return found


def test_a_label_follows_its_field_and_is_not_edited_alone(home: Pool, admin: User) -> None:
    made = home.quota_manifest("by-field", max=4)
    del made["metadata"]["labels"]
    made["spec"]["parent"] = home.root
    admin.create(made)
    eventually(lambda: label(home), lambda found: found == home.root)
    eventually(lambda: home.status("by-field").get("parent"), lambda found: found == home.root)

    place = ("ElasticQuota", home.name("by-field"), home.namespace)
    refused = refusal(
        lambda: admin.patch(*place, change={"metadata": {"labels": {LABEL: "other"}}})
    )
    assert refused.message == (
        policies.on_quota("equal-keys", home.name("by-field"))
        + f"spec.parent: '{home.root}' and 'other' of metadata.labels[{LABEL}] must be the same. "
        "Leave the label out, or change only the field, and the label follows. [EQ1114]"
    )
    home.department("dept", max=4)
    admin.patch(*place, change={"spec": {"parent": home.name("dept")}})
    eventually(lambda: label(home), lambda found: found == home.name("dept"))

    for field, short in (("lends", "allow-lent-resource"), ("isParent", "is-parent")):
        key = f"{PREFIX}{short}"
        admin.patch(*place, change={"spec": {field: True}})
        eventually(
            lambda: home.get("by-field")["metadata"]["labels"].get(key),  # noqa: B023
            lambda said: said == "true",
        )
        change = {"metadata": {"labels": {key: "false"}}}
        refused = refusal(lambda: admin.patch(*place, change=change))  # noqa: B023
        assert f"spec.{field}: 'true' and 'false' of metadata.labels[{key}]" in refused.message
    # A key that is taken out, or was different before, is no difference that the edit makes.
    admin.patch(*place, change={"metadata": {"labels": {key: None}}})
    eventually(
        lambda: home.get("by-field")["metadata"]["labels"].get(key), lambda said: said == "true"
    )
    admin.patch(*place, change={"spec": {"isParent": False}})


def test_an_annotation_follows_its_field_and_may_repeat_it_in_another_form(
    home: Pool, admin: User
) -> None:
    weight, bound = f"{PREFIX}shared-weight", f"{PREFIX}namespaces"

    def said() -> tuple[str | None, str | None]:
        found = home.get("weighed")["metadata"].get("annotations", {})
        return found.get(weight), found.get(bound)

    made = home.quota_manifest("weighed", max=4)
    made["spec"] |= {"weight": {"cpu": 3, "memory": "1Gi"}, "namespaces": ["x1", "x2"]}
    admin.create(made)
    texts = ('{"cpu":"3","memory":"1Gi"}', '["x1","x2"]')
    eventually(said, lambda found: found == texts)

    place = ("ElasticQuota", home.name("weighed"), home.namespace)
    same = {weight: ' {"memory": 1073741824, "cpu": "3000m"}', bound: '["x2", "x1"]'}
    admin.patch(*place, change={"metadata": {"annotations": same}})
    for key, text in (
        (weight, '{"cpu": 3}'),
        (weight, '{"cpu": 3, "memory": "2Gi"}'),
        (weight, '{"cpu": 3, "cpu": 3}'),
        *((weight, text) for text in WITH_ONE_MORE),
        (weight, '{"cpu": 3, "memory": "1Gi"'),
        (weight, '{"cpu": 3, "memory": "1e999999999"}'),
        (weight, "4"),
        (bound, '["x1"]'),
        (bound, "[]"),
    ):
        change = {"metadata": {"annotations": {key: text}}}
        refused = refusal(lambda: admin.patch(*place, change=change))  # noqa: B023
        assert f"of metadata.annotations[{key}] must be the same" in refused.message
    profile = ("ElasticQuotaProfile", "pool", home.namespace)
    key = f"{PREFIX}resource-keys"
    admin.patch(*profile, change={"spec": {"resourceKeys": ["cpu", "memory"]}})
    eventually(
        lambda: admin.get(*profile)["metadata"].get("annotations", {}).get(key),
        lambda found: found == '["cpu","memory"]',
    )
    admin.patch(*profile, change={"metadata": {"annotations": {key: '[ "memory", "cpu" ]'}}})
    for text in ('["cpu"]', '["cpu", "memory", "pods"]', "[cpu, memory]"):
        change = {"metadata": {"annotations": {key: text}}}
        refused = refusal(lambda: admin.patch(*profile, change=change))  # noqa: B023
        assert f"spec.resourceKeys: 'cpu, memory' and '{text}' of metadata" in refused.message
    admin.patch(*place, change={"spec": {"weight": {"cpu": 5, "memory": None}}})
    eventually(said, lambda found: found[0] == '{"cpu":"5"}')
