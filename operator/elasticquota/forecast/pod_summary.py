"""Whether a new pod would start at once, in a sentence, as the admission webhook can know it.

It compares the request with what the quota and those above it published last. Which pods are ahead
of it depends on their priorities, and what is reclaimed for it on all pods, so neither is
said here. Of the quotas above, only that they lack room is said, without a name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from elasticquota import names, quantity
from elasticquota.forecast import positions, wording
from elasticquota.model.quota import Figures, Quota
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.resources import Resources


_MORE: Final = "More: kubectl elastic-quota plan -f FILE"


def of(
    request: Resources,
    quota: Quota,
    path: Sequence[str],
    published: Mapping[str, Figures],
    waiting: int,
    estimate: WaitEstimate | None,
) -> str:
    """The summary; empty when nothing is published of the quota yet.

    ``path`` are the names from the quota to the root, ``waiting`` is the number of its pods that
    wait.
    """
    own = published.get(quota.name)
    if own is None:
        return ""
    short = list(lacking(request, own))
    above = any(any(lacking(request, published[name])) for name in path[1:] if name in published)
    if not short and not above and not waiting:
        return f"Quota {quota.name} has room for the pod now. {_MORE}"
    parts = [f"The pod would wait in quota {quota.name}"]
    parts += short or (["a quota above it has no room"] if above else [])
    if waiting:
        parts.append(f"{waiting} pod{'s wait' if waiting > 1 else ' waits'} there already")
    if short and _is_owed(request, quota, own):
        parts.append("it is within the guarantee, so pods of other quotas may be evicted for it")
    found = positions.of_position(estimate, waiting + 1) if estimate else None
    if found is not None:
        parts.append(f"behind them it is expected to start in {wording.expected(found)}")
    return f"{'; '.join(parts)}. {_MORE}"


def lacking(request: Resources, own: Figures) -> Iterator[str]:
    """What there is too little of, one text for each resource."""
    for key, most in sorted(own.runtime.items()):
        free = max(0, most - own.admitted.get(key, 0))
        if 0 < request.get(key, 0) > free and key != names.PODS:
            text = quantity.text
            yield (
                f"{text(key, request[key])} {key} asked, {text(key, free)} of its share of "
                f"{text(key, most)} left"
            )


def _is_owed(request: Resources, quota: Quota, own: Figures) -> bool:
    """Whether the quota stays within its min with the pod, in all that it lacks."""
    return all(
        own.admitted.get(key, 0) + request[key] <= quota.min.get(key, 0)
        for key, most in own.runtime.items()
        if own.admitted.get(key, 0) + request.get(key, 0) > most and request.get(key, 0) > 0
    )
