"""Keeps the growth of pods that this replica permitted, until the published figures have it.

Figures are about a second old, and a resizer changes many pods within milliseconds. So each growth
counts for three seconds: a quota has admitted at least what it had before the growth, and the
growth, and all that was permitted since. Once the figures show as much, only they count. Other
replicas know nothing of it; what two replicas permit too much at one time is reclaimed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from elasticquota import resources
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures
from elasticquota.resources import EMPTY, Resources


FORGOTTEN_AFTER: Final = 3.0
"""Seconds."""

_Size = tuple[str, frozenset[tuple[str, int]]]
"""A pod at one size: its uid and what it requests. From each size it grows once."""


@dataclass(frozen=True, slots=True)
class _Growth:
    asked: Resources
    is_firm: bool
    """Of a pod that may not be reclaimed."""
    before: Mapping[str, Figures]
    """What was published then for the quotas on its path, by name."""
    since: float


class AssumedGrowths:
    """Permitted growths in their order; ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._growths: dict[_Size, _Growth] = {}

    def note(
        self,
        pod: Pod,
        asked: Resources,
        path: Iterable[str],
        published: Mapping[str, Figures],
    ) -> None:
        """Remember that ``pod``, at its size of before, was permitted to grow by ``asked``.

        ``published`` are the figures without what is assumed.
        """
        before = {name: published[name] for name in path if name in published}
        key = _size(pod)
        self._growths.pop(key, None)
        self._growths[key] = _Growth(asked, not pod.preemptible, before, self._clock())

    def over(self, published: Mapping[str, Figures], pod: Pod) -> dict[str, Figures]:
        """The figures with what others were permitted; not ``pod`` itself, which asks again."""
        oldest = self._clock() - FORGOTTEN_AFTER
        live = {key: each for key, each in self._growths.items() if each.since > oldest}
        self._growths = live
        found, own, more = dict(published), _size(pod), _Sums()
        for key, growth in reversed(live.items()):
            if key == own:
                continue
            for name, before in growth.before.items():
                if name in found:
                    found[name] = _at_least(found[name], before, *more.add(name, growth))
        return found


class _Sums:
    """What was permitted since, by quota: of all pods, and of those that may not be reclaimed."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[Resources, Resources]] = {}

    def add(self, name: str, growth: _Growth) -> tuple[Resources, Resources]:
        asked, firm = self._of.get(name, (EMPTY, EMPTY))
        sums = (
            resources.add(asked, growth.asked),
            resources.add(firm, growth.asked) if growth.is_firm else firm,
        )
        self._of[name] = sums
        return sums


def _size(pod: Pod) -> _Size:
    return pod.uid, frozenset(pod.request.items())


def _at_least(now: Figures, before: Figures, more: Resources, firm: Resources) -> Figures:
    """The figures of now, or those of before with what was permitted since if they are higher."""
    return replace(
        now,
        used=resources.maximum(now.used, resources.add(before.used, more)),
        request=resources.maximum(now.request, resources.add(before.request, more)),
        admitted=resources.maximum(now.admitted, resources.add(before.admitted, more)),
        non_preemptible=resources.maximum(
            now.non_preemptible, resources.add(before.non_preemptible, firm)
        ),
    )
