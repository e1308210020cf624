"""The texts of what waits in one tree. Those of a queue are kept as long as its result is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from elasticquota.model import workload
from elasticquota.model.decision import Wait
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.reasons import Waiting
from elasticquota.status import messages, pod_messages
from elasticquota.status.messages import Message
from elasticquota.status.pod_messages import Position
from elasticquota.status.room_on_its_way import RoomOnItsWay


class WaitTexts:
    """Mutable; call ``of`` once in each cycle."""

    def __init__(self) -> None:
        self._order: Sequence[str] = ()
        self._said: dict[str, tuple[Wait, ...]] = {}

    def of(
        self,
        order: Sequence[str],
        queues: Mapping[str, Iterable[Waiting]],
        policy: Policy,
        room: RoomOnItsWay | None = None,
    ) -> Iterable[Wait]:
        """The waits of a tree; ``order`` has all its queues, ``queues`` those with new waits.

        ``room`` is None where no pod is evicted.
        """
        for name, queue in queues.items():
            self._said[name] = tuple(texts(queue, policy, room))
        if order is not self._order:
            self._said = {name: self._said[name] for name in order}
            self._order = order
        return chain.from_iterable(self._said.values())


def texts(
    queue: Iterable[Waiting], policy: Policy, room: RoomOnItsWay | None = None
) -> Iterator[Wait]:
    """One wait for each pod, and each job, of what waits."""
    said: dict[int, Message] = {}
    for waiting in queue:
        message = said.get(id(waiting.why))
        if message is None:
            message = said[id(waiting.why)] = messages.of(waiting.why)
        if room is not None:
            message = room.added(waiting, message)
        for one in workload.counted(waiting.workload):
            yield pod_messages.wait(
                one,
                waiting.quota,
                message,
                Position(waiting.place, waiting.length),
                exceed_dimensions=policy.exceed_dimensions and waiting.place > 0,
            )
