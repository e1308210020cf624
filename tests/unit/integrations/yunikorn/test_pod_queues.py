"""A pod has the queue of the first placement rule that has one for it (seed 004; Y11, Y12, Y14)."""

from pathlib import Path
from typing import Any

import pytest

import translations
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.integrations.yunikorn.rules import Applicant, PlacementRefusal
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
    return "" if isinstance(there, PlacementRefusal) else ".".join(there.path)


def refusal(found: Placements, queue: str = "", namespace: str = "team", **more: Any) -> str:
    """Why a pod has no queue."""
    there = found.place(Applicant(QueueNamespace(namespace, **more), queue, "ann"))
    assert isinstance(there, PlacementRefusal)
    return there.text


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
    assert refusal(found, queue).endswith("; tried: provided")


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
    assert refusal(found).endswith("; tried: tag namespace below tag namespace.parentqueue")


def test_the_first_rule_that_has_a_queue_has_the_pod() -> None:
    found = placements(PROVIDED, {"name": "user", "parent": _fixed("users")}, TAG)
    assert place(found, "a", user="ann") == "root.a"
    assert place(found, "nobody", user="ann") == "root.users.ann"
    assert place(found, user="bob") == "root.team"
    never = {"name": "tag", "value": "namespace.parentqueue"}
    found = placements(PROVIDED, {**never, "parent": _fixed("users")}, never)
    assert refusal(found) == (
        "no placement rule matched, and there is no root.default; tried: provided, tag "
        "namespace.parentqueue below fixed users, tag namespace.parentqueue"
    )


def _fixed(value: str, **more: Any) -> Any:
    return {"name": "fixed", "value": value, **more}


@pytest.mark.parametrize("value", ["a", "root.a", "Root.A"])
def test_a_fixed_queue_has_every_pod(value: str) -> None:
    assert place(placements(_fixed(value))) == "root.a"


def made(found: Placements, queue: str = "", user: str = "") -> str:
    """The path of the queue, which must be one that is made for the pod; empty: none."""
    there = found.place(Applicant(QueueNamespace("team"), queue, user))
    assert isinstance(there, PlacementRefusal) or there.for_pods
    return "" if isinstance(there, PlacementRefusal) else ".".join(there.path)


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
        assert not isinstance(there, PlacementRefusal)
        assert not there.for_pods


def test_a_namespace_that_a_filter_admits_has_its_queue_for_its_pods() -> None:
    found = placements({**TAG, "filter": {"users": ["bob"]}})
    assert (made(found, user="bob"), made(found, user="ann")) == ("root.team", "")


DEEP = "root." + ".".join("x" * 32)


@pytest.mark.parametrize(
    ("queue", "why"),
    [
        ("root.a.b", "root.a.b cannot be created, because root.a holds pods and no queues"),
        ("root.a.b.c", "root.a.b.c cannot be created, because root.a holds pods and no queues"),
        ("root.", "'' is no name of a queue"),
        ("root..b", "'' is no name of a queue"),
        ("bad name", "'bad name' is no name of a queue"),
        ("x" * 65, f"'{'x' * 40}...' is no name of a queue"),
        (DEEP, "a queue has at most 32 levels, got 33"),
        ("算", "'算' is no name of a queue"),
        ("root.@recovery@", "'@recovery@' is no name of a queue"),
        ("@Recovery@", "'@recovery@' is no name of a queue"),
    ],
)
def test_a_queue_that_yunikorn_would_not_make_is_refused_whatever_further_rules_say(
    queue: str, why: str
) -> None:
    found = placements({**PROVIDED, "create": True}, TAG)
    assert place(found) == "root.team"
    text = refusal(found, queue)
    assert text == f"{why}; tried: provided, tag namespace"


def test_a_queue_that_holds_queues_is_no_match() -> None:
    found = placements({**PROVIDED, "create": True}, TAG)
    assert place(found, "root.users") == "root.team"
    assert place(found, "root") == "root.team"


def test_a_parent_rule_that_gives_a_leaf_refuses() -> None:
    found = placements({**TAG, "parent": _fixed("a")}, _fixed("users.ann"))
    assert refusal(found).startswith("the parent root.a holds pods and no queues; tried: ")


def test_a_user_whose_name_looks_like_a_path_gets_no_queue_of_others() -> None:
    rule = {"name": "user", "create": True, "parent": _fixed("users")}
    assert place(placements(rule), user="root.a") == "root.users.root_dot_a"


def test_dots_in_the_parent_of_a_namespace_are_no_levels_unless_it_begins_with_root() -> None:
    below = [{"name": "x", "queues": [{"name": "y", "parent": True}]}]
    found = placements(BY_ANNOTATION, below=below)
    assert place(found, parent="root.x.y") == "root.x.y.team"
    assert place(found, parent="x.y") == ""


def test_nested_parents_are_evaluated_from_the_outside() -> None:
    above = {"name": "tag", "value": "namespace", "create": True, "parent": _fixed("users")}
    found = placements({"name": "user", "create": True, "parent": above})
    assert place(found, user="bob") == "root.users.team.bob"


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
    assert tuple(map(str, queues.read(document).faults)) == (
        f"partitions[0].placementrules[0].{fault}",
    )


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
