"""All that a ledger publishes: the books of one moment, and the decisions from them.

Nothing is left out that is published or decided, and amounts are compared exactly: a key with 0
differs from no key, because a status must not depend on history. The laws about ledgers read
figures of the product only here.
"""

from typing import Any

import figures
from elasticquota.decisions import decide
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota.scheduling.inputs.policy import Policy


# So few at a time that the rate matters.
POLICY = Policy(evictions_per_second=2)


def decisions(ledger: Ledger, now: int, notes: CycleCache | None = None) -> Decisions:
    return decide.decide(ledger, now, POLICY, notes)


def picture(ledger: Ledger) -> dict[str, Any]:
    """Every figure of the books, what is under way, and the answers of the forest."""
    books = ledger.update(POLICY.accounting)
    forest = books.forest
    known = sorted(forest.quotas)
    return {
        **figures.of(books),
        "under way": [sorted(uids) for uids in (ledger.releasing, ledger.evicting)],
        "paths": {name: forest.path(name) for name in known},
        "descendants": {name: forest.descendants(name) for name in known},
        "leaves": [name for name in known if forest.is_leaf(name)],
        "accepted": [name for name in known if forest.accepted(name)],
        "effective min": {name: dict(forest.effective_min(name)) for name in known},
    }
