"""Every figure of a ledger's books as plain values, so that two of them can be compared deeply."""

from typing import Any

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.tree_books import TreeBooks


def of(books: ClusterSnapshot) -> dict[str, Any]:
    """All that decisions can read."""
    return {
        "quotas": dict(books.forest.quotas),
        "verdicts": dict(books.forest.verdicts),
        "trees": dict(books.forest.trees),
        "tree_of": dict(books.forest.tree_of),
        "capacities": dict(books.capacities),
        "withheld": set(books.withheld),
        "accounts": {name: _account(found) for name, found in books.accounts.items()},
        "without quota": _account(books.without_quota),
        "user usage": dict(books.user_usage.held),
        "books": {tree_id: _tree(found) for tree_id, found in books.trees.items()},
    }


def _account(account: Account) -> dict[str, Any]:
    return {
        "running": sorted(account.running, key=lambda pod: pod.key),
        "waiting": account.waiting,
        "least_priority": account.least_priority,
        "infeasible_pods": account.infeasible_pods,
        "leaving": account.leaving,
        "used": account.used,
        "admitted": account.admitted,
        "returning": account.returning,
        "stuck": account.stuck,
        "stuck_request": account.stuck_request,
        "non_preemptible": account.non_preemptible,
        "non_preemptible_waiting": account.non_preemptible_waiting,
        "asked_while_waiting": account.asked_while_waiting,
    }


def _tree(books: TreeBooks) -> dict[str, Any]:
    found = books.runtimes
    return {
        "total": books.total,
        "available": books.available,
        "used": books.used,
        "admitted": books.admitted,
        "non_preemptible": books.non_preemptible,
        "non_preemptible_request": books.non_preemptible_request,
        "pods": books.pods,
        "request": {name: found.request(name) for name in books.tree.order},
        "limited": {name: found.limited_request(name) for name in books.tree.order},
        "runtime": {name: found.runtime(name) for name in books.tree.order},
        "own_runtime": {name: found.own_runtime(name) for name in books.tree.order},
        "guaranteed": {name: found.guaranteed(name) for name in books.tree.order[1:]},
    }
