"""Who may submit to a queue (Y8): those whom its ``submitacl`` or ``adminacl`` lists.

The lists of all queues above count too, so what the root allows is allowed everywhere. For a queue
that does not exist yet, those of the queues above decide. In YuniKorn a queue without any list
takes no application. Here a partition without any list takes all pods: it asks for no control, and
every pod would be refused. Once one list exists, the rule of YuniKorn holds.

The user must be known, so admission checks the lists. Where no webhook sees pods, a configuration
with a queue that not everyone may submit to has a fault, and is not followed.
"""

from collections.abc import Iterable, Iterator, Mapping

from elasticquota.integrations.translation.translation import Path
from elasticquota.model import holder
from elasticquota.model.fault import Fault
from elasticquota.wire.integrations.queue_acls import Acl
from elasticquota.wire.integrations.queues import ConfiguredQueue, Partition


class Acls:
    """The lists of one partition."""

    def __init__(self, queues: Mapping[Path, list[ConfiguredQueue]]) -> None:
        found = {path: tuple(_lists(rivals)) for path, rivals in queues.items()}
        self._lists = found if any(found.values()) else {}

    def allow(self, path: Path, user: str, groups: Iterable[str]) -> bool:
        """Whether the user (empty: not known) may submit to the queue at ``path``.

        The queue need not exist.
        """
        if not self._lists:
            return True
        who = user or holder.UNKNOWN
        groups = tuple(groups)
        return any(
            each.lists(who, groups)
            for depth in range(1, len(path) + 1)
            for each in self._lists.get(path[:depth], ())
        )


def unenforced(partition: Partition) -> Iterator[Fault]:
    """Faults of the lists where pods are not placed by the webhook: one for each restriction."""
    root = partition.root
    if not any(each.everyone for each in _lists([root])):
        yield from _restricted(root)


def _restricted(queue: ConfiguredQueue) -> Iterator[Fault]:
    for where, _ in queue.acls:
        yield Fault(
            where,
            "cannot be enforced with podAdmission policy, because only the webhook knows who "
            "creates a pod; set podAdmission webhook, or let the root have submitacl '*'",
        )
    for child in queue.children:
        yield from _restricted(child)


def _lists(queues: Iterable[ConfiguredQueue]) -> list[Acl]:
    return [acl for queue in queues for _, acl in queue.acls]
