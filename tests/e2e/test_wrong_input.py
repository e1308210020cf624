"""Wrong input gets a sentence, stored nonsense a verdict, and no other quota waits for it."""

import json
import re
from collections.abc import Iterator
from functools import partial
from operator import methodcaller

import pytest

import namespaces
import served
from installation import Installation
from open_schema import without_schema
from scenes import PREFIX, Pool, condition, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

QUOTA_CRD = "elasticquotas.scheduling.sigs.k8s.io"


@pytest.fixture(scope="module")
def tree(product: Installation, admin: User) -> Iterator[Pool]:
    """One pool for all refused input, which leaves nothing behind."""
    pool = Pool(admin, namespaces.new(admin))
    pool.open(nodes=1)
    yield pool
    works(pool)
    pool.close()


def works(pool: Pool) -> None:
    """Check that another quota of the same tree works."""
    pool.quota("bystander", min=1, max=1)
    pool.pods("bystander", 2)
    eventually(lambda: (len(pool.running("bystander")), len(pool.gated("bystander"))), (1, 1))
    eventually(lambda: pool.status("bystander")["pods"], {"admitted": 1, "gated": 1})


@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        ("1e99999999", "should match '^[+"),
        ("1e-99999999", "should match '^[+"),
        pytest.param(-1, "must be greater than or equal to 0 [EQ1001]", marks=served.since(34)),
        pytest.param("-1", "must be greater than or equal to 0 [EQ1001]", marks=served.since(34)),
        ("1_000", "should match '^[+"),
        ("9" * 65, "Too long: may not be "),
        ("", "should match '^[+"),
        ("NaN", "should match '^[+"),
        (True, "must be of type"),
    ],
)
@pytest.mark.parametrize("field", ["min", "max"])
def test_no_quantity_at_all(tree: Pool, field: str, amount: object, sentence: str) -> None:
    spec = {"max": {"cpu": "8"}} | {field: {"cpu": amount}}
    refused = refusal(lambda: tree.quota("bad", **spec))
    assert refused.code == 422
    assert re.search(rf"spec\.{field}[.\[]cpu", refused.message)
    assert sentence in refused.message


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("shared-weight", "{not json"),
        ("shared-weight", '{"cpu": "1e99999999"}'),
        ("shared-weight", '{"cpu": -1}'),
        ("shared-weight", "[" * 10_000),
        ("namespaces", '{"a": 1}'),
        ("namespaces", '["a", 1]'),
        ("namespaces", "\u202e\x07"),
    ],
)
def test_an_annotation_full_of_garbage(tree: Pool, annotation: str, text: str) -> None:
    garbage = {f"{PREFIX}{annotation}": text}
    refused = refusal(lambda: tree.quota("bad", min=1, max=1, annotations=garbage))
    assert refused.code == 422
    assert refused.message.startswith(
        'admission webhook "quota.elasticquota.dev" denied the request: '
        f"ElasticQuota {tree.namespace}/{tree.name('bad')}: "
        f"metadata.annotations[{PREFIX}{annotation}]"
    )
    assert refused.message.isprintable()
    assert len(refused.message) < 600


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": "x"},
        {"labels": {"a": 1}},
        {"annotations": ["x"]},
        {"annotations": {"a": {"b": "c"}}},
        {"ownerReferences": {}},
        {"generation": "x"},
    ],
    ids=str,
)
def test_the_api_server_itself_stores_no_malformed_metadata(tree: Pool, metadata: Document) -> None:
    manifest = tree.quota_manifest("bad", min=1, max=1)
    manifest["metadata"] |= metadata
    assert refusal(lambda: tree.admin.create(manifest)).code == 400


def test_a_quota_whose_edit_is_refused_decides_as_before(pool: Pool) -> None:
    pool.quota("steady", min=1, max=2)
    for wrong in ({"max": {"cpu": "x"}}, {"queue": {"policy": "strict"}}, {"paused": "true"}):
        edit = partial(pool.admin.patch, "ElasticQuota", pool.name("steady"), pool.namespace)
        assert refusal(partial(edit, change={"spec": wrong})).code == 422
    pool.pods("steady", 3)
    eventually(lambda: (len(pool.running("steady")), len(pool.gated("steady"))), (2, 1))


def test_a_quota_that_is_moved_below_its_own_child(pool: Pool) -> None:
    pool.department("top", min=4, max=4)
    pool.department("bottom", parent="top", min=4, max=4)
    change = {"metadata": {"labels": {f"{PREFIX}parent": pool.name("bottom")}}}
    refused = refusal(
        lambda: pool.admin.patch("ElasticQuota", pool.name("top"), pool.namespace, change=change)
    )
    path = " -> ".join(pool.name(short) for short in ("top", "bottom", "top"))
    assert f"the parents must not form a cycle, but {path}" in refused.message


def test_names_and_labels_of_63_characters(pool: Pool) -> None:
    longest = "q" * (63 - len(pool.name("")))
    pool.department(longest, min=4, max=4)
    pool.quota("team", parent=longest, min=2, max=2)
    pods = pool.pods("team", 2)
    eventually(lambda: pool.running("team"), set(pods))
    eventually(lambda: pool.used(longest), "2")
    refused = refusal(lambda: pool.quota("q" + longest, min=1, max=1))
    assert "metadata.name must be no more than 63 characters" in refused.message


def test_a_pod_label_of_63_characters_that_names_no_quota(pool: Pool) -> None:
    pool.pod("lost", None, labels={f"{PREFIX}name": "x" * 63})
    eventually(pool.running, {"lost"})


def test_a_22_nonsense_that_was_stored_gets_a_verdict_and_can_be_repaired(
    pool: Pool, product: Installation
) -> None:
    with product.unguarded():
        pool.department("loop-a", parent="loop-b", min=1, max=1)
        pool.department("loop-b", parent="loop-a", min=1, max=1)
        pool.quota("self", parent="self", min=1, max=1)
        pool.quota("orphan", parent="nobody", min=1, max=1)
        pool.quota("weight", min=1, max=1, annotations={f"{PREFIX}shared-weight": "{not json"})
        pool.quota("lost", min=1, max=1, labels={f"{PREFIX}tree-id": "1" * 63})
        expected = {
            "loop-a": "CycleDetected",
            "loop-b": "CycleDetected",
            "self": "CycleDetected",
            "orphan": "ParentNotFound",
            "weight": "InvalidSpec",
            "lost": "TreeMismatch",
        }

        def verdicts() -> dict[str, str]:
            return {short: condition(pool.get(short), "Accepted")["reason"] for short in expected}

        eventually(verdicts, expected)
    works(pool)
    change = {"metadata": {"labels": {f"{PREFIX}parent": pool.root}}}
    pool.admin.patch("ElasticQuota", pool.name("loop-a"), pool.namespace, change=change)
    expected |= {"loop-a": "Accepted", "loop-b": "Accepted"}
    eventually(verdicts, expected)
    for short in ("loop-b", "loop-a", "self", "orphan", "weight", "lost"):
        pool.admin.delete("ElasticQuota", pool.name(short), pool.namespace)


GARBAGE: dict[str, tuple[object, str]] = {
    "text": ("four", "spec: must be a map, got 'four'"),
    "list": ([{"min": 1}], "spec: must be a map, got a list"),
    "min": ({"min": "four", "max": {"cpu": 4}}, "spec.min: must be a map, got 'four'"),
    "flag": ({"max": {"cpu": True}}, "spec.max.cpu: must be a quantity like 500m or 2, got true"),
    "huge": ({"max": {"cpu": "1e99999999"}}, "spec.max.cpu: '1e99999999' is not a usable quantity"),
    "ink": ({"max": {"cpu": "\x1b[2J\n"}}, "spec.max.cpu: '?[2J?' is not a quantity"),
    "key": ({"max": {"c p\x07": 1}}, "spec.max: 'c p?' is not the name of a resource"),
    # Ten thousand would keep the API server itself busy for seconds at each write.
    "many": (
        {"max": {f"example.com/r{number}": 1 for number in range(1000)}},
        "spec.max: must not have more than 64 entries, got 1000",
    ),
    "deep": ({"max": json.loads("[" * 100 + "]" * 100)}, "spec.max: must be a map, got a list"),
}


def test_a_22_what_the_schema_of_another_project_accepted_gets_a_verdict_with_its_path(
    pool: Pool, product: Installation
) -> None:
    pool.quota("owner", min=1, max=2)
    pool.pod("old", "owner")
    eventually(lambda: pool.used("owner"), "1")

    def store(short: str, spec: object) -> Document:
        return pool.admin.create(pool.quota_manifest(short) | {"spec": spec})

    def message(short: str) -> str:
        return str(condition(pool.get(short), "Accepted")["message"])

    def turn(spec: object) -> None:
        change = [{"op": "replace", "path": "/spec", "value": spec}]
        pool.admin.patch("ElasticQuota", pool.name("owner"), pool.namespace, change=change)

    probe = pool.quota_manifest("probe") | {"spec": "four"}
    with without_schema(pool.admin, QUOTA_CRD, probe):
        with product.unguarded():
            for short, (spec, _) in GARBAGE.items():
                store(short, spec)
            store("unknown", {"max": {"cpu": 1}, "colour": {"of": ["the", "sky"]}})
            turn("four")
        for short, (_, sentence) in GARBAGE.items():
            eventually(partial(message, short), methodcaller("startswith", sentence))
        eventually(lambda: condition(pool.get("unknown"), "Accepted")["status"], "True")
        works(pool)
        # Its pods have not moved to the default quota, which would admit this one.
        eventually(lambda: message("owner"), "spec: must be a map, got 'four'. [EQ1001]")
        pool.pod("new", "owner")
        eventually(lambda: pool.status("owner")["pods"], {"admitted": 1, "gated": 1})
        turn({"min": {"cpu": "1"}, "max": {"cpu": "2"}})
        eventually(lambda: pool.running("owner"), {"old", "new"})
    # Under our schema a status can no longer be written there, but the old message stays.
    for short, (_, sentence) in GARBAGE.items():
        eventually(partial(message, short), methodcaller("startswith", sentence))
    for short in (*GARBAGE, "unknown"):
        pool.admin.delete("ElasticQuota", pool.name(short), pool.namespace)
