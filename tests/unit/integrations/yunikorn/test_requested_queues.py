"""Queues are made for pods that the rules put there, and stay as long as pods bear their name."""

from typing import Any

import pytest

from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.integrations.yunikorn import requested_queues
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.integrations.yunikorn.requested_queues import PodQueueRequest
from elasticquota.wire.integrations import queues
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace


ANN = ("root", "users", "ann")
USERS = {"name": "user", "create": True, "parent": {"name": "fixed", "value": "users"}}
PROVIDED = {"name": "provided", "create": True}


def placements(*rules: Any) -> Placements:
    root = {"name": "root", "queues": [{"name": "users", "parent": True}, {"name": "a"}]}
    document = {"partitions": [{"queues": [root], "placementrules": list(rules)}]}
    return Placements(yunikorn_queues.partition_in_force(queues.read(document)))


def pod(path: Path, **more: Any) -> PodQueueRequest:
    """One that bears the name of the queue's quota."""
    return PodQueueRequest(naming.own(path), "team", **more)


def wanted(found: Placements, *pods: PodQueueRequest, stored: Any = ()) -> set[Path]:
    there = {naming.own(path): path for path in stored}
    return set(requested_queues.wanted(found, pods, {"team": QueueNamespace("team")}, there.get))


def test_the_queue_of_a_user_is_made_for_its_pod() -> None:
    assert wanted(placements(USERS), pod(ANN, user="ann")) == {ANN}


@pytest.mark.parametrize("user", ["bob", ""])
def test_a_name_that_the_rules_do_not_give_the_pod_makes_nothing(user: str) -> None:
    assert wanted(placements(USERS), pod(ANN, user=user)) == set()


def test_a_name_that_a_user_wrote_by_hand_makes_no_other_queue() -> None:
    big = PodQueueRequest(naming.own(("root", "users", "big")), "team", user="ann")
    odd = PodQueueRequest("root-users-ann", "team", user="ann")
    assert wanted(placements(USERS), big, odd) == set()


def test_a_queue_stays_as_long_as_a_pod_bears_its_name_whatever_the_rules_say() -> None:
    assert wanted(placements(), pod(ANN, user="ann"), stored=[ANN]) == {ANN}
    assert wanted(placements(), stored=[ANN]) == set()


def test_what_is_configured_is_not_asked_for() -> None:
    a = ("root", "a")
    assert wanted(placements(PROVIDED), pod(a, queue="root.a")) == set()


def test_what_is_there_stays_where_two_cannot_be_together() -> None:
    found = placements(PROVIDED)
    flat, deep = ("root", "x"), ("root", "x", "y")
    both = pod(flat, queue="root.x"), pod(deep, queue="root.x.y")
    assert wanted(found, *both, stored=[deep]) == {deep}
    assert wanted(found, *both, stored=[flat]) == {flat}
    assert wanted(found, *both) == wanted(found, *reversed(both)) == {flat}


def test_a_stored_quota_says_which_queue_it_is_and_its_name_proves_it() -> None:
    name = naming.own(ANN)
    assert requested_queues.path_of(name, "yunikorn:root.users.ann") == ANN
    assert requested_queues.path_of(name, "yunikorn:root.users.bob") is None
    assert requested_queues.path_of("root-users-ann", "yunikorn:root.users.ann") is None
    assert requested_queues.path_of(name, "") is None
