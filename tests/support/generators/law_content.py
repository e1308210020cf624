"""What a law is about, and in how many of its examples that occurs.

A law that decides can be true because nothing happens in its examples. So each states in what part
of them its subjects occur, and fails when they are rarer::

    @law_content.about(evictions=1 / 4, gangs=1 / 10)
    @given(worlds())
    def test_no_gang_is_torn_apart(world: World) -> None:

The subjects are read from what ``decide`` returns while an example runs (``seen``). A law whose
subject is not in a decision, such as the refusal of an edit, notes it (``note``). Decisions that a
law only compares with do not count (``aside``).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, Literal, get_args

import pytest

from elasticquota.decisions import decide
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, WorkloadDecisions
from elasticquota.model.profile import Profile


Subject = Literal[
    "releases",
    "waits",
    "evictions",
    "reclaims",
    "preemptions",
    "limits",
    "gangs",
    "jobs",
    "pools",
    "elastic",
    "refusals",
    "reports",
]
"""``reclaims`` are evictions for another quota, ``preemptions`` those for a pod of higher priority,
``limits`` those of what exceeds a max or the nodes. ``gangs`` and ``jobs`` are released or evicted,
``pools`` and ``elastic``: a pod of such a tree is. ``refusals`` are workloads, quotas or edits that
nothing admits as they are, ``reports`` what observe mode says.
"""
SUBJECTS: Final[tuple[Subject, ...]] = get_args(Subject)
_OF_RIGHT: Final[dict[str, Subject]] = {
    "priority": "preemptions",
    "limit": "limits",
}
_REFUSED: Final = frozenset({"ExceedsMax", "NoNodeFits", "QuotaNotAccepted", "ProvisioningRefused"})
_MARK: Final = "about"
_EXPECTED: Final = 5


@dataclass
class Content:
    """The examples of one law so far, and in how many of them each subject occurred."""

    examples: int = 0
    decides: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _now: set[str] = field(default_factory=set)

    @contextmanager
    def example(self) -> Iterator[None]:
        """Count one example; one that ends with an exception, such as a rejected one, is none."""
        self._now.clear()
        yield
        self.examples += 1
        self.counts.update(self._now)

    def note(self, *subjects: str) -> None:
        """Say that these subjects occur in the example that runs."""
        self._now.update(subjects)

    def part(self, subject: str) -> float:
        """In what part of the examples the subject occurred."""
        return self.counts[subject] / self.examples if self.examples else 0.0

    def rare(self, wanted: Mapping[str, float], *, pinned: bool) -> list[str]:
        """A sentence for each subject that occurs in too few examples.

        Where examples are new each time (not ``pinned``), a subject that was expected in five of
        them, or more, occurs at least once: they are not drawn independently of each other.
        """
        found = []
        for subject, part in wanted.items():
            least = part * self.examples
            if not pinned:
                least = int(least >= _EXPECTED)
            if self.counts[subject] < least:
                found.append(
                    f"{subject} occur in {self.counts[subject]} of {self.examples} examples, and "
                    f"should in {part:.0%} of them: change what the law generates or does"
                )
        return found


_watched: list[Content] = []
"""The content of the law that runs; empty while none runs, or while it only compares."""


def about(**parts: float) -> pytest.MarkDecorator:
    """State in what part of its examples each subject of a law occurs at least."""
    if unknown := parts.keys() - set(SUBJECTS):
        raise ValueError(f"no subjects of laws: {', '.join(sorted(unknown))}")
    mark: pytest.MarkDecorator = getattr(pytest.mark, _MARK)
    return mark(**parts)


def note(*subjects: Subject) -> None:
    """Say that these subjects occur in the example that runs."""
    for content in _watched:
        content.note(*subjects)


@contextmanager
def aside() -> Iterator[None]:
    """Decisions in here are no content of the law: it only compares with them."""
    kept = [*_watched]
    _watched.clear()
    try:
        yield
    finally:
        _watched[:] = kept


def seen(ledger: Ledger, decisions: Decisions) -> set[Subject]:
    """The subjects that occur in ``decisions`` about ``ledger``."""
    every: WorkloadDecisions = decisions.of_workloads
    moved = {each.pod for each in every.releases} | {each.pod for each in every.evictions}
    found: set[Subject] = {_OF_RIGHT.get(each.right, "reclaims") for each in every.evictions}
    evicted = (ledger.pods.get(each.pod) for each in every.evictions)
    facts: dict[Subject, bool] = {
        "releases": bool(every.releases),
        "waits": bool(every.waits),
        "evictions": bool(every.evictions),
        "gangs": any(each.gang is not None for each in every.releases)
        or any(pod is not None and pod.group is not None for pod in evicted),
        "jobs": any(key in ledger.jobs for key in moved),
        "pools": bool(moved) and _any(ledger, lambda profile: profile.pools is not None),
        "elastic": bool(moved) and _any(ledger, lambda profile: profile.capacity.elastic),
        "refusals": any(each.reason in _REFUSED for each in (*every.waits, *every.would_wait)),
        "reports": bool(every.would_wait or every.would_evict),
    }
    return found | {subject for subject, holds in facts.items() if holds}


def _any(ledger: Ledger, holds: Callable[[Profile], bool]) -> bool:
    return any(holds(profile) for profile in ledger.profiles.values())


@contextmanager
def watched(law: Any) -> Iterator[Content]:
    """Count the content of a law, a function with ``@given``, while it runs."""
    content = Content()
    handle = law.hypothesis
    inner, original = handle.inner_test, decide.decide

    @wraps(original)
    def watching(ledger: Ledger, *args: Any, **keywords: Any) -> Decisions:
        decisions = original(ledger, *args, **keywords)
        if _watched:
            content.decides = True
            content.note(*seen(ledger, decisions))
        return decisions

    decide.decide = watching
    handle.inner_test = _counted(inner, content)
    _watched.append(content)
    try:
        yield content
    finally:
        _watched.clear()
        handle.inner_test = inner
        decide.decide = original


def _counted(inner: Callable[..., None], content: Content) -> Callable[..., None]:
    @wraps(inner)
    def counted(*args: Any, **keywords: Any) -> None:
        with content.example():
            inner(*args, **keywords)

    return counted


def wanted(item: pytest.Item) -> dict[str, float] | None:
    """The parts that a law states (``about``); None: it states none."""
    mark = item.get_closest_marker(_MARK)
    if mark is None:
        return None
    return {subject: mark.kwargs[subject] for subject in SUBJECTS if subject in mark.kwargs}
