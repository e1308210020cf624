"""Access lists of YuniKorn's queues: who may submit, by their own lists and those above (Y8)."""

from typing import Any

import pytest

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.integrations.yunikorn.rules import Applicant, PlacementRefusal
from elasticquota.model import holder
from elasticquota.model.fault import Fault
from elasticquota.wire.integrations import queue_acls, queues
from elasticquota.wire.integrations.queue_acls import Acl
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace


PROVIDED = {"name": "provided", "create": True}
FIXED = {"name": "fixed", "value": "open"}


def document(*rules: Any, root: Any = None, **lists: str) -> Any:
    """A parent ``dept`` with the leaf ``team``, and the leaf ``open``; lists by queue name."""

    def queue(name: str, *below: Any) -> Any:
        found = {"name": name, "queues": list(below)}
        return {**found, "submitacl": lists[name]} if name in lists else found

    top = {**queue("root", queue("dept", queue("team")), queue("open")), **(root or {})}
    return {"partitions": [{"queues": [top], "placementrules": list(rules or [PROVIDED])}]}


def place(found: Any, queue: str, user: str = "ann", groups: tuple[str, ...] = ()) -> str:
    """The path of the queue, or why the pod has none."""
    placements = Placements(yunikorn_queues.partition_in_force(queues.read(found)))
    there = placements.place(Applicant(QueueNamespace("space"), queue, user, groups))
    return there.text if isinstance(there, PlacementRefusal) else ".".join(there.path)


@pytest.mark.parametrize(
    ("text", "acl"),
    [
        ("*", Acl(everyone=True)),
        (" *", Acl(everyone=True)),
        ("* dev", Acl(everyone=True)),
        ("ann *", Acl(everyone=True)),
        ("", Acl()),
        (" ", Acl()),
        ("ann", Acl(users=frozenset({"ann"}))),
        ("ann,bob dev", Acl(users=frozenset({"ann", "bob"}), groups=frozenset({"dev"}))),
        (" dev,test", Acl(groups=frozenset({"dev", "test"}))),
        ("ann,*", Acl(users=frozenset({"ann"}))),
    ],
)
def test_a_list_is_users_one_space_and_groups(text: str, acl: Acl) -> None:
    faults: list[Fault] = []
    assert queue_acls.read(text, "submitacl", faults) == acl
    assert faults == []


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (
            "ann  dev",
            "submitacl: must be users, one space and groups, got 'ann  dev' with 2 spaces",
        ),
        (["ann"], "submitacl: must be a text, got a list"),
        (5, "submitacl: must be a text, got 5"),
    ],
)
def test_a_list_that_cannot_be_read_is_a_fault(written: Any, fault: str) -> None:
    faults: list[Fault] = []
    assert queue_acls.read(written, "submitacl", faults) is None
    assert [*map(str, faults)] == [fault]


def test_listed_users_and_members_of_listed_groups_may_submit_and_no_others() -> None:
    found = document(dept="ann staff")
    assert place(found, "root.dept.team") == "root.dept.team"
    assert place(found, "root.dept.team", "bob", ("staff",)) == "root.dept.team"
    assert place(found, "root.dept.team", "bob", ("ann",)) == (
        "user bob may not submit to root.dept.team: neither submitacl nor adminacl of it or of a "
        "queue above lists that user or one of its groups; tried: provided"
    )


def test_who_may_administer_a_queue_may_submit_too() -> None:
    found = document(root={"adminacl": "chief"}, dept="ann")
    assert place(found, "root.dept.team", "chief") == "root.dept.team"
    assert place(found, "root.open", "ann").startswith("user ann may not submit to root.open")


def test_what_a_queue_above_allows_no_queue_below_takes_away() -> None:
    assert place(document(root={"submitacl": "*"}, team=" "), "root.dept.team") == "root.dept.team"
    assert place(document(dept="ann", team="bob"), "root.dept.team") == "root.dept.team"


def test_without_any_list_all_pods_are_taken_and_one_list_closes_all_other_queues() -> None:
    assert place(document(), "root.open", "") == "root.open"
    assert "may not submit to root.open" in place(document(team="ann"), "root.open")
    assert "may not submit to root.open" in place(document(team=""), "root.open")


def test_a_queue_that_is_created_has_the_lists_of_those_above() -> None:
    found = document(dept="ann")
    assert place(found, "root.dept.new") == "root.dept.new"
    assert "may not submit to root.dept.new" in place(found, "root.dept.new", "bob")


def test_the_next_rule_is_asked_where_a_user_may_not_submit() -> None:
    found = document(PROVIDED, FIXED, dept="ann", open="bob")
    assert place(found, "root.dept.team", "bob") == "root.open"
    assert place(found, "root.dept.team", "eve").startswith(
        "user eve may not submit to root.dept.team"
    )


def test_the_default_queue_has_lists_too() -> None:
    for listed, path in (("ann", "root.default"), ("bob", "")):
        found = document({"name": "user"}, dept="x")
        found["partitions"][0]["queues"][0]["queues"].append(
            {"name": "default", "submitacl": listed}
        )
        assert place(found, "").startswith(path or "user ann may not submit to root.default")


def test_a_pod_of_no_known_user_may_submit_where_all_users_or_its_placeholder_may() -> None:
    assert place(document(open="*"), "root.open", "") == "root.open"
    assert place(document(open=holder.UNKNOWN), "root.open", "") == "root.open"
    assert place(document(open="ann"), "root.open", "").startswith(
        f"a pod without a known user ({holder.UNKNOWN}) may not submit to root.open"
    )


def faults(found: Any) -> tuple[str, ...]:
    return tuple(map(str, queue_rules.faults(queues.read(found), places_pods=False)))


def test_where_no_webhook_sees_pods_a_restriction_is_a_fault() -> None:
    why = (
        "cannot be enforced with podAdmission policy, because only the webhook knows who creates a "
        "pod; set podAdmission webhook, or let the root have submitacl '*'"
    )
    found = document(root={"adminacl": "chief"}, dept="ann")
    assert faults(found) == (
        f"partitions[0].queues[0].adminacl: {why}",
        f"partitions[0].queues[0].queues[0].submitacl: {why}",
    )
    assert queue_rules.faults(queues.read(found)) == ()


def test_what_restricts_no_user_is_none() -> None:
    assert faults(document()) == ()
    assert faults(document(root={"submitacl": "*"}, dept="ann")) == ()
