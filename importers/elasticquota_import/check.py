"""``--check``: simulates the same pods without and with the quotas, each until it settles.

Both simulations start from the beginning, so it does not matter which pods ran before.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.printers import table
from elasticquota_cli.simulate import difference, documents, manifests, show_table, trial
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.report import Difference
from elasticquota_cli.simulate.trial import Trial
from elasticquota_cli.simulate.world import World
from elasticquota_import import pod_queues
from elasticquota_import.pod_queues import PodQueues


_PRINTED: Final = "what import prints"


class ImportCheck(NamedTuple):
    """The results of the two simulations."""

    without: Trial
    imported: Trial
    of_pods: tuple[str, ...] = ()
    """Notes about the pods."""

    @property
    def difference(self) -> Difference:
        """The difference that the quotas make."""
        pods = self.imported.world.pods.keys()
        return difference.between(self.without.outcome, self.imported.outcome, pods)

    @property
    def notes(self) -> list[str]:
        """Notes for the user, one sentence each."""
        return [*self.of_pods, *self.imported.notes, *trial.unsettled(self.imported.outcome)]


def of(
    quotas: Sequence[Mapping[str, Any]],
    files: Sequence[str],
    given: list[Document],
    queues: PodQueues | None = None,
) -> ImportCheck:
    """Simulate ``files`` and ``given``, without and with the quotas; raises `Failure`.

    With the quotas, pods that name one of ``queues`` belong to its quota.
    """
    faults: list[InputFault] = []
    of_pods: list[str] = []
    there = [*documents.read(files, faults), *filter(manifests.is_read, given)]
    if queues is not None:
        there = pod_queues.started(there, queues)
    moved = there if queues is None else pod_queues.labeled(there, queues, of_pods)
    printed = [
        Document(dict(quota), _PRINTED, number) for number, quota in enumerate(quotas, start=1)
    ]
    without, imported = (
        trial.of(trial.sound(manifests.read(objects, faults), faults))
        for objects in (there, [*moved, *printed])
    )
    return ImportCheck(without, imported, tuple(of_pods))


def unread(given: Iterable[Document]) -> list[Document]:
    """The documents that have no part in a simulation."""
    return [each for each in given if not manifests.is_read(each)]


def show(found: ImportCheck) -> None:
    """Print the figures of the quotas, which pods wait because of them, and how many run."""
    show_table.show(found.difference)
    print()
    table.show(
        ("PODS", "RUN", "WAIT"),
        [
            table.Line(("without these quotas", *_counts(found.without.world))),
            table.Line(("with them", *_counts(found.imported.world))),
        ],
    )


def _counts(world: World) -> tuple[str, str]:
    waiting = sum(pod.gated for pod in world.pods.values())
    return str(len(world.pods) - waiting), str(waiting)
