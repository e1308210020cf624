"""``--check``: the same pods without and with the quotas, simulated until they are at rest.

Each time from the beginning, so that it does not matter who got in before there were quotas.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from elasticquota_cli import table
from elasticquota_cli.simulate import difference, documents, manifests, show_table, trial
from elasticquota_cli.simulate.difference import Difference
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.trial import Trial
from elasticquota_cli.simulate.world import World


_PRINTED: Final = "what import prints"


class Check(NamedTuple):
    without: Trial
    imported: Trial

    @property
    def difference(self) -> Difference:
        """What the quotas make different."""
        pods = self.imported.world.pods.keys()
        return difference.between(self.without.outcome, self.imported.outcome, pods)

    @property
    def notes(self) -> list[str]:
        """What to tell besides, one sentence each."""
        return [*self.imported.notes, *trial.restless(self.imported.outcome)]


def of(quotas: Sequence[Mapping[str, Any]], files: Sequence[str], given: list[Document]) -> Check:
    """``given`` is there besides what ``files`` hold; raises `Failure`."""
    faults: list[str] = []
    there = [*documents.read(files, faults), *filter(manifests.is_read, given)]
    printed = [
        Document(dict(quota), _PRINTED, number) for number, quota in enumerate(quotas, start=1)
    ]
    without, imported = (
        trial.of(trial.sound(manifests.read(found, faults), faults))
        for found in (there, [*there, *printed])
    )
    return Check(without, imported)


def unread(given: Iterable[Document]) -> list[Document]:
    """Those that have no part in a simulation."""
    return [each for each in given if not manifests.is_read(each)]


def show(found: Check) -> None:
    """Print the figures of the quotas, who waits because of them, and how many pods run."""
    show_table.show_difference(found.difference)
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
