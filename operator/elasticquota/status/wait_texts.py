"""The texts of what waits in one tree. Those of a queue are kept as long as its result is."""

from collections.abc import Iterable, Iterator

from elasticquota.model import workload
from elasticquota.model.decision import Wait
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.reasons import Waiting
from elasticquota.status import messages, pod_messages
from elasticquota.status.messages import Message
from elasticquota.status.pod_messages import Position
from elasticquota.status.room_on_its_way import RoomOnItsWay


Queue = tuple[Waiting, ...]


class WaitTexts:
    """Mutable; call ``of`` once in each cycle."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Queue, tuple[Wait, ...]]] = {}
        """By identity: a queue is a value that is either kept or made again."""

    def of(
        self, queues: Iterable[Queue], policy: Policy, room: RoomOnItsWay | None = None
    ) -> Iterator[Wait]:
        """The waits of ``queues``; ``room`` is None where no pod is evicted."""
        before, self._known = self._known, {}
        for queue in queues:
            if queue:
                found = before.get(id(queue))
                if found is None:
                    found = queue, tuple(texts(queue, policy, room))
                self._known[id(queue)] = found
                yield from found[1]


def texts(
    queue: Iterable[Waiting], policy: Policy, room: RoomOnItsWay | None = None
) -> Iterator[Wait]:
    """One wait for each pod, and each job, of what waits."""
    said: dict[int, Message] = {}
    for found in queue:
        message = said.get(id(found.why))
        if message is None:
            message = said[id(found.why)] = messages.of(found.why)
        if room is not None:
            message = room.added(found, message)
        for one in workload.counted(found.workload):
            yield pod_messages.wait(
                one,
                found.quota,
                message,
                Position(found.place, found.length),
                exceed_dimensions=policy.exceed_dimensions and found.place > 0,
            )
