"""What becomes of new pods, in a sentence or two, as the admission webhook can know it.

It computes the shares as they are once the quota asks for the new pods too, from the figures that
the controller published last. Which pods are ahead of them depends on their priorities, and what is
evicted on all pods, so it says "at most" and "up to". Other quotas are counted and never named: the
user may not be allowed to read them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from elasticquota import names, quantity, resources
from elasticquota.forecast import edit_shares, positions, wording
from elasticquota.forecast.edit_shares import ShareChange
from elasticquota.forecast.edit_summary import MORE, Times
from elasticquota.forest import wording as sentences
from elasticquota.model.quota import Figures, Quota
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.resources import Resources


class ComingPods(NamedTuple):
    """Pods that are all alike, and do not exist yet."""

    request: Resources
    """Of one pod, in accounting units."""
    number: int = 1

    @property
    def title(self) -> str:
        """Who they are, at the start of a sentence."""
        return "The pod" if self.number == 1 else f"The {self.number} pods"


class QueueSummary(NamedTuple):
    """What the status of the quota says about its queue."""

    waiting: int = 0
    """Pods that wait there already."""
    estimate: WaitEstimate | None = None


def of(
    new: ComingPods,
    quota: Quota,
    changes: Sequence[ShareChange],
    published: Mapping[str, Figures],
    queue: QueueSummary,
    times: Times,
    most: Resources,
) -> str:
    """The summary; empty when nothing is published of the quota yet.

    ``changes`` are the shares before and after the request of all new pods
    (``edit_shares.changes_by_request``), ``most`` is the smallest max on the path of the quota.
    """
    for key in resources.exceeding(new.request, most):
        return _never(new, quota, key, most)
    own = {change.key: change for change in changes if change.quota == quota.name}
    figures = published.get(quota.name)
    if figures is None or not own:
        return ""
    asked = edit_shares.asked_by_pods(quota, figures)
    fits = {key: _fitting(new, change, asked) for key, change in own.items()}
    rooms = min(new.number, *fits.values())
    reclaimed = _reclaimed(new, rooms, quota, changes)
    owed = _is_owed(new, rooms, quota, asked, reclaimed)
    if reclaimed and not (owed or times.shares):
        rooms = max(0, min(rooms - -(-most // new.request[key]) for key, most in reclaimed.items()))
        reclaimed = {}
    parts = []
    if rooms:
        room = f"Quota {quota.name} has room for {_which(new, rooms)}"
        how = " now"
        if reclaimed:
            pronoun = "them" if rooms > 1 else "it"
            how = _by_reclaim(reclaimed, quota, changes, times, pronoun, owed=owed)
        parts.append(f"{room}{how}")
    if rooms < new.number:
        short = min(fits, key=lambda key: (fits[key], key))
        parts += _waits(new, rooms, quota, own[short], queue)
    return " ".join(f"{part}." for part in (*parts, MORE)).removesuffix(".")


def paused(new: ComingPods, quota: Quota, *, itself: bool) -> str:
    """The summary for a quota that is paused ``itself``, or by one above it."""
    whose = f"quota {quota.name}" if itself else f"a quota above quota {quota.name}"
    return (
        f"{new.title} would wait: {whose} is paused (spec.paused), so no pod starts in it or below "
        f"it meanwhile. {MORE}"
    )


def _never(new: ComingPods, quota: Quota, key: str, most: Resources) -> str:
    text, limit = quantity.shown, most[key]
    whose = f"quota {quota.name}" if quota.max.get(key) == limit else "a quota above it"
    each = "each " if new.number > 1 else ""
    return (
        f"{new.title} can never start in quota {quota.name}: {each}needs "
        f"{sentences.amount(key, new.request[key])}, and the limit of {whose} is "
        f"{text(key, limit)}. {MORE}"
    )


def lacking(request: Resources, own: Figures) -> Iterator[str]:
    """What there is too little of by the published share, one text for each resource."""
    for key, most in sorted(own.runtime.items()):
        free = max(0, most - own.admitted.get(key, 0))
        if 0 < request.get(key, 0) > free and key != names.PODS:
            text = quantity.shown
            yield (
                f"{sentences.amount(key, request[key])} asked, {text(key, free)} of its share of "
                f"{text(key, most)} left"
            )


def _fitting(new: ComingPods, change: ShareChange, asked: Resources) -> int:
    """How many fit the share, after the pods that ask for it already."""
    before = max(change.held, asked.get(change.key, 0))
    return max(0, change.after - before) // new.request[change.key]


def _reclaimed(
    new: ComingPods, rooms: int, quota: Quota, changes: Sequence[ShareChange]
) -> Mapping[str, int]:
    """By resource, what others hold beyond their share of what the new pods take."""
    found: dict[str, int] = {}
    for change in changes:
        beyond = max(0, change.held - change.after)
        if change.quota != quota.name and beyond:
            most = new.request[change.key] * rooms
            found[change.key] = min(most, found.get(change.key, 0) + beyond)
    return {key: most for key, most in found.items() if most}


def _is_owed(
    new: ComingPods, rooms: int, quota: Quota, asked: Resources, keys: Mapping[str, int]
) -> bool:
    """Whether the quota stays within its min with them, in what is reclaimed."""
    return all(
        asked.get(key, 0) + new.request[key] * rooms <= quota.min.get(key, 0) for key in keys
    )


def _which(new: ComingPods, rooms: int) -> str:
    if rooms < new.number:
        return f"{rooms} of {new.number} pods"
    return "the pod" if new.number == 1 else f"all {new.number} pods"


def _by_reclaim(
    reclaimed: Mapping[str, int],
    quota: Quota,
    changes: Sequence[ShareChange],
    times: Times,
    pronoun: str,
    *,
    owed: bool,
) -> str:
    losers = {
        change.quota
        for change in changes
        if change.key in reclaimed and change.quota != quota.name and change.held > change.after
    }
    amounts = ", ".join(sentences.amount(key, most) for key, most in reclaimed.items())
    right = "guarantee" if owed else "current share"
    others = sentences.counted(len(losers), "other quota")
    when = f"after {wording.duration(times.grace if owed else times.delay)}"
    if times.paused:
        when = "but evictions are paused"
    return (
        f" within its {right}: up to {amounts} may be reclaimed for {pronoun} from {others}, {when}"
    )


def _waits(
    new: ComingPods, rooms: int, quota: Quota, short: ShareChange, queue: QueueSummary
) -> Iterator[str]:
    """What the pods that have no room wait for."""
    key, text = short.key, quantity.shown
    who = "The pod" if new.number == 1 else f"All {new.number} pods"
    others = new.number - rooms
    who = ("The other one" if others == 1 else f"The {others} others") if rooms else who
    each = "each " if new.number - rooms > 1 else ""
    held = text(key, short.held)
    yield (
        f"{who} would wait for quota {quota.name}: {each}needs "
        f"{sentences.amount(key, new.request[key])}; {held} of its share of "
        f"{text(key, short.after)} {'is' if held == '1' else 'are'} "
        f"in use ({sentences.bounds(key, quota.min, quota.max)})"
    )
    place = queue.waiting + 1
    first = " for the first of them" if each else ""
    yield f"Position {place} at most{first}"
    wait_range = positions.of_position(queue.estimate, place) if queue.estimate else None
    if wait_range is not None:
        yield f"Expected to start in {wording.expected(wait_range)}"
