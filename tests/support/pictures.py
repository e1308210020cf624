"""All that a ledger makes known: the books of one moment, and what would be decided upon them.

Nothing is left out that is published or decided upon, and amounts are compared as they are: a key
with 0 is not the same as no key, because a status must not tell what happened before. The laws
about ledgers ask the product for figures only here.
"""

from collections.abc import Iterable
from typing import Any

from elasticquota.enforcement import decide
from elasticquota.enforcement.policy import Policy
from elasticquota.ledger import books
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions


# So few at a time that evictions under way count.
POLICY = Policy(max_in_flight=3)


def decisions(ledger: Ledger, now: int) -> Decisions:
    return decide.decide(ledger, now, POLICY)


_OF_ACCOUNT = (
    *("running", "waiting", "misfits", "leaving", "withheld", "gated"),
    *("request", "used", "admitted", "returning", "non_preemptible", "held"),
)
_UNDER_WAY = ("releasing", "evicting", "withheld")
_OF_TREE = ("total", "available", "request", "used", "admitted")


def picture(ledger: Ledger) -> dict[str, Any]:
    """Every figure of the books, and what is under way, in plain values that show what differs."""
    found = books.balance(ledger, POLICY.system_namespaces)
    forest = found.forest
    known = sorted(forest.quotas)
    return {
        "verdicts": {str(key): verdict for key, verdict in forest.verdicts.items()},
        "under way": _fields(ledger, _UNDER_WAY),
        "quotas": dict(forest.quotas),
        "tree of": dict(forest.tree_of),
        "paths": {name: forest.path(name) for name in known},
        "descendants": {name: forest.descendants(name) for name in known},
        "leaves": [name for name in known if forest.is_leaf(name)],
        "accepted": [name for name in known if forest.accepted(name)],
        "effective min": {name: dict(forest.effective_min(name)) for name in known},
        "capacities": dict(found.capacities),
        "accounts": {name: _fields(found.account(name), _OF_ACCOUNT) for name in known},
        "trees": {
            tree_id: {
                "root": one.tree.root,
                "order": one.tree.order,
                "children": dict(one.tree.children),
                **_fields(one, _OF_TREE),
                "runtime": dict(one.runtimes.quota),
                "own runtime": dict(one.runtimes.own),
            }
            for tree_id, one in found.trees.items()
        },
    }


def _fields(value: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}
