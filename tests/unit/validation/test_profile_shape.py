"""EP1201: what a profile says about itself, and what its tree hangs on."""

from typing import Any

import msgspec
import pytest

import forests
from elasticquota import names
from elasticquota.model import tree_ids
from elasticquota.model.profile import Profile
from elasticquota.validation import profile_shape
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.wire.quota import profiles


GOOD: dict[str, Any] = {"quotaName": "gpu", "nodeSelector": {"matchLabels": {"pool": "gpu"}}}


def read(labels: dict[str, str] | None = None, **spec: Any) -> Profile:
    manifest = {"metadata": {"name": "p", "namespace": "ns", "labels": labels}, "spec": GOOD | spec}
    return profiles.read(msgspec.convert(manifest, profiles.ProfileManifest))


def lines(new: Profile, old: Profile | None = None) -> list[str]:
    found = profile_shape.check(ProfileChange(old, new), forests.forest(""))
    return [violation.line for violation in found]


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (
            {"resourceRatio": "1.5"},
            "spec.resourceRatio: must be a decimal greater than 0 and at most 1, in quotes and "
            "of at most 16 characters, got '1.5'; 1 is used. [EP1201]",
        ),
        (
            {"quotaLabels": {"a b": "x"}},
            "spec.quotaLabels: 'a b' is not the name of a label. [EP1201]",
        ),
        (
            {"nodeSelector": {"matchExpressions": [{"key": "x", "operator": "Near"}]}},
            "spec.nodeSelector.matchExpressions[0].operator: must be one of In, NotIn, Exists, "
            "DoesNotExist, got 'Near'. [EP1201]",
        ),
        (
            {"nodeSelector": {"matchLabels": {"-": "x"}}},
            "spec.nodeSelector.matchLabels: '-' is not the name of a label. [EP1201]",
        ),
        (
            {"quotaName": names.DEFAULT_QUOTA},
            "spec.quotaName: 'koordinator-default-quota' is reserved: that quota exists "
            "without a profile. Choose another name. [EP1201]",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(spec: dict[str, Any], line: str) -> None:
    assert lines(read(**spec)) == [line]


def test_all_faults_are_reported() -> None:
    assert len(lines(read(quotaName="", resourceRatio="0", quotaLabels={"a b": "x"}))) == 3


def test_the_name_of_the_root_quota_stays() -> None:
    assert lines(read(quotaName="other"), read()) == [
        "spec.quotaName: must not change from 'gpu' to 'other', because the tree hangs on it. "
        "Create a second profile instead. [EP1201]"
    ]


def test_a_profile_that_had_no_readable_name_may_get_one() -> None:
    assert lines(read(), read(quotaName="?")) == []


def test_the_tree_id_stays_and_may_be_written_down() -> None:
    preset = read({names.TREE_ID: "7"})
    assert lines(read({names.TREE_ID: "8"}), preset) == [
        f"metadata.labels[{names.TREE_ID}]: must stay '7', which the quotas of the tree carry, "
        "got '8'. Create a second profile instead. [EP1201]"
    ]
    assert len(lines(read(), preset)) == 1
    assert len(lines(read({names.TREE_ID: "8"}), read())) == 1
    assert lines(read({names.TREE_ID: tree_ids.hashed(read().key)}), read()) == []


def test_an_old_fault_is_no_reason_to_refuse_another_edit() -> None:
    old = read(resourceRatio="2")
    assert lines(read(resourceRatio="2", quotaLabels={"a": "b"}), old) == []
    assert len(lines(read(resourceRatio="3"), old)) == 1


@pytest.mark.parametrize(
    "said",
    [
        {names.PARENT: "team-a"},
        {names.PROFILE: "other"},
        {names.IS_ROOT: "false"},
        {names.IS_PARENT: "false"},
        {names.TREE_ID: "7"},
        {names.ALLOW_FORCE_UPDATE: "true"},
        {names.DIALECT: "ack"},
    ],
)
def test_labels_that_say_where_a_root_stands_are_refused(said: dict[str, str]) -> None:
    (key,) = said
    assert lines(read(quotaLabels=said)) == [
        f"spec.quotaLabels[{key}]: must not be set: the profile itself says where its root "
        "quota stands. Leave the label out. [EP1201]"
    ]
    assert len(lines(read(quotaLabels=said), read())) == 1
    assert lines(read(quotaLabels=said, resourceRatio="0.5"), read(quotaLabels=said)) == []


def test_labels_that_the_root_has_anyway_may_be_repeated() -> None:
    said = {names.IS_PARENT: "true", names.IS_ROOT: "true", names.PARENT: names.ROOT_QUOTA}
    assert lines(read(quotaLabels=said)) == []
