"""A field and the key of Koordinator that says the same: which of them counts, which follows."""

from dataclasses import dataclass
from typing import Any

import pytest

from elasticquota import names
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import equal_keys, profiles, quotas
from elasticquota.wire.quota.equal_keys import Keys


Side = tuple[str | None, str | None]
"""Field and label; None: absent."""
NEW: Side = (None, None)


def keys(side: Side) -> Keys:
    return Keys({} if side[1] is None else {names.PARENT: side[1]}, {})


def spec(side: Side) -> dict[str, Any]:
    return {} if side[0] is None else {"parent": side[0]}


def read(side: Side) -> Quota:
    meta = ObjectMeta("q", "teams", labels=dict(keys(side).labels))
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
    found = equal_keys.followed(keys(after), spec(after), keys(before), spec(before))
    assert {**keys(after).labels, **found.keys.labels} == keys(says).labels
    assert {**spec(after), **found.fields} == spec(says)


@pytest.mark.parametrize("before", [NEW, ("a", "a"), ("a", None), (None, "a")])
def test_nothing_follows_where_both_changed_and_differ(before: Side) -> None:
    found = equal_keys.followed(keys(NEW), {"parent": "b"}, keys(before), spec(before))
    assert found.keys.labels == {names.PARENT: "b"}
    found = equal_keys.followed(keys(("b", "c")), {"parent": "b"}, keys(before), spec(before))
    assert (found.keys, found.fields) == (Keys({}, {}), {})


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
    assert equal_keys.followed(Keys({}, {}), shape, Keys({}, {}), shape).keys.labels == {}


@dataclass(frozen=True)
class Setting:
    """A setting with two values, each as the field and as texts of the key, its own first."""

    field: str
    attribute: str
    one: object
    ones: tuple[str, ...]
    two: object
    twos: tuple[str, ...]
    wrong: tuple[object, ...]
    """Values that the field cannot have."""
    unread: str
    """A text that the key cannot have."""

    def keys(self, text: str | None) -> Keys:
        """The keys of a quota whose key has this text; None: it is absent."""
        found = {} if text is None else {names.EQUAL_KEYS[self.field]: text}
        return Keys(found, {}) if self.field in LABELS else Keys({}, found)

    def read(self, spec: dict[str, Any], text: str | None) -> Quota:
        labels, annotations = map(dict, self.keys(text))
        meta = ObjectMeta("q", "teams", labels=labels, annotations=annotations)
        return quotas.read(quotas.QuotaManifest(meta, spec))

    def said(self, spec: dict[str, Any], text: str | None) -> object:
        """The value of the setting; the order of names has no meaning."""
        found: object = getattr(self.read(spec, text), self.attribute)
        return sorted(found) if isinstance(found, tuple) else found


LABELS = ("parent", "isParent", "lends")
NO_TRUTH: tuple[object, ...] = (5, "true", ["true"], {})
SETTINGS = (
    Setting("isParent", "is_parent", True, ("true",), False, ("false",), NO_TRUTH, "True"),
    Setting("lends", "allow_lent", False, ("false",), True, ("true",), NO_TRUTH, "False"),
    Setting(
        "namespaces",
        "namespaces",
        ["a", "b"],
        ('["a","b"]', '["b", "a"]'),
        ["c"],
        ('["c"]', ' [ "c" ] '),
        ("a", {"a": "b"}, ["A"], ["*"], [5], ["a", ""], ["a"] * 513),
        "[a, b]",
    ),
    Setting(
        "weight",
        "shared_weight",
        {"cpu": "2", "memory": "1Gi"},
        ('{"cpu":"2","memory":"1Gi"}', '{"memory": 1073741824, "cpu": "2000m"}'),
        {"cpu": "3"},
        ('{"cpu":"3"}', ' {"cpu": 3}'),
        ("2", ["cpu"], {"cpu": -1}, {"cpu": "x"}, {"a b": 1}, {"cpu": None}),
        '{"cpu": "2"',
    ),
)
each = pytest.mark.parametrize("it", SETTINGS, ids=lambda it: it.field)


def test_these_are_the_settings_with_a_key_besides_the_parent() -> None:
    assert names.EQUAL_KEYS.keys() == {"parent", *(it.field for it in SETTINGS)}


def test_the_resources_of_a_profile_are_said_by_its_field_and_by_its_key() -> None:
    key = names.RESOURCE_KEYS

    def read(spec: dict[str, Any], text: str = "") -> Profile:
        meta = ObjectMeta("gpu", "pools", annotations={key: text} if text else {})
        spec |= {"quotaName": "gpu-root", "nodeSelector": {}}
        return profiles.read(profiles.ProfileManifest(meta, spec))

    found = read({"resourceKeys": ["cpu", "nvidia.com/gpu"]}, '["nvidia.com/gpu", "cpu"]')
    assert (found.resource_keys, found.differences) == (("nvidia.com/gpu", "cpu"), ())
    for text in ("", '["memory"]', "[cpu"):
        found = read({"resourceKeys": ["cpu"]}, text)
        assert (found.resource_keys, found.faults) == (("cpu",), ())
        assert [(each.says, each.written) for each in found.differences] == [('["cpu"]', text)]
    assert read({"resourceKeys": []}).resource_keys == ()
    assert read({}).resource_keys is None
    for wrong in ("cpu", {"cpu": 1}, [5], ["a b"], [""], ["cpu"] * 65):
        found = read({"resourceKeys": wrong}, '["memory"]')
        assert (found.resource_keys, found.differences) == (("memory",), ())
        assert str(found.faults[0]).startswith(
            "spec.resourceKeys: must be a list of resources, got "
        )
        assert str(found.faults[0]).endswith(f"; annotation {key} counts")


@each
def test_a_field_says_what_its_key_says_and_counts_before_it(it: Setting) -> None:
    field = {it.field: it.one}
    for text in it.ones:
        assert it.said({}, text) == it.said(field, None)
        assert it.read(field, text).differences == ()
    for text in (*it.twos, it.unread):
        quota = it.read(field, text)
        assert it.said(field, text) == it.said(field, None)
        assert [found.says for found in quota.differences] == [it.ones[0]]
        assert quota.faults + quota.warnings == ()
    assert it.said({}, it.twos[0]) != it.said(field, None)


@each
def test_a_key_that_is_edited_alone_moves_the_field_if_it_can_be_read(it: Setting) -> None:
    stored = ({it.field: it.one}, it.keys(it.ones[0]))
    for text in it.twos:
        found = equal_keys.followed(it.keys(text), stored[0], stored[1], stored[0])
        assert (found.keys, found.fields) == (Keys({}, {}), {it.field: it.two})
    found = equal_keys.followed(it.keys(it.unread), stored[0], stored[1], stored[0])
    assert (found.keys, found.fields) == (Keys({}, {}), {})


@each
def test_the_key_follows_its_field_also_from_a_text_that_cannot_be_read(it: Setting) -> None:
    for text in (None, it.ones[0], it.unread):
        stored = it.keys(text)
        found = equal_keys.followed(stored, {it.field: it.two}, stored, {})
        assert (found.keys, found.fields) == (it.keys(it.twos[0]), {})


@each
def test_a_field_that_cannot_be_read_leaves_what_the_key_says(it: Setting) -> None:
    for value in it.wrong:
        quota = it.read({it.field: value}, it.ones[0])
        assert it.said({it.field: value}, it.ones[0]) == it.said({}, it.ones[0])
        assert (quota.differences, len(quota.warnings)) == ((), 1)
        assert str(quota.warnings[0]).endswith(f"{names.EQUAL_KEYS[it.field]} counts")
