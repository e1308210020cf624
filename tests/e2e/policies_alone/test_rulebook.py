"""A policy that repeats a rule has the rule's verdict: a table of cases, judged by both.

No webhook runs here, so what the API server refuses is refused by the policies of the chart. The
same edits go through the rules themselves, over the quotas that are stored.
"""

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import pytest

import namespaces
import rulebook
import tenants
from elasticquota.forest import acceptance
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.wire.quota import profiles, quotas
from installation import Installation
from scenes import PREFIX, Pool
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

ROOT: Final = "koordinator-root-quota"
DEFAULT: Final = "koordinator-default-quota"
MARK: Final = "elasticquota.dev/placed-below"
NAMESPACES: Final = f"{PREFIX}namespaces"
OWN, FREE, SHARED, THEIRS = "OWN", "FREE", "SHARED", "THEIRS"
"""Stand in a case for the planner's own namespace, one of others, and two that another quota
binds: in the first of them the planner may write quotas, in the second not."""
REPEATED: Final = {"EQ1004", "EQ1107", "EQ1110", "EQ1113", "EQ1114", "EP1201"}
"""The rules that policies repeat and that need nothing but the objects and who asks."""


class Case(NamedTuple):
    """What is written over a quota below the pool's root, and the rule that refuses it."""

    what: str
    code: str = ""
    name: str = ""
    labels: Mapping[str, str | None] = {}
    annotations: Mapping[str, str] = {}
    spec: Mapping[str, Any] = {}
    by_rules: str | None = None
    """What the rules say where it is something else."""


CREATED: Final = [
    Case("a quota below one of its own namespace"),
    Case("the root quota", "EQ1110", name=ROOT),
    Case("the system quota", "EQ1110", name="koordinator-system-quota"),
    Case("the default quota in another namespace", "EQ1110", name=DEFAULT),
    Case("a name that only begins like one of them", name="koordinator-root-quota-2"),
    Case("no parent", "EQ1113", labels={f"{PREFIX}parent": None}),
    Case("the default root by the label", "EQ1113", labels={f"{PREFIX}parent": ROOT}),
    Case(
        "the default root by the field",
        "EQ1113",
        labels={f"{PREFIX}parent": None},
        spec={"parent": ROOT},
    ),
    Case("a permission that was not given", "EQ1113", annotations={MARK: ROOT}),
    Case("a field without its label", spec={"lends": False}),
    Case(
        "a switch that says the same",
        labels={f"{PREFIX}allow-lent-resource": "false"},
        spec={"lends": False},
    ),
    Case(
        "a switch that says something else",
        "EQ1114",
        labels={f"{PREFIX}allow-lent-resource": "true"},
        spec={"lends": False},
    ),
    Case("another parent in the field", "EQ1114", spec={"parent": "another"}),
    Case(
        "the same weight in another form",
        annotations={f"{PREFIX}shared-weight": '{"cpu": "3000m"}'},
        spec={"weight": {"cpu": 3}},
    ),
    Case(
        "another weight",
        "EQ1114",
        annotations={f"{PREFIX}shared-weight": '{"cpu": "4"}'},
        spec={"weight": {"cpu": 3}},
    ),
]
BOUND: Final = [
    Case("the namespace of the quota", spec={"namespaces": [OWN]}),
    Case("the same by the annotation", annotations={NAMESPACES: f'[ "{OWN}" ]'}),
    Case("no namespace", annotations={NAMESPACES: "[]"}),
    Case("no list", "EQ1004", annotations={NAMESPACES: OWN}),
    Case("a map", "EQ1004", annotations={NAMESPACES: f'{{"{OWN}": 1}}'}),
    Case("two values", "EQ1004", annotations={NAMESPACES: f'["{OWN}"] "{FREE}"'}),
    Case("a number", "EQ1004", annotations={NAMESPACES: "[1]"}),
    Case(
        "a list in a form that CEL does not read",
        "EQ1004",
        annotations={NAMESPACES: '["\\u006eowhere"]'},
        by_rules="",
    ),
    Case(
        "a list longer than CEL reads",
        "EQ1004",
        annotations={NAMESPACES: f'["{OWN}"{" " * 2048}]'},
        by_rules="",
    ),
    # Who may write quotas in a namespace is known to the API server only.
    Case("a namespace of others", "EQ1004", spec={"namespaces": [FREE]}, by_rules=""),
    Case(
        "the same by the annotation, beside the own one",
        "EQ1004",
        annotations={NAMESPACES: f'["{OWN}", "{FREE}"]'},
        by_rules="",
    ),
    Case("one that another quota binds", spec={"namespaces": [SHARED]}, by_rules="EQ1004"),
    Case("one that a quota of others binds", "EQ1004", spec={"namespaces": [THEIRS]}),
]
EDITED: Final = [
    Case("another max", spec={"max": {"cpu": "7"}}),
    Case("the default root", "EQ1113", labels={f"{PREFIX}parent": ROOT}),
    Case("another tree", "EQ1107", labels={f"{PREFIX}tree-id": "another"}),
    Case("no tree", "EQ1107", labels={f"{PREFIX}tree-id": None}),
    Case("a permission that was not given", "EQ1113", annotations={MARK: ROOT}),
]
PROFILES: Final = [
    Case("labels of its own", spec={"team": "a"}),
    Case("a parent", "EP1201", spec={f"{PREFIX}parent": "team"}),
    Case("the parent that it has", spec={f"{PREFIX}parent": ROOT}),
    Case("a tree", "EP1201", spec={f"{PREFIX}tree-id": "another"}),
    Case("no root", "EP1201", spec={f"{PREFIX}is-root": "false"}),
    Case("another profile", "EP1201", spec={f"{PREFIX}profile": "another"}),
    Case("forced edits", "EP1201", spec={f"{PREFIX}allow-force-update": "true"}),
]


@pytest.fixture(scope="module", autouse=True)
def takes_no_namespace(home: Pool, release: Installation) -> Iterator[None]:
    """The default root takes quotas by permission only, as the chart has it."""
    release.configure({"config": {"defaultTree": {"childNamespaces": []}}})
    yield
    release.configure({})


@pytest.fixture(scope="module")
def stored(home: Pool) -> Document:
    """A quota with the label that the webhook would have filled in."""
    tree = home.admin.get("ElasticQuota", home.root, home.namespace)["metadata"]["labels"]
    key = f"{PREFIX}tree-id"
    return home.quota("stored", max=4, labels={key: tree[key]})


@pytest.fixture(scope="module")
def places(home: Pool, admin: User, victim: str) -> Iterator[Mapping[str, str]]:
    """The names for which ``OWN``, ``FREE``, ``SHARED`` and ``THEIRS`` stand."""
    shared, theirs = namespaces.new(admin), namespaces.new(admin)
    tenants.grant(admin, shared, "elastic-quota-admin", "planner", home=home.namespace)
    home.quota("taker", max=4, namespaces=[shared, theirs])
    yield {OWN: home.namespace, FREE: victim, SHARED: shared, THEIRS: theirs}
    admin.delete("ElasticQuota", home.name("taker"), home.namespace)
    admin.delete("Namespace", shared)
    admin.delete("Namespace", theirs)


def placed(case: Case, places: Mapping[str, str]) -> Case:
    """The case with the names of namespaces of this cluster."""
    text = json.dumps([case.annotations, case.spec])
    for stands, name in places.items():
        text = text.replace(stands, name)
    annotations, spec = json.loads(text)
    return case._replace(annotations=annotations, spec=spec)


def of_rules(admin: User, old: Document | None, new: Document) -> set[str]:
    """The codes for which the rules refuse it to a user without permissions."""
    forest = rulebook.forest(admin)
    change = Change(
        None if old is None else quotas.read(rulebook.quota(old)),
        quotas.read(rulebook.quota(new)),
        permitted=frozenset(),
    )
    return {found.code for found in chains.judge(change, forest).refused} & REPEATED


def written(manifest: Document, case: Case) -> Document:
    """The manifest with what the case writes; None takes a key out."""
    new = copy.deepcopy(manifest)
    metadata = new["metadata"]
    metadata["name"] = case.name or metadata["name"]
    for field, given in (("labels", case.labels), ("annotations", case.annotations)):
        found = {**(metadata.get(field) or {}), **given}
        metadata[field] = {key: text for key, text in found.items() if text is not None}
    new["spec"] = {**new["spec"], **case.spec}
    return new


@pytest.mark.parametrize("case", [pytest.param(each, id=each.what) for each in CREATED])
def test_a_quota_that_is_created(case: Case, home: Pool, planner: User, admin: User) -> None:
    new = written(home.quota_manifest("judged", max=4), case)
    assert (
        rulebook.codes(lambda: planner.create(new, dry_run=True))
        == of_rules(admin, None, new)
        == ({case.code} - {""})
    )


@pytest.mark.parametrize("case", [pytest.param(each, id=each.what) for each in BOUND])
def test_a_quota_that_binds_namespaces(
    case: Case, home: Pool, places: Mapping[str, str], planner: User, admin: User
) -> None:
    eventually(lambda: planner.list("ElasticQuota", places[SHARED]), lambda _: True)
    new = written(home.quota_manifest("judged", max=4), placed(case, places))
    assert rulebook.codes(lambda: planner.create(new, dry_run=True)) == {case.code} - {""}
    said = case.code if case.by_rules is None else case.by_rules
    assert of_rules(admin, None, new) == {said} - {""}


@pytest.mark.parametrize("case", [pytest.param(each, id=each.what) for each in EDITED])
def test_a_quota_that_is_edited(
    case: Case, home: Pool, stored: Document, planner: User, admin: User
) -> None:
    metadata = {"labels": case.labels, "annotations": case.annotations}
    change = {"metadata": metadata, "spec": case.spec}
    place = ("ElasticQuota", home.name("stored"), home.namespace)
    by_server = rulebook.codes(lambda: planner.patch(*place, change=change, dry_run=True))
    by_rules = of_rules(admin, stored, written(stored, case))
    # A move to the default root is also one to another tree, which the policy leaves to the rule.
    assert by_server == ({case.code} - {""})
    assert by_server <= by_rules
    assert bool(by_server) == bool(by_rules)


@pytest.mark.parametrize("case", [pytest.param(each, id=each.what) for each in PROFILES])
def test_labels_that_a_profile_writes_on_its_root(case: Case, home: Pool, admin: User) -> None:
    new = home.profile_manifest(quotaName="judged", quotaLabels=dict(case.spec))
    new["metadata"]["name"] = "judged"
    read = profiles.read(msgspec.convert(new, profiles.ProfileManifest))
    judged = chains.judge_profile(ProfileChange(None, read, ()), acceptance.build(()))
    of_rule = {found.code for found in judged.refused}
    assert (
        rulebook.codes(lambda: admin.create(new, dry_run=True)) == of_rule == ({case.code} - {""})
    )
