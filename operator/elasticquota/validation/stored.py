"""Rules about stored quotas, as the webhook judges them: what an edit adds.

Such a rule (in ``forest``) yields what is wrong with one quota among others, and the controller
judges by it too. Admission judges the quota after the edit and leaves out what stood before: an old
fault blocks no other edit.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change


StoredRule = Callable[[Quota, Forest], Iterable[Violation]]


def added(rule: StoredRule) -> Callable[[Change, Forest], Iterator[Violation]]:
    """Return the rule about changes that yields what ``rule`` says of the new quota only."""

    @wraps(rule)
    def check(change: Change, forest: Forest) -> Iterator[Violation]:
        if change.new is None:
            return
        before = () if change.old is None else tuple(rule(change.old, forest))
        yield from (each for each in rule(change.new, forest) if each not in before)

    return check
