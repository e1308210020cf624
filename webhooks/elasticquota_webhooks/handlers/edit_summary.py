"""Sums up, as a warning, what an edit does; ``forecast.edit_summary`` has the sentences.

Nothing is refused and no API call is made. Webhook down: the edit waits for the webhook in any
case, and ``plan`` of the command line says more. Stale cache: the figures are about a second old,
and the sentence is about the moment that they show. Races: two edits at the same time are each
summed up without the other.
"""

from collections.abc import Callable
from typing import ParamSpec

import structlog

from elasticquota import names
from elasticquota.forecast import edit_shares, edit_summary
from elasticquota.forecast.edit_summary import Times
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange
from elasticquota_webhooks.cache.published import Published, stored_as


P = ParamSpec("P")

log = structlog.get_logger(__name__)


def of(change: Change, forest: Forest, published: Published, policy: Policy) -> tuple[str, ...]:
    """The warnings about ``change``.

    None where nothing is evicted, no share changes and no tree begins to observe.
    """
    return _unless_it_fails(_of, change, forest, published, policy)


def of_profile(change: ProfileChange, forest: Forest, published: Published) -> tuple[str, ...]:
    """The warning about ``change``, which has its tree observe while pods wait."""
    return _unless_it_fails(_of_profile, change, forest, published)


def times(quota: Quota, tree: str, policy: Policy) -> Times:
    """When evictions for ``quota``, in the tree with this id, begin."""
    shares = policy.shares(tree, quota.kept_for)
    return Times(policy.grace_of(quota), policy.delay, shares, policy.paused)


def _unless_it_fails(
    said: Callable[P, tuple[str, ...]], *args: P.args, **kwargs: P.kwargs
) -> tuple[str, ...]:
    try:
        return said(*args, **kwargs)
    except Exception as error:
        # The edit was allowed: a fault in a warning about it must not refuse it.
        log.exception("an edit could not be summed up", error=type(error).__name__)
        return ()


def _of(change: Change, forest: Forest, published: Published, policy: Policy) -> tuple[str, ...]:
    old, new = change.old, change.new
    if old is None or new is None:
        return ()
    if old.observes != new.observes and (
        starts := _of_mode(old.name, new.observes, forest, published)
    ):
        return starts  # and nothing is evicted
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
    begins = times(new, forest.tree_of.get(old.name, ""), policy)
    text = edit_summary.of(old, new, shares, figures, begins)
    return (text,) if text else ()


def _of_profile(change: ProfileChange, forest: Forest, published: Published) -> tuple[str, ...]:
    old, new = change.old, change.new
    root = forest.quotas.get(new.quota_name)
    if old is None or old.observes == new.observes or root is None or root.profile_key != new.key:
        return ()
    return _of_mode(root.name, new.observes, forest, published)


def _of_mode(
    name: str, observes: bool | None, forest: Forest, published: Published
) -> tuple[str, ...]:
    """What the mode that is written on the root quota ``name`` changes."""
    tree = forest.trees.get(forest.tree_of.get(name, ""))
    if tree is None or tree.root != name or forest.observes(name):
        return ()
    by_default = forest.terms.observes
    if name == names.ROOT_QUOTA:
        by_default = forest.terms.default_tree_observes
    if not (by_default if observes is None else observes):
        return ()
    waiting, _ = published.waits(stored_as(forest.quotas[name], forest))
    text = edit_summary.of_observing(waiting)
    return (text,) if text else ()
