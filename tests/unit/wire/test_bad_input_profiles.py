"""Whatever is stored as an ElasticQuotaProfile is a profile, and its faults name the path."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.profile import WHOLE, Profile
from elasticquota.wire.quota import profiles


KEYS = f"metadata.annotations[{names.RESOURCE_KEYS}]"
SELECTOR = "spec.nodeSelector"
LABELS, EXPRESSIONS = f"{SELECTOR}.matchLabels", f"{SELECTOR}.matchExpressions"
EXPRESSION = f"{EXPRESSIONS}[0]"
VALUES = f"{EXPRESSION}.values"
NO_NAME = (
    "spec.quotaName: must name the root quota of the tree, with at most 63 lower case letters, "
    "digits, '-' and '.', got "
)
NO_SELECTOR = "spec.nodeSelector: must be given; {} selects every node"
NO_VALUE = "must be a text of at most 63 letters, digits, '-', '_' and '.', got "
NO_RATIO = (
    "spec.resourceRatio: must be a decimal greater than 0 and at most 1, in quotes and of at most "
    "16 characters, got "
)


def read(spec: Any, annotations: dict[str, str] | None = None) -> Profile:
    """As the reflector reads it, having proved that Kopf's way leads to the same profile."""
    meta = {"name": "pool", "namespace": "system", "annotations": annotations}
    document = {"metadata": meta, "spec": spec}
    encoded = msgspec.json.encode(document)
    profile = profiles.read(msgspec.json.decode(encoded, type=profiles.ProfileManifest))
    assert profiles.read(msgspec.convert(document, profiles.ProfileManifest)) == profile
    return profile


def good(**spec: Any) -> dict[str, Any]:
    return {"quotaName": "root", "nodeSelector": {}, **spec}


def labels(found: Any) -> dict[str, Any]:
    return good(nodeSelector={"matchLabels": found})


def expressions(found: Any) -> dict[str, Any]:
    return good(nodeSelector={"matchExpressions": found})


def expression(**parts: Any) -> dict[str, Any]:
    return expressions([parts])


@pytest.mark.parametrize(("spec", "shown"), [("x", "'x'"), (["x"], "a list"), (0, "0")])
def test_a_spec_that_is_no_map_is_said_and_selects_nothing(spec: Any, shown: str) -> None:
    profile = read(spec)
    fault = f"spec: must be a map, got {shown}"
    assert tuple(map(str, profile.faults)) == (fault, f"{NO_NAME}null", NO_SELECTOR)
    assert profile.key == Key("system", "pool")
    assert not profile.selector.matches({})


OPERATORS = "must be one of In, NotIn, Exists, DoesNotExist, got null"
FAULTS: list[tuple[dict[str, Any], str]] = [
    # The name of the root quota.
    (good(quotaName=None), f"{NO_NAME}null"),
    (good(quotaName=4), f"{NO_NAME}4"),
    (good(quotaName={}), f"{NO_NAME}a map"),
    (good(quotaName="Gpu pool"), f"{NO_NAME}'Gpu pool'"),
    (good(quotaName="q" * 64), f"{NO_NAME}'{'q' * 40}...'"),
    (good(quotaName="a\x07"), f"{NO_NAME}'a?'"),
    # The selector.
    (good(nodeSelector=None), NO_SELECTOR),
    (good(nodeSelector="pool=gpu"), f"{SELECTOR}: must be a map, got 'pool=gpu'"),
    (good(nodeSelector=[]), f"{SELECTOR}: must be a map, got a list"),
    (good(nodeSelector={"matchlabels": {}}), f"{SELECTOR}.matchlabels: is no field of a selector"),
    (labels([]), f"{LABELS}: must be a map, got a list"),
    (labels({"gpu": True}), f"{LABELS}.gpu: {NO_VALUE}true"),
    (labels({"n": 1}), f"{LABELS}.n: {NO_VALUE}1"),
    (labels({"n": None}), f"{LABELS}.n: {NO_VALUE}null"),
    (labels({"\n": "x"}), f"{LABELS}: '?' is not the name of a label"),
    (
        labels({f"l{n}": "" for n in range(10_000)}),
        f"{LABELS}: must not have more than 64 entries, got 10000; the first 64 by name count",
    ),
    (expressions({}), f"{EXPRESSIONS}: must be a list, got a map"),
    (expressions(["a in (b)"]), f"{EXPRESSION}: must be a map, got 'a in (b)'"),
    (
        expressions([{"key": "a", "operator": "Exists"}] * 65),
        f"{EXPRESSIONS}: must not have more than 64 entries, got 65; the first 64 in order count",
    ),
    (expression(operator="Exists"), f"{EXPRESSION}.key: must be the name of a label, got null"),
    (expression(key=["a"], operator="Exists"), f"{EXPRESSION}.key: must be the name of a label"),
    (expression(key="a"), f"{EXPRESSION}.operator: {OPERATORS}"),
    (expression(key="a", operator=["In"]), f"{EXPRESSION}.operator: must be one of In, NotIn"),
    (expression(key="a", operator="In"), f"{VALUES}: In on a must name values"),
    (
        expression(key="a", operator="Exists", values=["b"]),
        f"{VALUES}: Exists on a must not name values",
    ),
    (
        expression(key="a", operator="Exists", value="b"),
        f"{EXPRESSION}.value: is no field of a requirement",
    ),
    (expression(key="a", operator="NotIn", values=7), f"{VALUES}: must be a list"),
    (expression(key="a", operator="In", values=["b", 7]), f"{VALUES}[1]: {NO_VALUE}7"),
    (
        expression(key="a", operator="In", values=["b"] * 257),
        f"{VALUES}: must not have more than 256 entries, got 257",
    ),
    # The labels of the root quota.
    (good(quotaLabels=["a"]), "spec.quotaLabels: must be a map, got a list"),
    (good(quotaLabels={"cost": 1.5}), f"spec.quotaLabels.cost: {NO_VALUE}1.5"),
    (good(quotaLabels={"cost": "a b"}), f"spec.quotaLabels.cost: {NO_VALUE}'a b'"),
    (
        good(quotaLabels={f"l{n}": "" for n in range(65)}),
        "spec.quotaLabels: must not have more than 64 entries",
    ),
    # The ratio.
    (good(resourceRatio=0.9), f"{NO_RATIO}0.9; 1 is used"),
    (good(resourceRatio=True), f"{NO_RATIO}true; 1 is used"),
    (good(resourceRatio=["0.9"]), f"{NO_RATIO}a list; 1 is used"),
    (good(resourceRatio="."), f"{NO_RATIO}'.'; 1 is used"),
    (good(resourceRatio="0." + "0" * 14 + "1"), f"{NO_RATIO}'0.000000000000001'; 1 is used"),
    (good(resourceRatio="0" * 100_000), f"{NO_RATIO}'{'0' * 40}...'; 1 is used"),
]


@pytest.mark.parametrize(("spec", "fault"), FAULTS, ids=range(len(FAULTS)))
def test_every_wrong_shape_is_said_with_its_path(spec: dict[str, Any], fault: str) -> None:
    profile = read(spec)
    faults = [*map(str, profile.faults)]
    assert faults[0].startswith(fault)
    assert profile.ratio == WHOLE
    assert all(found.isprintable() and len(found) < 300 for found in faults)


SELECTORS = [spec for spec, fault in FAULTS if fault.startswith(SELECTOR)]


@pytest.mark.parametrize("spec", SELECTORS, ids=range(len(SELECTORS)))
def test_a_selector_with_a_fault_selects_no_node(spec: dict[str, Any]) -> None:
    selector = read(spec).selector
    assert not selector.matches({})
    assert not selector.matches({"a": "b", "n": "1"})


@pytest.mark.parametrize("name", [4, "Gpu pool", "", "x" * 64])
def test_a_name_that_no_quota_can_have_makes_no_root_quota(name: Any) -> None:
    assert read(good(quotaName=name)).quota_name == ""


def test_labels_beside_a_bad_one_count() -> None:
    labels = {"a": "1", "b": 2, "example.com/c": "", "d e": "x"}
    assert read(good(quotaLabels=labels)).quota_labels == {"a": "1", "example.com/c": ""}


@pytest.mark.parametrize(
    ("text", "keys", "fault"),
    [
        ("cpu,memory", None, f'{KEYS}: must be a JSON list like ["a", "b"], got'),
        ('{"cpu": 1}', None, f'{KEYS}: must be a JSON list like ["a", "b"], got'),
        ('["cpu", {}]', ("cpu",), f"{KEYS}[1]: must be a name, got a map"),
        ('["cpu", "\\u0000"]', ("cpu",), f"{KEYS}[1]: must be a name, got '?'"),
    ],
)
def test_resource_keys_that_are_no_list_of_names_are_said(
    text: str, keys: tuple[str, ...] | None, fault: str
) -> None:
    profile = read(good(), {names.RESOURCE_KEYS: text})
    assert profile.resource_keys == keys
    assert len(profile.faults) == 1
    assert str(profile.faults[0]).startswith(fault)
