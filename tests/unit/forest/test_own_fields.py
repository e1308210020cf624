"""EQ1001 to EQ1004: what a quota says about itself."""

from typing import Any

import msgspec
import pytest

import forests
from elasticquota import names
from elasticquota.forest import own_fields
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change
from elasticquota.validation.stored import added
from elasticquota.wire.quota import quotas


CHECK = added(own_fields.check)
WEIGHT = f"metadata.annotations[{names.SHARED_WEIGHT}]"
STRICT = f"metadata.annotations[{names.STRICT_KEYS}]"
NAMESPACES = f"metadata.annotations[{names.NAMESPACES}]"


def read(spec: dict[str, Any] | None = None, annotations: dict[str, str] | None = None) -> Quota:
    manifest = {"metadata": {"name": "a", "annotations": annotations}, "spec": spec}
    return quotas.read(msgspec.convert(manifest, quotas.QuotaManifest))


def lines(new: Quota, old: Quota | None = None) -> list[str]:
    return [found.line for found in CHECK(Change(old, new), forests.forest(""))]


FAULTS: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    "min above max": (
        {"min": {"cpu": "5"}, "max": {"cpu": "4"}},
        {},
        "spec.min.cpu: 5 must be less than or equal to 4, the max of the same resource. Lower "
        "min, or raise max. [EQ1002]",
    ),
    "min without max": (
        {"min": {"gpu": "5"}, "max": {"cpu": "4"}},
        {},
        "spec.min.gpu: must also be named in spec.max. Add it there, or leave max out for no "
        "limit. [EQ1002]",
    ),
    "min above max in one pool of two": (
        {
            "pools": [
                {"name": "a", "min": {"gpu": "1"}, "max": {"gpu": "1"}},
                {"name": "b", "min": {"gpu": "2"}, "max": {"gpu": "1"}},
            ]
        },
        {},
        "spec.pools[1].min.gpu: 2 must be less than or equal to 1, the max of the same resource. "
        "Lower min, or raise max. [EQ1002]",
    ),
    "a min that cannot be read in one pool of two": (
        {
            "pools": [
                {"name": "a", "min": {"gpu": "1"}, "max": {"gpu": "1"}},
                {"name": "b", "min": {"gpu": "-1"}, "max": {"gpu": "1"}},
            ]
        },
        {},
        "spec.pools[1].min.gpu: must not be negative, got -1. [EQ1001]",
    ),
    "a negative amount": (
        {"max": {"cpu": "-1"}},
        {},
        "spec.max.cpu: must not be negative, got -1. [EQ1001]",
    ),
    "a weight that is no JSON": (
        {},
        {names.SHARED_WEIGHT: "{cpu"},
        f'{WEIGHT}: must be a JSON map like {{"cpu": "4"}}, got \'{{cpu\'. [EQ1003]',
    ),
    "a negative weight": (
        {},
        {names.SHARED_WEIGHT: '{"cpu": -1}'},
        f"{WEIGHT}.cpu: must not be negative, got -1. [EQ1003]",
    ),
    "a weight of something without max": (
        {"max": {"cpu": "4"}},
        {names.SHARED_WEIGHT: '{"gpu": 1}'},
        f"{WEIGHT}.gpu: must also be named in spec.max. "
        "Add it there, or leave it out of the weight. [EQ1003]",
    ),
    "namespaces that are no list": (
        {},
        {names.NAMESPACES: "team-a,team-b"},
        f'{NAMESPACES}: must be a JSON list like ["a", "b"], got \'team-a,team-b\'. [EQ1004]',
    ),
    "strict resources that are no list": (
        {},
        {names.STRICT_KEYS: '{"cpu": 1}'},
        f'{STRICT}: must be a JSON list like ["a", "b"], got \'{{"cpu": 1}}\'. [EQ1112]',
    ),
}


@pytest.mark.parametrize(("spec", "annotations", "line"), FAULTS.values(), ids=FAULTS)
def test_what_makes_no_sense_is_refused(
    spec: dict[str, Any], annotations: dict[str, str], line: str
) -> None:
    assert lines(read(spec, annotations)) == [line]


def test_namespaces_that_are_no_list_are_refused_in_every_field_that_lists_them() -> None:
    for whose in ("pods", "children"):
        assert lines(read({"access": {whose: "team-a"}})) == [
            f"spec.access.{whose}: must be a list, got 'team-a'. [EQ1001]"
        ]
        assert lines(read({"access": {whose: ["team-a", "*"]}})) == []


@pytest.mark.parametrize(
    ("key", "counts_as"),
    [
        (names.IS_PARENT, "false"),
        (names.IS_ROOT, "false"),
        (names.ALLOW_LENT, "true"),
        (names.ALLOW_FORCE_UPDATE, "false"),
    ],
)
def test_a_switch_that_is_neither_on_nor_off_is_reported_with_what_it_counts_as(
    key: str, counts_as: str
) -> None:
    def switched(text: str) -> Quota:
        manifest = {"metadata": {"name": "a", "labels": {key: text}}}
        return quotas.read(msgspec.convert(manifest, quotas.QuotaManifest))

    assert lines(switched("True")) == [
        f"metadata.labels[{key}]: must be 'true' or 'false', got 'True', which counts as "
        f"'{counts_as}'. [EQ1001]"
    ]
    assert [lines(switched(text)) for text in ("true", "false", "")] == [[], [], []]
    assert lines(switched("True"), switched("True")) == []


def test_a_setting_of_the_tree_that_cannot_be_read_is_reported() -> None:
    (line,) = lines(read({"tree": {"guaranteeUsage": "yes"}}))
    assert line.startswith("spec.tree.guaranteeUsage: must be true or false, got 'yes'")


def test_a_quantity_with_an_absurd_exponent_is_refused_at_once() -> None:
    (line,) = lines(read({"max": {"cpu": "1e99999999"}}))
    assert line.startswith("spec.max.cpu: ")
    assert "1e99999999" in line
    assert line.endswith("[EQ1001]")


def test_without_max_everything_may_be_weighed() -> None:
    assert lines(read(None, {names.SHARED_WEIGHT: '{"gpu": 1}'})) == []


def test_all_faults_are_reported() -> None:
    quota = read({"min": {"cpu": "x"}, "max": {"cpu": "y"}}, {names.SHARED_WEIGHT: "z"})
    assert len(lines(quota)) == 3


def test_an_old_fault_is_no_reason_to_refuse_another_edit() -> None:
    old = read({"max": {"cpu": "4"}}, {names.NAMESPACES: "garbage"})
    assert lines(read({"max": {"cpu": "5"}}, {names.NAMESPACES: "garbage"}), old) == []
    assert len(lines(read({"max": {"cpu": "x"}}, {names.NAMESPACES: "garbage"}), old)) == 1


def test_a_removal_says_nothing_about_itself() -> None:
    assert not [*CHECK(Change(read({"max": {"cpu": "x"}}), None), forests.forest(""))]
