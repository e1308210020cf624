"""A field and the key of Koordinator that says the same: which of them counts, which follows."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.model.quota import Quota
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import equal_keys, quotas


Side = tuple[str | None, str | None]
"""Field and label; None: absent."""
NEW: Side = (None, None)


def labels(side: Side) -> dict[str, str]:
    return {} if side[1] is None else {names.PARENT: side[1]}


def spec(side: Side) -> dict[str, Any]:
    return {} if side[0] is None else {"parent": side[0]}


def read(side: Side) -> Quota:
    meta = ObjectMeta("q", "teams", labels=labels(side))
    return quotas.read(quotas.QuotaManifest(meta, spec(side)))


@pytest.mark.parametrize(
    ("side", "parent"),
    [
        (("a", None), "a"),
        ((None, "a"), "a"),
        (("a", "b"), "a"),
        (NEW, names.ROOT_QUOTA),
    ],
)
def test_the_field_counts_before_the_label(side: Side, parent: str) -> None:
    assert read(side).parent == parent
    assert bool(read(side).differences) is (side[0] is not None and side[0] != side[1])


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        # One says nothing.
        (NEW, ("a", None), ("a", "a")),
        (NEW, (None, "a"), (None, "a")),
        (("a", "a"), ("a", None), ("a", "a")),
        (("a", "a"), (None, "a"), (None, "a")),
        # One of them changed.
        (("a", "a"), ("b", "a"), ("b", "b")),
        (("a", "a"), ("a", "b"), ("b", "b")),
        ((None, "a"), ("b", "a"), ("b", "b")),
        (("a", None), ("a", "b"), ("b", "b")),
        # Neither, where they differed before.
        (("a", "b"), ("a", "b"), ("a", "a")),
        (("a", "b"), ("a", "c"), ("c", "c")),
        # Both, to the same.
        (("a", "a"), ("b", "b"), ("b", "b")),
    ],
)
def test_the_one_that_changed_counts_and_the_other_follows(
    before: Side, after: Side, says: Side
) -> None:
    found = equal_keys.followed(labels(after), spec(after), labels(before), spec(before))
    assert {**labels(after), **found.labels} == labels(says)
    assert {**spec(after), **found.fields} == spec(says)


@pytest.mark.parametrize("before", [NEW, ("a", "a"), ("a", None), (None, "a")])
def test_nothing_follows_where_both_changed_and_differ(before: Side) -> None:
    found = equal_keys.followed({names.PARENT: "c"}, {"parent": "b"}, labels(before), spec(before))
    assert (found.labels, found.fields) == ({}, {})


@pytest.mark.parametrize("value", [5, "", "-", "a" * 64, ["a"], {}, None])
def test_a_field_of_no_such_value_leaves_the_label(value: object) -> None:
    meta = ObjectMeta("q", "teams", labels={names.PARENT: "a"})
    quota = quotas.read(quotas.QuotaManifest(meta, {"parent": value}))
    assert (quota.parent, quota.differences) == ("a", ())
    assert bool(quota.warnings) is (value is not None)


def test_the_patch_holds_for_the_version_that_was_seen() -> None:
    stored: dict[str, Any] = {
        "metadata": {"resourceVersion": "7", "labels": {names.PARENT: "b", "x": "y"}},
        "spec": {"parent": "a"},
    }
    change = {"resourceVersion": "7", "labels": {names.PARENT: "a"}}
    assert equal_keys.patch(stored) == {"metadata": change}
    stored["metadata"]["labels"] = {names.PARENT: "a"}
    assert equal_keys.patch(stored) is None


@pytest.mark.parametrize("shape", [None, [], 5, {}])
def test_a_spec_of_any_shape_says_nothing(shape: object) -> None:
    assert equal_keys.patch({"metadata": {}, "spec": shape}) is None
    assert equal_keys.followed({}, shape, {}, shape).labels == {}
