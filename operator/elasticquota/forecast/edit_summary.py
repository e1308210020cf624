"""The effect of an edit of a quota in a sentence, as the admission webhook can know it.

It says only what follows from the quotas and their published figures: how the share of the quota
changes, that its pods exceed a lowered max, and how much may be reclaimed from whom. Which pods
those are takes a simulation with all pods, which is what ``plan`` of the command line does. Other
quotas are counted and never named: the user may not be allowed to read them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from elasticquota import names, quantity
from elasticquota.forecast import wording
from elasticquota.forecast.edit_shares import ShareChange
from elasticquota.forest import wording as sentences
from elasticquota.model.quota import NOT_EVER, Figures, Quota


MORE: Final = "More: kubectl elastic-quota plan -f FILE"
_amount: Final = sentences.amount
_NOTHING: Final = Figures()


class Times(NamedTuple):
    """When evictions begin, in milliseconds."""

    grace: int
    """For a quota whose pods wait within its min."""
    delay: int
    """For a fair share, and for what is beyond a limit."""
    shares: bool = True
    """Whether pods are evicted for a fair share."""
    paused: bool = False
    """Nothing is evicted for now."""


def of(
    old: Quota,
    new: Quota,
    changes: Sequence[ShareChange],
    published: Mapping[str, Figures],
    times: Times,
) -> str:
    """The summary, or an empty text when there is nothing to say."""
    parts = [*_beyond_max(old, new, published, times), *_shares(new, changes, published, times)]
    if not parts:
        return ""
    if times.paused:
        parts.append("evictions are paused")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}. {MORE}"


def of_observing(waiting: int) -> str:
    """What a tree does that begins to observe while so many of its pods wait; empty for none."""
    if not waiting:
        return ""
    return (
        f"{sentences.counted(waiting, 'pod')} of the tree that {sentences.agreed(waiting, 'wait')} "
        "now will be released at once, whatever the quotas say, and no pod is evicted for others "
        "while the tree observes"
    )


def _beyond_max(
    old: Quota, new: Quota, published: Mapping[str, Figures], times: Times
) -> Iterator[str]:
    """What its pods hold beyond a max that was lowered."""
    held = published.get(new.name, _NOTHING).admitted
    delay = times.delay if new.over_max_delay is None else new.over_max_delay
    for key, most in sorted(new.max.items()):
        before = old.max.get(key)
        over = held.get(key, 0) - most
        if over <= 0 or (before is not None and before <= most) or key == names.PODS:
            continue
        text = f"pods of {new.name} hold {_amount(key, held[key])}, beyond the new max"
        if delay == NOT_EVER:
            yield f"{text}; none is evicted for that"
        else:
            yield (
                f"{text}: pods with at least {_amount(key, over)} would be evicted after "
                f"{wording.duration(delay)}"
            )


def _shares(
    new: Quota, changes: Sequence[ShareChange], published: Mapping[str, Figures], times: Times
) -> Iterator[str]:
    own = {each.key: each for each in changes if each.quota == new.name}
    for key, change in sorted(own.items()):
        grows = change.after > change.before
        yield (
            f"the share of {new.name} {'grows' if grows else 'falls'} from "
            f"{quantity.shown(key, change.before)} to {_amount(key, change.after)}"
        )
        others = [each for each in changes if each.key == key and each.quota != new.name]
        if grows:
            yield from _reclaimed(new, change, others, published, times)
        elif change.newly_beyond and change.after < new.max.get(key, change.held):
            gained = sum(each.gains for each in others)
            most = min(change.newly_beyond, gained)
            if most:
                yield (
                    f"up to {_amount(key, most)} may be reclaimed from its pods for others that "
                    f"wait, within {wording.duration(max(times.grace, times.delay))}"
                )


def _reclaimed(
    new: Quota,
    change: ShareChange,
    others: Sequence[ShareChange],
    published: Mapping[str, Figures],
    times: Times,
) -> Iterator[str]:
    """What may be reclaimed from others for waiting pods of the quota."""
    losing = [each for each in others if each.newly_beyond > 0]
    owed = max(0, min(change.gains, new.min.get(change.key, 0) - change.held))
    gains = change.gains if times.shares else owed
    most = min(gains, sum(each.newly_beyond for each in losing))
    if not most:
        return
    pods = sum(published[each.quota].admitted.get(names.PODS, 0) for each in losing)
    within = wording.duration(times.grace if most <= owed else times.delay)
    quotas = sentences.counted(len(losing), "other quota")
    yield (
        f"up to {_amount(change.key, most)} may be reclaimed for its waiting pods from "
        f"{quotas} with {sentences.counted(pods, 'pod')}, within {within}"
    )
