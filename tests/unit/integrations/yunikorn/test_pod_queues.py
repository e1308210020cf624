"""A pod has the queue of the first placement rule that has one for it (seed 004; Y11, Y12, Y14)."""

from pathlib import Path
from typing import Any

import pytest

import translations
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.integrations.yunikorn.pod_queues import Applicant, Placements
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queue_pods, queues
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace


EXAMPLES = Path(__file__).parents[4] / "examples/yunikorn"
TAG = {"name": "tag", "value": "namespace", "create": True}
BY_ANNOTATION = {**TAG, "parent": {"name": "tag", "value": "namespace.parentqueue"}}
PROVIDED = {"name": "provided"}


def placements(*rules: Any, below: Any = ()) -> Placements:
    """The leaves ``root.a`` and ``root.users.ann``, and the parent ``root.users`` of no more."""
    users = {"name": "users", "parent": True, "queues": [{"name": "ann"}]}
    root = {"name": "root", "queues": [{"name": "a"}, users, *below]}
    document = {"partitions": [{"queues": [root], "placementrules": list(rules)}]}
    config = queues.read(document)
    assert config.faults == ()
    return Placements(yunikorn_queues.partition_in_force(config))


def example(file: str) -> Placements:
    (found,) = (
        each
        for each in translations.decoded((EXAMPLES / file).read_text())
        if each["kind"] == "ConfigMap"
    )
    text = translations.decoded(found["data"]["queues.yaml"])[0]
    return Placements(yunikorn_queues.partition_in_force(queues.read(text)))


def place(found: Placements, queue: str = "", namespace: str = "team", **more: Any) -> str:
    """The path of the queue with dots; empty: none."""
    space = QueueNamespace(namespace, parent=more.pop("parent", ""))
    there = found.place(Applicant(space, queue, **more))
    return "" if there is None else ".".join(there.path)


@pytest.mark.parametrize(
    ("meta", "queue"),
    [
        ({"labels": {"queue": "root.sandbox"}}, "root.sandbox"),
        ({"annotations": {"yunikorn.apache.org/queue": "b"}, "labels": {"queue": "c"}}, "b"),
        (
            {
                "labels": {"yunikorn.apache.org/queue": "a", "queue": "c"},
                "annotations": {"yunikorn.apache.org/queue": "b"},
            },
            "a",
        ),
        ({"annotations": {"queue": "d"}}, ""),
    ],
)
def test_seed_004_run_a_workload_a_pod_names_its_queue_in_any_spelling(
    meta: dict[str, Any], queue: str
) -> None:
    assert queue_pods.queue(ObjectMeta(**meta)) == queue


def test_seed_004_run_a_workload_the_application_runs_in_the_queue_it_names() -> None:
    found = example("2-static-queues.yaml")
    assert place(found, "root.sandbox") == "root.sandbox"
    assert place(found, "Sandbox") == "root.sandbox"


@pytest.mark.parametrize("queue", ["", "root.nobody", "root", "root.sandbox.deeper"])
def test_seed_004_static_queue_definition_applications_are_only_in_leaves(queue: str) -> None:
    found = example("2-static-queues.yaml")
    assert place(found, queue) == ""
    assert found.tried == "provided"


def test_seed_004_namespace_to_queue_mapping_pods_need_no_label() -> None:
    found = example("4-namespaces.yaml")
    assert place(found, namespace="development") == "root.development"
    assert place(found, "root.other", namespace="development") == "root.development"


def test_seed_004_parent_queue_mapping_the_parent_must_exist() -> None:
    found = example("6-parents.yaml")
    assert place(found, namespace="finance", parent="root.production") == "root.production.finance"
    assert place(found, namespace="dev", parent="development") == "root.development.dev"
    assert place(found, namespace="lost", parent="nobody") == ""
    assert place(found, namespace="silent") == ""
    assert found.tried == "tag namespace below tag namespace.parentqueue"


def test_the_first_rule_that_has_a_queue_has_the_pod() -> None:
    found = placements(PROVIDED, {"name": "user", "parent": _fixed("users")}, TAG)
    assert place(found, "a", user="ann") == "root.a"
    assert place(found, "nobody", user="ann") == "root.users.ann"
    assert place(found, user="bob") == "root.team"
    assert found.tried == "provided, user below fixed users, tag namespace"


def _fixed(value: str, **more: Any) -> Any:
    return {"name": "fixed", "value": value, **more}


@pytest.mark.parametrize("value", ["a", "root.a", "Root.A"])
def test_a_fixed_queue_has_every_pod(value: str) -> None:
    assert place(placements(_fixed(value))) == "root.a"


def test_dots_in_names_are_no_levels() -> None:
    below = [{"name": "j_dot_doe"}]
    assert place(placements({"name": "user"}, below=below), user="j.doe") == "root.j_dot_doe"


def made(found: Placements, queue: str = "", user: str = "") -> str:
    """The path of the queue, which must be one that is made for the pod; empty: none."""
    there = found.place(Applicant(QueueNamespace("team"), queue, user))
    assert there is None or there.for_pods
    return "" if there is None else ".".join(there.path)


def test_a_rule_that_may_makes_a_queue_for_the_pod() -> None:
    found = placements({**PROVIDED, "create": True}, {"name": "user", "create": True}, TAG)
    assert made(found, "new", user="bob") == "root.new"
    assert made(found, "root.new.deep", user="bob") == "root.new.deep"
    assert made(found, user="bob") == "root.bob"


def test_parents_are_made_where_their_rule_may_too() -> None:
    above = {"name": "tag", "value": "namespace"}
    rule = {"name": "user", "create": True}
    assert made(placements({**rule, "parent": above}), user="bob") == ""
    assert made(placements({**rule, "parent": {**above, "create": True}}), user="bob") == (
        "root.team.bob"
    )


def test_what_is_configured_or_made_for_the_namespace_is_not_made_for_the_pod() -> None:
    found = placements({**PROVIDED, "create": True}, TAG)
    for queue in ("a", ""):
        there = found.place(Applicant(QueueNamespace("team"), queue))
        assert there is not None
        assert not there.for_pods


def test_a_namespace_that_a_filter_admits_has_its_queue_for_its_pods() -> None:
    found = placements({**TAG, "filter": {"users": ["bob"]}})
    assert (made(found, user="bob"), made(found, user="ann")) == ("root.team", "")


@pytest.mark.parametrize(
    "queue",
    [
        "root.a.b",
        "root.users",
        "root.",
        "root..b",
        "bad name",
        "x" * 65,
        "root." + ".".join("x" * 32),
        "算",
    ],
)
def test_a_queue_that_yunikorn_would_not_make_is_not_made(queue: str) -> None:
    assert made(placements({**PROVIDED, "create": True}), queue) == ""


def test_a_queue_is_made_only_below_what_holds_queues() -> None:
    assert place(placements({**TAG, "parent": _fixed("a")})) == ""
    assert place(placements({**TAG, "parent": _fixed("users")})) == "root.users.team"


@pytest.mark.parametrize(
    ("written", "user", "groups", "passes"),
    [
        ({"type": "allow", "users": ["ann"]}, "ann", (), True),
        ({"type": "allow", "users": ["ann"]}, "bob", (), False),
        ({"users": ["ann", "bob"]}, "bob", (), True),
        ({"type": "deny", "users": ["ann"]}, "ann", (), False),
        ({"type": "deny", "users": ["ann"]}, "bob", (), True),
        ({"users": ["ann"], "groups": ["dev", "ops"]}, "bob", ("ops",), True),
        ({"users": ["^an+$"]}, "ann", (), True),
        ({"users": ["^an+$"]}, "annabel", (), False),
        ({"groups": ["^dev-.*"]}, "bob", ("dev-1",), True),
        ({"type": "deny"}, "ann", (), False),
        ({"type": "allow"}, "", (), True),
        ({"users": ["ann"]}, "", (), False),
    ],
)
def test_a_filter_says_for_whom_a_rule_is(
    written: Any, user: str, groups: tuple[str, ...], passes: bool
) -> None:
    found = placements({**PROVIDED, "filter": written}, _fixed("users.ann"))
    expected = "root.a" if passes else "root.users.ann"
    assert place(found, "a", user=user, groups=groups) == expected


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ({"users": ["(["]}, "filter.users[0]: must be a name or a pattern, got '(['"),
        ({"type": "perhaps"}, "filter.type: must be allow or deny, got 'perhaps'"),
        ({"groups": [5, "a"]}, "filter.groups[0]: must be a name, got 5"),
        ({"user": []}, "filter.user: is no field of a filter"),
    ],
)
def test_a_filter_that_cannot_be_read_is_a_fault(written: Any, fault: str) -> None:
    document = {
        "partitions": [
            {"queues": [{"name": "a"}], "placementrules": [{"name": "user", "filter": written}]}
        ]
    }
    assert queues.read(document).faults == (f"partitions[0].placementrules[0].{fault}",)


def test_who_matches_no_rule_has_the_default_queue_if_that_is_a_leaf() -> None:
    assert place(placements(PROVIDED), "nobody") == ""
    assert place(placements(PROVIDED, below=[{"name": "default"}]), "nobody") == "root.default"
    parent = [{"name": "default", "parent": True}]
    assert place(placements(PROVIDED, below=parent), "nobody") == ""


def test_what_no_rule_says_of_a_followed_namespace_is_asked_for_each_pod() -> None:
    document = {
        "partitions": [
            {
                "queues": [{"name": "a"}],
                "placementrules": [
                    {**PROVIDED, "create": True},
                    {"name": "user"},
                    {**TAG, "filter": {"users": ["ann"]}},
                ],
            }
        ]
    }
    made = yunikorn_queues.translate(queues.read(document), (), every=True)
    lead = "queues.yaml: partitions[0].placementrules"
    who = (
        "depends on the user who creates a pod; that user is not known for pods that the "
        "cluster's controllers create"
    )
    assert translations.lines(made) == [f"{lead}[1]: {who}", f"{lead}[2]: {who}"]
