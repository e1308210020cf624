"""Laws of YuniKorn's placement rules and access lists, for any rules and any pod (Y8, Y11)."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.integrations.yunikorn import placement, queue_rules, rules
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.integrations.yunikorn.acls import Acls
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.integrations.yunikorn.rules import Applicant, PlacementRefusal
from elasticquota.wire.integrations import queues
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace


NAMES = (
    "a",
    "b",
    "root",
    "default",
    "@recovery@",
    "bad name",
    "",
    "x.y",
    "root.a",
    "root.a.b",
    "é",
)
USERS = ("", "ann", "bob", "nobody", "root.a", "an odd:name")
LISTS = (None, "", "*", "ann", "bob dev", " dev", "nobody")
VALUES = ("a", "b", "root.a", "root.b.c", "users", "namespace", "namespace.parentqueue", "other")
FILTERS = ({"users": ["ann"]}, {"type": "deny", "groups": ["dev"]}, {"users": ["^a.*"]})


def _queue(name: str, below: st.SearchStrategy[list[Any]]) -> st.SearchStrategy[Any]:
    fields = {
        "name": st.just(name),
        "queues": below,
        "parent": st.booleans(),
        "submitacl": st.sampled_from(LISTS),
        "adminacl": st.sampled_from(LISTS),
    }
    return st.fixed_dictionaries(fields)


NOTHING: st.SearchStrategy[list[Any]] = st.just([])
LEAVES = st.tuples(_queue("a", NOTHING), _queue("c", NOTHING)).map(list)
TOP = st.tuples(_queue("a", NOTHING | LEAVES), _queue("default", NOTHING)).map(list)
ROOTS = _queue("root", TOP)
RULES = st.recursive(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(("provided", "user", "fixed", "tag")),
            "value": st.sampled_from(VALUES),
            "create": st.booleans(),
        },
        optional={"filter": st.sampled_from(FILTERS)},
    ),
    lambda parents: st.tuples(parents, parents).map(lambda two: {**two[0], "parent": two[1]}),
    max_leaves=3,
)
PARTITIONS = st.builds(
    lambda root, listed: yunikorn_queues.partition_in_force(
        queues.read({"partitions": [{"queues": [root], "placementrules": listed}]})
    ),
    ROOTS,
    st.lists(RULES, max_size=3),
)
PODS = st.builds(
    Applicant,
    st.builds(
        lambda name, parent: QueueNamespace(name, parent=parent),
        st.sampled_from(("team", "a", "b")),
        st.sampled_from(NAMES),
    ),
    st.sampled_from(NAMES),
    st.sampled_from(USERS),
    st.sampled_from(((), ("dev",))),
)


@given(PARTITIONS, PODS)
def test_a_pod_is_in_a_leaf_that_exists_or_can_be_and_that_is_open_to_its_user(
    partition: queues.Partition, pod: Applicant
) -> None:
    found = Placements(partition).place(pod)
    if isinstance(found, PlacementRefusal):
        assert "tried: " in found.text
        return
    known = placement.by_path(partition.root)
    assert found.path[0] == queues.ROOT
    assert not rules.is_parent(found.path, known)
    assert all(queue_rules.is_name(part) and part != rules.RECOVERY for part in found.path)
    for depth in range(1, len(found.path)):
        above = found.path[:depth]
        assert above not in known or rules.is_parent(above, known)
    assert Acls(known).allow(found.path, pod.user, pod.groups)
    assert Placements(partition).denial(found.path, pod) == ""
    assert Placements(partition).place(pod) == found


@given(PARTITIONS, PODS)
def test_what_the_root_allows_everyone_closes_no_queue(
    partition: queues.Partition, pod: Applicant
) -> None:
    found = Placements(partition).place(pod)
    lists = (partition.root.submit_acl, partition.root.admin_acl)
    if any(each is not None and each.everyone for each in lists) and isinstance(
        found, PlacementRefusal
    ):
        assert "may not submit" not in found.text


@given(PARTITIONS, st.sampled_from(("team", "a", "b")), st.sampled_from(NAMES))
def test_a_namespace_is_where_a_pod_of_it_is_that_says_nothing(
    partition: queues.Partition, name: str, parent: str
) -> None:
    """Where the rules go by namespace only and no queue is closed."""
    space = QueueNamespace(name, parent=parent)
    if not partition.rules or not all(map(placement.goes_by_namespace, partition.rules)):
        return
    bound = placement.place(partition, placement.by_path(partition.root), [space], [], every=True)
    of_space = {*bound.made, *(path for path, names in bound.bound.items() if name in names)}
    found = Placements(partition).place(Applicant(space, user="ann"))
    if isinstance(found, PlacementRefusal):
        assert not of_space or "may not submit" in found.text
    elif found.path != (queues.ROOT, "default"):
        assert of_space == {found.path}
