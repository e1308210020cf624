"""Sums up, as a warning, what an edit of a quota does; ``forecast.edit_summary`` has the sentence.

Nothing is refused and no API call is made. Webhook down: the edit waits for the webhook in any
case, and ``plan`` of the command line says more. Stale cache: the figures are about a second old,
and the sentence is about the moment that they show. Races: two edits at the same time are each
summed up without the other.
"""

import structlog

from elasticquota import names
from elasticquota.forecast import edit_shares, edit_summary
from elasticquota.forecast.edit_summary import Times
from elasticquota.forest.structure import Forest
from elasticquota.scheduling.policy import Policy
from elasticquota.validation.change import Change
from elasticquota_webhooks.cache.published import Published, stored_as


log = structlog.get_logger(__name__)


def of(change: Change, forest: Forest, published: Published, policy: Policy) -> tuple[str, ...]:
    """The warning about ``change``; none where nothing is evicted and no share changes."""
    try:
        return _of(change, forest, published, policy)
    except Exception as error:
        # The edit was allowed: a fault in a warning about it must not refuse it.
        log.exception("an edit could not be summed up", error=type(error).__name__)
        return ()


def _of(change: Change, forest: Forest, published: Published, policy: Policy) -> tuple[str, ...]:
    old, new = change.old, change.new
    if old is None or new is None:
        return ()
    keys = edit_shares.keys(old, new)
    if not keys or forest.observes(old.name):
        return ()
    quotas = edit_shares.concerned(old, new, forest)
    asked = [
        stored_as(forest.quotas[name], forest)
        for name in quotas or (old.name,)
        if name in forest.quotas
    ]
    figures = published.of_keys(asked, {*keys, names.PODS})
    shares = edit_shares.changes(old, new, forest, figures) if quotas else ()
    grace = policy.grace if new.reclaim_grace is None else new.reclaim_grace
    shares_fairly = policy.shares(forest.tree_of.get(old.name, ""), new.kept_for)
    times = Times(grace, policy.delay, shares_fairly, policy.paused)
    text = edit_summary.of(old, new, shares, figures, times)
    return (text,) if text else ()
