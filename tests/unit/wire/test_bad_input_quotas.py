"""Whatever is stored as an ElasticQuota is a quota, and its faults name the path.

The schema in force when an object was stored need not have been ours: Koordinator's knows no rules
for quantities, and a definition that preserves unknown fields takes everything.
"""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.wire.codec import amounts
from elasticquota.wire.quota import quotas


PARENT = "department"


def read(spec: Any = None, annotations: dict[str, str] | None = None) -> Quota:
    """As the reflector reads it, having proved that Kopf's way leads to the same quota."""
    meta = {
        "name": "team-a",
        "namespace": "teams",
        "labels": {names.PARENT: PARENT},
        "annotations": annotations,
    }
    document = {"metadata": meta, "spec": spec}
    encoded = msgspec.json.encode(document)
    quota = quotas.read(msgspec.json.decode(encoded, type=quotas.QuotaManifest))
    assert quotas.read(msgspec.convert(document, quotas.QuotaManifest)) == quota
    return quota


NO_AMOUNT = "spec.max.cpu: must be a quantity like 500m or 2, got"
NOT_A_QUANTITY = (
    "is not a quantity; write a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi"
)

SPECS: list[tuple[Any, tuple[str, ...]]] = [
    # The spec is no map.
    (None, ()),
    ([], ("spec: must be a map, got a list",)),
    ("four", ("spec: must be a map, got 'four'",)),
    (4, ("spec: must be a map, got 4",)),
    (False, ("spec: must be a map, got false",)),
    # A list of amounts is no map.
    ({"min": None, "max": None}, ()),
    ({"max": "four"}, ("spec.max: must be a map, got 'four'",)),
    ({"min": 4}, ("spec.min: must be a map, got 4",)),
    ({"min": ["cpu"]}, ("spec.min: must be a map, got a list",)),
    ({"min": True}, ("spec.min: must be a map, got true",)),
    # An amount is none.
    ({"max": {"cpu": None}}, (f"{NO_AMOUNT} null",)),
    ({"max": {"cpu": True}}, (f"{NO_AMOUNT} true",)),
    ({"max": {"cpu": []}}, (f"{NO_AMOUNT} a list",)),
    ({"max": {"cpu": {"a": 1}}}, (f"{NO_AMOUNT} a map",)),
    ({"max": {"cpu": ""}}, (f"spec.max.cpu: '' {NOT_A_QUANTITY}",)),
    ({"max": {"cpu": "4 cores"}}, (f"spec.max.cpu: '4 cores' {NOT_A_QUANTITY}",)),
    ({"max": {"cpu": "1\n\x1b[2J"}}, (f"spec.max.cpu: '1??[2J' {NOT_A_QUANTITY}",)),
    ({"max": {"cpu": -0.5}}, ("spec.max.cpu: must not be negative, got -0.5",)),
    # A name is none.
    ({"max": {"": 1}}, ("spec.max: '' is not the name of a resource",)),
    ({"max": {"c p u": 1}}, ("spec.max: 'c p u' is not the name of a resource",)),
    ({"max": {"a\u202eb\x00": 1}}, ("spec.max: 'a?b?' is not the name of a resource",)),
    ({"max": {"x" * 400: 1}}, (f"spec.max: '{'x' * 40}...' is not the name of a resource",)),
    # What is unknown is none of our business.
    ({"max": {"cpu": 1}, "weight": [[None]], "maximum": {"cpu": "x"}}, ()),
]


@pytest.mark.parametrize(("spec", "faults"), SPECS)
def test_every_wrong_shape_of_a_spec_is_said_with_its_path(
    spec: Any, faults: tuple[str, ...]
) -> None:
    assert tuple(map(str, read(spec).faults)) == faults


@pytest.mark.parametrize("spec", ["four", {"min": "four"}, {"max": {"cpu": []}}])
def test_a_quota_that_cannot_be_read_keeps_its_name_its_place_and_its_pods(spec: Any) -> None:
    quota = read(spec, {names.NAMESPACES: '["bound"]'})
    assert (quota.key, quota.parent) == (Key("teams", "team-a"), PARENT)
    assert quota.namespaces == ("bound",)


def test_its_verdict_names_the_path() -> None:
    parent = Quota(Key("teams", PARENT), "u", "", is_parent=True)
    forest = acceptance.build([parent, read({"min": "four"})])
    verdict = forest.verdicts[Key("teams", "team-a")]
    assert verdict.reason == "InvalidSpec"
    assert verdict.message == "spec.min: must be a map, got 'four'. [EQ1001]"


def test_what_stands_beside_a_bad_entry_counts() -> None:
    quota = read({"min": {"cpu": None, "memory": "1Gi"}, "max": {"memory": "2Gi", "cpu": "4"}})
    assert quota.min == {"memory": 1024**3}
    assert quota.max == {"memory": 2 * 1024**3, "cpu": 4000}


def test_a_max_that_cannot_be_read_is_not_reported_twice() -> None:
    quota = read({"min": {"cpu": "1"}, "max": {"cpu": "many"}})
    assert tuple(map(str, quota.faults)) == (f"spec.max.cpu: 'many' {NOT_A_QUANTITY}",)


@pytest.mark.parametrize("value", [2**63, 10**30, 1e22, 0.1, "0.0000000001", "9E"])
def test_numbers_and_texts_of_any_size_are_exact(value: Any) -> None:
    quota = read({"max": {"example.com/x": value}})
    assert quota.faults == ()
    assert type(quota.max["example.com/x"]) is int


@pytest.mark.parametrize("field", ["min", "max"])
def test_of_ten_thousand_resources_the_first_ones_count(field: str) -> None:
    names_ = [f"example.com/r{number:05}" for number in range(10_000)]
    quota = read({field: dict.fromkeys(reversed(names_), "1")})
    assert list(getattr(quota, field)) == names_[: amounts.MOST]
    assert tuple(map(str, quota.faults)) == (
        f"spec.{field}: must not have more than 64 entries, got 10000; the first 64 by name count",
    )


def test_ten_thousand_bad_resources_are_reported_in_at_most_as_many_sentences_as_count() -> None:
    quota = read({"max": {f"bad {number}": "x" for number in range(10_000)}})
    assert len(quota.faults) == 1 + amounts.MOST


def test_ten_thousand_labels_and_annotations_of_others_do_not_matter() -> None:
    many = {f"example.com/k{number}": "v" for number in range(10_000)}
    document = {"metadata": {"name": "a", "labels": many, "annotations": many}}
    assert quotas.read(msgspec.convert(document, quotas.QuotaManifest)).faults == ()


NO_MAP = ': must be a JSON map like {"cpu": "4"}, got '
NO_LIST = ': must be a JSON list like ["a", "b"], got'
WEIGHTS = [
    ("[]", f"{NO_MAP}'[]'"),
    ("4", f"{NO_MAP}'4'"),
    ("null", f"{NO_MAP}'null'"),
    ('{"cpu": {"cpu": 1}}', ".cpu: must be a quantity like 500m or 2, got a map"),
    ('{"cpu": 1' + "0" * 65 + "}", ".cpu: an integer of 216 bits"),
    ('{"cpu": 1' + "0" * 9000 + "}", f'{NO_MAP}\'{{"cpu": 1'),
    ('{"cpu": 1e999}', NO_MAP),
    ('{"cpu": NaN}', NO_MAP),
    ('{"\\ud800": 1}', NO_MAP),
    ('{"a\\u0007": 1}', ": 'a?' is not the name of a resource"),
    ("[" * 60_000, f"{NO_MAP}'{'[' * 40}...'"),
    ('{"cpu": ' + "[" * 20_000 + "]" * 20_000 + "}", NO_MAP),
    ('{"cpu": "' + "9" * 256 * 1024 + '"}', ": must not be longer than 65536 characters"),
    (
        "{" + ",".join(f'"r{number}":1' for number in range(5000)) + "}",
        ": must not have more than 64 entries, got 5000",
    ),
]
LISTS = [
    ('"team-a"', NO_LIST),
    ('{"a": 1}', NO_LIST),
    ('["a", 1]', "[1]: must be a name, got 1"),
    ('["a", null]', "[1]: must be a name, got null"),
    ('["a", "b\\n"]', "[1]: must be a name, got 'b?'"),
    ('["a",' * 20_000, ": must not be longer than 65536"),
    ("[" + ",".join(['"a"'] * 10_000) + "]", ": must not have more than 4096 entries, got 10000"),
]
ANNOTATIONS = [
    *((names.SHARED_WEIGHT, text, fault) for text, fault in WEIGHTS),
    *((names.NAMESPACES, text, fault) for text, fault in LISTS),
]


@pytest.mark.parametrize(("annotation", "text", "fault"), ANNOTATIONS, ids=range(len(ANNOTATIONS)))
def test_every_wrong_annotation_is_said_with_its_path(
    annotation: str, text: str, fault: str
) -> None:
    (found,) = map(str, read({"max": {"cpu": 4}}, {annotation: text}).faults)
    assert found.startswith(f"metadata.annotations[{annotation}]{fault}")
    assert found.isprintable()
    assert len(found) < 300


def test_a_bad_name_in_a_list_of_namespaces_does_not_unbind_the_others() -> None:
    assert read(None, {names.NAMESPACES: '["a", {}, "b"]'}).namespaces == ("a", "b")


def test_of_ten_thousand_namespaces_the_first_ones_are_bound() -> None:
    quota = read(None, {names.NAMESPACES: "[" + ",".join(['"n"'] * 10_000) + "]"})
    assert len(quota.namespaces) == 4096


def test_the_last_of_equal_keys_in_an_annotation_counts_as_in_go() -> None:
    quota = read(None, {names.SHARED_WEIGHT: '{"cpu": "1", "cpu": "2"}'})
    assert (quota.shared_weight, quota.faults) == ({"cpu": 2000}, ())


def test_the_published_total_may_name_as_many_resources_as_nodes_have() -> None:
    text = "{" + ",".join(f'"example.com/r{number}":"1"' for number in range(200)) + "}"
    quota = read(None, {names.TOTAL_RESOURCE: text})
    assert quota.total is not None
    assert (len(quota.total), quota.faults) == (200, ())
