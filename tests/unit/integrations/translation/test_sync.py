"""Kept quotas are synced by the fewest steps, in an order that reclaims from no quota."""

from typing import Any

import translations
from elasticquota import names
from elasticquota.integrations.translation import sync
from elasticquota.integrations.translation.sync import Put, Remove, SyncPlan
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.limit import QuotaLimits
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import replace


def node(name: str, *children: Any, **facts: Any) -> Any:
    return {"name": name, "children": list(children), **facts}


def wanted(*children: Any) -> tuple[Quota, ...]:
    """The quotas of a tree with these departments."""
    return translations.of_ack(translations.tree(node("r", *children))).quotas


def stored(*children: Any) -> list[Quota]:
    """The same as they are stored."""
    return [replace(quota, uid=f"uid-{quota.name}", kept_for="ack") for quota in wanted(*children)]


def said(plan: SyncPlan) -> list[str]:
    """Each step in a few words."""
    return [_word(step) for step in plan.steps]


def _word(step: Put | Remove) -> str:
    if isinstance(step, Remove):
        return f"remove {step.key.name}"
    quota = step.quota
    bound = f" {','.join(quota.namespaces)}" if quota.namespaces else ""
    return f"put {quota.name} {quota.min.get('memory', 0)}{bound}"


def test_parents_are_made_before_their_children() -> None:
    tree = node("a", node("x", min={"memory": 3}), node("y", namespaces=["one"]))
    steps = said(sync.plan("ack", wanted(tree), ()))
    assert steps == ["put r-a 3", "put r-a-x 3", "put r-a-y 0 one"]


def test_what_is_in_step_needs_no_step() -> None:
    tree = node("a", node("x", min={"memory": 3}, namespaces=["two", "one"]))
    assert sync.plan("ack", wanted(tree), stored(tree)) == SyncPlan()


def test_all_go_when_nothing_is_wanted_any_more_children_first() -> None:
    tree = node("a", node("x", node("deep")), min={"memory": 3})
    steps = said(sync.plan("ack", (), stored(tree)))
    assert steps == ["remove r-a-x-deep", "remove r-a-x", "remove r-a"]


def test_what_waits_stays_as_it_is_and_keeps_its_name() -> None:
    waits, goes = stored(node("a", node("x", min={"memory": 3}))), stored(node("b"))
    plan = sync.plan("ack", wanted(node("c")), [*waits, *goes], {"r-a", "r-a-x"})
    assert said(plan) == ["put r-c 0", "remove r-b"]


def test_only_the_quota_that_was_seen_is_removed() -> None:
    (step,) = sync.plan("ack", (), stored(node("a"))).steps
    assert step == Remove(wanted(node("a"))[0].key, "uid-r-a")


def test_who_promises_less_says_so_before_any_pod_promises_more() -> None:
    before = node("a", node("x", min={"memory": 1}), node("y", min={"memory": 5}))
    after = node("a", node("x", min={"memory": 5}), node("y", min={"memory": 1}))
    steps = said(sync.plan("ack", wanted(after), stored(before)))
    assert steps == ["put r-a-y 1", "put r-a-x 5"]


def test_children_promise_less_before_their_parent_does() -> None:
    before, after = (
        node("a", node("x", min={"memory": amount}), min={"memory": amount}) for amount in (6, 2)
    )
    steps = said(sync.plan("ack", wanted(after), stored(before)))
    assert steps == ["put r-a-x 2", "put r-a 2"]


def test_more_of_one_and_less_of_another_resource_takes_two_steps() -> None:
    before = node("a", node("x", min={"cpu": 1, "memory": 5}), min={"cpu": 9, "memory": 9})
    after = node("a", node("x", min={"cpu": 2, "memory": 3}), min={"cpu": 9, "memory": 9})
    first, second = sync.plan("ack", wanted(after), stored(before)).steps
    assert isinstance(first, Put)
    assert first.quota.min == {"cpu": 1000, "memory": 3}
    assert isinstance(second, Put)
    assert second.quota.min == {"cpu": 2000, "memory": 3}


def test_a_namespace_is_bound_again_before_it_is_let_go() -> None:
    before = node("a", node("x", namespaces=["one", "two"]), node("y"))
    after = node("a", node("x", namespaces=["one"]), node("y", namespaces=["two"]))
    steps = said(sync.plan("ack", wanted(after), stored(before)))
    assert steps == ["put r-a-y 0 two", "put r-a-x 0 one"]


def test_a_node_that_is_renamed_is_there_again_before_the_old_one_goes() -> None:
    before = node("a", node("x", min={"memory": 5}, namespaces=["one"]))
    after = node("a", node("z", min={"memory": 5}, namespaces=["one"]))
    steps = said(sync.plan("ack", wanted(after), stored(before)))
    assert steps == ["put r-a-x 0 one", "put r-a-z 5 one", "remove r-a-x"], "no sum is too large"


def test_a_parent_becomes_a_leaf_after_its_children_have_gone() -> None:
    before = node("a", node("x", namespaces=["one"]))
    after = node("a", namespaces=["one"])
    plan = sync.plan("ack", wanted(after), stored(before))
    assert said(plan) == ["put r-a 0 one", "remove r-a-x", "put r-a 0 one"]
    assert [step.quota.is_parent for step in plan.steps if isinstance(step, Put)] == [True, False]


def test_what_was_edited_or_cannot_be_read_is_put_back() -> None:
    tree = node("a", min={"memory": 3})
    (quota,) = stored(tree)
    for odd in (
        replace(quota, min={}),
        replace(quota, max={"cpu": 1}),
        replace(quota, namespaces=("one",)),
        replace(quota, parent="other"),
        replace(quota, is_parent=True),
        replace(quota, reclaim_grace=1),
        replace(quota, preemption=names.FENCE),
        replace(quota, over_max_delay=1),
        replace(quota, application_order=names.FAIR),
        replace(quota, orders_by_priority=False),
        replace(quota, nodes=Selector((Requirement("model", "In", ("a100",)),))),
        replace(quota, limits=QuotaLimits(3)),
        replace(quota, faults=(Fault("spec.max", "odd"),)),
    ):
        assert said(sync.plan("ack", wanted(tree), [odd])) == ["put r-a 3"]


def test_a_quota_without_the_mark_keeps_its_name_and_stops_what_is_below() -> None:
    tree = node("a", node("x"))
    mine = [replace(quota, kept_for="") for quota in stored(tree)[:1]]
    plan = sync.plan("ack", wanted(tree, node("b")), mine)
    assert plan.taken == ("r-a", "r-a-x")
    assert said(plan) == ["put r-b 0"]


def test_what_another_dialect_keeps_is_not_touched() -> None:
    theirs = [replace(quota, kept_for="capacity") for quota in stored(node("a"))]
    assert sync.plan("ack", (), theirs) == SyncPlan()


def test_a_kept_quota_in_another_namespace_makes_room_for_its_successor() -> None:
    elsewhere = [replace(q, key=Key("before", q.name)) for q in stored(node("a"))]
    plan = sync.plan("ack", wanted(node("a")), elsewhere)
    assert said(plan) == ["put r-a 0", "remove r-a"]


def test_quotas_that_were_edited_into_a_circle_go_all_the_same() -> None:
    one, two = stored(node("a"), node("b"))
    circle = [replace(one, parent=two.name), replace(two, parent=one.name)]
    assert sorted(said(sync.plan("ack", (), circle))) == ["remove r-a", "remove r-b"]


def test_what_is_put_bears_the_mark() -> None:
    assert names.DIALECT == "elasticquota.dev/dialect"
    steps = sync.plan("ack", wanted(node("a", node("x"))), ()).steps
    assert [step.quota.kept_for for step in steps if isinstance(step, Put)] == ["ack", "ack"]


def test_the_line_of_a_quota_is_strict_where_it_is_said_of_it() -> None:
    tree = node("a")
    (step,) = sync.plan("ack", wanted(tree), stored(tree), blocking=frozenset({"r-a"})).steps
    assert isinstance(step, Put)
    assert step.quota.strict_queue
    lax = sync.plan("ack", wanted(tree), [step.quota])
    assert [each.quota.strict_queue for each in lax.steps if isinstance(each, Put)] == [False]


def test_the_next_plan_is_the_same_one_as_long_as_nothing_changes() -> None:
    tree = node("a", node("x"))
    quotas, there = wanted(tree), stored(tree)
    first = sync.plan("ack", quotas, there)
    assert sync.plan("ack", quotas, there, before=first) is first


def test_who_moves_below_a_parent_that_cannot_be_there_cannot_either() -> None:
    a, b = wanted(node("a"), node("b"))
    mine = [replace(stored(node("a"))[0], kept_for=""), stored(node("b"))[0]]
    before = sync.plan("ack", [a, b], mine)
    after = sync.plan("ack", [a, replace(b, parent=a.name)], mine, before=before)
    assert (before.taken, after.taken) == (("r-a",), ("r-a", "r-b"))


def test_who_has_to_go_is_seen_as_it_is_now() -> None:
    (gone,) = stored(node("a"))
    before = sync.plan("ack", (), [gone])
    after = sync.plan("ack", (), [replace(gone, uid="another")], before=before)
    assert after.steps == (Remove(gone.key, "another"),)
