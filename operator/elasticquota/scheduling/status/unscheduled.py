"""An admitted pod that no node takes for too long is no request any more, and people are told.

Its gate cannot be put back, so it stays admitted: its quota goes on paying for it, and it may start
at any moment. But what it asks for no longer holds guarantees and shares of its quota against
others (algorithm 6, phantom demand), who may use what nobody uses. It counts again as soon as a
node takes it.
"""

from typing import Final

from elasticquota.forest import wording
from elasticquota.ledger.books import Books
from elasticquota.ledger.usage import Account
from elasticquota.model.decision import Condition, Unscheduled


_SHOWN: Final = 3


def pods(books: Books) -> tuple[Unscheduled, ...]:
    """All such pods, by quota and pod, with what they are told."""
    seconds = books.accounting.unschedulable_timeout // 1000
    return tuple(
        Unscheduled(
            pod.key,
            pod.uid,
            name,
            f"admitted into quota {name}, but no node has taken it for more than {seconds} s: it "
            "stays admitted and is no request any more; see the message of its PodScheduled "
            "condition, or delete it",
        )
        for name in sorted(books.stuck)
        for _, pod in sorted(books.account(name).stuck.items())
    )


def condition(account: Account, books: Books) -> Condition | None:
    """What the quota of ``account`` says of such pods of its own, or None."""
    if not account.stuck:
        return None
    seconds = books.accounting.unschedulable_timeout // 1000
    named = wording.named(sorted(account.stuck), _SHOWN)
    text = f"admitted and no request any more, without a node for more than {seconds} s: {named}"
    return Condition("Unscheduled", True, "NoNodeTakesThem", text)
