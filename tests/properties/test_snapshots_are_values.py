"""Law: a snapshot of the ledger is a value: no later event and no later update changes a figure.

The figures of every snapshot of a history are read when it is made, and once more at the end.
"""

import pytest
from hypothesis import given

import effort
import figures
import histories
import law_breaks
import law_content
from elasticquota.copy_on_write import CopyOnWrite, CopyOnWriteByKey
from elasticquota.ledger.pods.pod_accounting import PodAccounting
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.pods.user_usage import SubjectUsage
from elasticquota.sharing.solver import ResourceSolver
from ledger_snapshots import POLICY
from replay import Event, Replay


def snapshots_stay(history: list[list[Event]]) -> None:
    replay = Replay()
    kept = []
    for moment in [histories.beginning(), *history, histories.end()]:
        for event in moment:
            replay.tell(event)
        snapshot = replay.live.update(POLICY.accounting)
        kept.append((snapshot, figures.of(snapshot)))
    for snapshot, then in kept:
        assert figures.of(snapshot) == then


@law_content.about(evictions=1 / 13, pools=1 / 8)
@effort.one_in(3)
@given(histories.histories())
def test_a_snapshot_equals_itself_after_any_history(history: list[list[Event]]) -> None:
    snapshots_stay(history)


def _in_place(self: CopyOnWrite[dict[str, int]]) -> dict[str, int]:
    return self.now


def _same(self: object) -> object:
    return self


@pytest.mark.parametrize(
    ("kind", "name", "instead"),
    [
        (CopyOnWrite, "opened", _in_place),
        (CopyOnWriteByKey, "taken", lambda self: self._now),
        (Account, "copy", _same),
        (Account, "_changed_running", lambda self: self._running),
        (SubjectUsage, "copy", _same),
        (ResourceSolver, "taken", _same),
        (PodAccounting, "taken_accounts", lambda self: self.accounts.taken()),
    ],
)
def test_the_law_notices_what_is_changed_in_place(
    kind: type, name: str, instead: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    @given(histories.histories())
    def law(history: list[list[Event]]) -> None:
        snapshots_stay(history)

    monkeypatch.setattr(kind, name, instead)
    assert law_breaks.notices(law, monkeypatch)
