"""Keeps the growth of pods that this replica permitted, until the published figures have it.

Figures are about a second old, and a resizer changes many pods within milliseconds. So each growth
counts for three seconds: a quota has admitted at least what it had before the growth, and the
growth, and all that was permitted since. Once the figures show as much, only they count. Other
replicas know nothing of it; what two replicas permit too much at one time is reclaimed.

The growths of a quota within a quarter of a second are one sum, so the cost of a review does not
depend on how many there were.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from elasticquota import resources
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field, replace


FORGOTTEN_AFTER: Final = 3.0
"""Seconds."""
_TOGETHER: Final = 0.25
"""Seconds whose growths are one sum."""

_Size = tuple[str, frozenset[tuple[str, int]]]
"""A pod at one size: its uid and what it requests. From each size it grows once."""


class _AssumedGrowth(Struct, eq=False):
    """What was permitted in one quota within a quarter of a second."""

    since: float
    before: Figures
    """What was published then."""
    asked: Resources = field(default_factory=lambda: EMPTY)
    firm: Resources = field(default_factory=lambda: EMPTY)
    """The part of pods that may not be reclaimed."""

    def add(self, growth: "_Growth") -> None:
        self.asked = resources.add(self.asked, growth.asked)
        if growth.is_firm:
            self.firm = resources.add(self.firm, growth.asked)

    def subtract(self, growth: "_Growth") -> None:
        self.asked = resources.subtract(self.asked, growth.asked)
        if growth.is_firm:
            self.firm = resources.subtract(self.firm, growth.asked)


class _Growth(Struct, frozen=True):
    since: float
    asked: Resources
    is_firm: bool
    """Of a pod that may not be reclaimed."""
    sums: list[_AssumedGrowth] = field(default_factory=list)
    """Those that it is in, one for each quota on its path."""


class AssumedGrowths:
    """Permitted growths; ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._growths: dict[_Size, _Growth] = {}
        """By pod and size, the oldest first."""
        self._sums: defaultdict[str, deque[_AssumedGrowth]] = defaultdict(deque)
        """By quota, the oldest first."""

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
        self._forget(_size(pod))
        now = self._clock()
        growth = _Growth(now, asked, not pod.preemptible)
        for name in path:
            if name in published:
                sums = self._sums[name]
                if not sums or now - sums[-1].since > _TOGETHER:
                    sums.append(_AssumedGrowth(now, published[name]))
                sums[-1].add(growth)
                growth.sums.append(sums[-1])
        self._growths[_size(pod)] = growth

    def over(self, published: Mapping[str, Figures], pod: Pod) -> dict[str, Figures]:
        """The figures with what others were permitted; not ``pod`` itself, which asks again."""
        oldest = self._clock() - FORGOTTEN_AFTER
        while self._growths and next(iter(self._growths.values())).since <= oldest:
            del self._growths[next(iter(self._growths))]
        self._forget(_size(pod))
        figures = dict(published)
        for name in figures.keys() & self._sums.keys():
            sums, asked, firm = self._sums[name], EMPTY, EMPTY
            while sums and sums[0].since <= oldest:
                sums.popleft()
            for each in reversed(sums):
                asked, firm = resources.add(asked, each.asked), resources.add(firm, each.firm)
                figures[name] = _at_least(figures[name], each.before, asked, firm)
            if not sums:
                del self._sums[name]
        return figures

    def _forget(self, size: _Size) -> None:
        growth = self._growths.pop(size, None)
        if growth is not None:
            for each in growth.sums:
                each.subtract(growth)


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
