"""Queues that pods ask for follow the nearest template, and change no other queue (Y11, Y15)."""

from collections.abc import Collection
from typing import Any

import translations
from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Path, Translation
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.model.limit import QuotaLimits
from elasticquota.wire.integrations import queue_namespaces, queues


ANN = ("root", "users", "ann")
TEMPLATE = {"resources": {"guaranteed": {"vcore": 1}, "max": {"vcore": 2}}, "maxapplications": 3}
TAG = {"name": "tag", "value": "namespace", "create": True}
USERS = {"name": "users", "parent": True, "childtemplate": TEMPLATE}


def translated(*found: Any, asked: Collection[Path] = (), spaces: Collection[str] = ()) -> Any:
    root = {"name": "root", "queues": list(found)}
    document = {"partitions": [{"queues": [root], "placementrules": [TAG]}]}
    there = [queue_namespaces.QueueNamespace(name) for name in spaces]
    return yunikorn_queues.translate(
        queues.read(document), there, "operator", every=True, asked=asked
    )


def by_path(found: Translation) -> dict[str, Any]:
    """The quotas by the path of their queue."""
    return {found.origins[quota.name].partition(":")[2]: quota for quota in found.quotas}


def test_it_has_what_the_nearest_template_says() -> None:
    quota = by_path(translated(USERS, asked=[ANN]))["root.users.ann"]
    assert (quota.min, quota.max) == ({"cpu": 1000}, {"cpu": 2000})
    assert quota.limits == QuotaLimits(3)
    assert quota.parent == "root-users"
    assert (quota.is_parent, quota.namespaces) == (False, ())
    assert quota.name == naming.own(ANN)


def test_parents_are_made_with_it() -> None:
    deep = ("root", "x", "y", "z")
    found = by_path(translated(asked=[deep]))
    assert set(found) == {"root.x", "root.x.y", "root.x.y.z"}
    assert [quota.is_parent for quota in found.values()] == [True, True, False]
    assert found["root.x.y.z"].parent == found["root.x.y"].name == naming.own(deep[:-1])
    assert found["root.x.y.z"].max == {}


def test_it_is_not_made_below_a_queue_that_holds_pods() -> None:
    asked = [("root", "a", "b"), ("root", "team", "ann")]
    found = by_path(translated({"name": "a"}, asked=asked, spaces=["team"]))
    assert set(found) == {"root.a", "root.team"}


def test_a_request_changes_no_other_quotas_name() -> None:
    asked = [("root", "a", "b"), ("root", "team", "x"), ("root", "c", "d")]
    others = translated({"name": "a-b"}, spaces=["team-x", "c-d"])
    found = translated({"name": "a-b"}, asked=asked, spaces=["team-x", "c-d"])
    assert {quota.name for quota in others.quotas} == {"root-a-b", "root-team-x", "root-c-d"}
    assert [quota for quota in found.quotas if quota in others.quotas] == [*others.quotas]


def test_who_is_called_as_a_queue_that_is_asked_for_gives_way() -> None:
    rival = naming.own(ANN).removeprefix("root-")
    found = by_path(translated(USERS, asked=[ANN], spaces=[rival]))
    assert found["root.users.ann"].name == naming.own(ANN)
    assert found[f"root.{rival}"].name == naming.own(("root", rival))


def test_what_comes_to_be_configured_keeps_its_name_while_pods_ask_for_it() -> None:
    configured = {"name": "users", "queues": [{"name": "ann", "resources": {"max": {"vcore": 9}}}]}
    found = by_path(translated(configured, asked=[ANN]))["root.users.ann"]
    assert (found.name, found.max) == (naming.own(ANN), {"cpu": 9000})
    assert by_path(translated(configured))["root.users.ann"].name == "root-users-ann"


def test_so_does_what_comes_to_be_the_queue_of_a_namespace() -> None:
    team = ("root", "team")
    found = by_path(translated(asked=[team], spaces=["team"]))["root.team"]
    assert (found.name, found.namespaces) == (naming.own(team), ("team",))


def test_what_is_asked_for_is_accepted_beside_all_others() -> None:
    found = translated(USERS, {"name": "a"}, asked=[ANN, ("root", "x", "y")], spaces=["team"])
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []
