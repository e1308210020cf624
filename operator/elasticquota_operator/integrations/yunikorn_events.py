"""Events say what became of YuniKorn's ConfigMap and of annotated namespaces.

Each sentence once, as long as it holds; the next leader repeats what holds then.
"""

from collections.abc import Callable

from elasticquota.integrations.yunikorn.notices import Note
from elasticquota_kube.events import Recorder
from elasticquota_operator.integrations.yunikorn_source import YuniKornSource


class QueueEvents:
    """``apply()`` in each cycle; ``taken`` are names of quotas that other objects have."""

    def __init__(
        self, source: YuniKornSource, taken: Callable[[], tuple[str, ...]], recorder: Recorder
    ) -> None:
        self._source = source
        self._taken = taken
        self._recorder = recorder
        self._told: frozenset[Note] = frozenset()

    def apply(self) -> None:
        notes = self._source.notes(self._taken())
        for note in notes:
            regarding = None if note in self._told else self._source.about(note)
            if regarding is not None:
                self._recorder.record(
                    regarding,
                    note.reason,
                    note.text,
                    action="Follow",
                    type="Warning" if note.is_warning else "Normal",
                )
        self._told = frozenset(notes)
