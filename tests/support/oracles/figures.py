"""Every figure of a snapshot as plain values, so that two of them can be compared deeply.

All containers are copied, so that what changes later does not show here.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.pods.user_usage import SubjectUsage
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.structs import field_names


_NO_FIGURES = {
    *("generation", "time", "accounting", "forest", "members"),
    *("index", "trees", "user_usage"),
}
"""Fields without figures, or with figures of their own here."""


def of(books: ClusterSnapshot) -> dict[str, Any]:
    """All that decisions can read, but for what they search by the index."""
    figures = [name for name in field_names(ClusterSnapshot) if name not in _NO_FIGURES]
    return {
        "quotas": dict(books.forest.quotas),
        "verdicts": dict(books.forest.verdicts),
        "trees of the forest": dict(books.forest.trees),
        "tree_of": dict(books.forest.tree_of),
        "user usage": _plain(books.user_usage.held),
        "books": {tree_id: _tree(found) for tree_id, found in books.trees.items()},
        **{name: _plain(getattr(books, name)) for name in figures},
    }


def _plain(value: Any) -> Any:
    match value:
        case Account():
            return _account(value)
        case SubjectUsage():
            return (dict(value.amounts), dict(value.applications))
        case Mapping():
            return {key: _plain(found) for key, found in value.items()}
        case AbstractSet():
            return set(value)
        case list():
            return [_plain(each) for each in value]
        case _:
            return value


def _account(account: Account) -> dict[str, Any]:
    figures = {
        "running": sorted(account.running, key=lambda pod: pod.key),
        "waiting": account.waiting,
        "least_priority": account.least_priority,
        "least_requests": account.least_requests,
        "infeasible_pods": account.infeasible_pods,
        "leaving": account.leaving,
        "late": account.late,
        "jobs": account.jobs,
        "used": account.used,
        "admitted": account.admitted,
        "returning": account.returning,
        "stuck": account.stuck,
        "stuck_request": account.stuck_request,
        "non_preemptible": account.non_preemptible,
        "non_preemptible_waiting": account.non_preemptible_waiting,
        "asked_while_waiting": account.asked_while_waiting,
    }
    return {name: _plain(found) for name, found in figures.items()}


def _tree(books: TreeBooks) -> dict[str, Any]:
    found, external = books.runtimes, books.external_pods
    figures = {
        "total": books.total,
        "available": books.available,
        "within_reach": books.within_reach,
        "external": external.held,
        "evictable": external.evictable,
        "reclaimable": external.reclaimable,
        "returning": external.returning,
        "timed_out": books.timed_out,
        "used": books.used,
        "admitted": books.admitted,
        "non_preemptible": books.non_preemptible,
        "non_preemptible_request": books.non_preemptible_request,
        "pods": books.pods,
        "request": {name: found.request(name) for name in books.tree.order},
        "child_request": {name: found.child_request(name, {}) for name in books.tree.order},
        "limited": {name: found.limited_request(name) for name in books.tree.order},
        "runtime": {name: found.runtime(name) for name in books.tree.order},
        "own_runtime": {name: found.own_runtime(name) for name in books.tree.order},
        "guaranteed": {name: found.guaranteed(name) for name in books.tree.order[1:]},
    }
    return {name: _plain(each) for name, each in figures.items()}
