"""The texts of what waits in one tree. Those of a queue are kept as long as its result is."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, count
from operator import is_not

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
        self._queues: Sequence[Queue] = ()
        self._said: list[tuple[Wait, ...]] = []

    def of(
        self, queues: Sequence[Queue], policy: Policy, room: RoomOnItsWay | None = None
    ) -> Iterable[Wait]:
        """The waits of ``queues``; ``room`` is None where no pod is evicted.

        Most queues are those of the last cycle, at the same place.
        """
        before = self._queues
        if len(before) != len(queues):
            known = {id(queue): text for queue, text in zip(before, self._said, strict=True)}
            before = [queue if id(queue) in known else () for queue in queues]
            self._said = [known.get(id(queue), ()) for queue in queues]
        for place in compress(count(), map(is_not, queues, before)):
            self._said[place] = tuple(texts(queues[place], policy, room))
        self._queues = queues
        return chain.from_iterable(self._said)


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
