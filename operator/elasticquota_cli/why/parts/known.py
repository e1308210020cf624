"""What is known of the objects that a question may be about, computed or published."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from elasticquota.model.key import Key
from elasticquota.model.owner import Owner as Controller
from elasticquota.model.pod import Pod
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields
from elasticquota.wire.quota import wait_estimates
from elasticquota_cli.simulate.submitted import SubmittedOwner
from elasticquota_cli.why.parts import report


class Explained(NamedTuple):
    """What is known of a pod, or job, and notes on it."""

    pod: report.PodAnswer
    notes: Sequence[str] = ()


class Seen(NamedTuple):
    """A pod that counts, and its workload."""

    pod: Pod
    owner: SubmittedOwner | None
    place: int
    """Position in its queue, from 1; 0: it is in none, or the position is not known."""
    controller: Controller | None = None
    """As its reference says; None: none, or it is of a file."""
    above: Sequence[Controller] = ()
    """The owners above its controller, as far as they were looked for."""

    def belongs_to(self, kind: str, name: str) -> Iterator[str]:
        """The kinds of its owners of this name; ``kind`` in small letters, or empty for any."""
        owners = (self.owner, self.controller, *self.above)
        for each in owners:
            if each and each.name == name and kind in ("", each.kind.lower()):
                yield each.kind


class KnownJob(NamedTuple):
    """A job that is queued as a whole."""

    kind: str
    key: Key
    place: Key
    """What ``Known.explain`` takes for it."""


class Known(Struct, frozen=True):
    """What is known."""

    basis: report.Basis
    pods: Sequence[Seen]
    """The pods of one namespace that count."""
    explain: Callable[[Key], Explained]
    """Raises ``Failure`` for a pod that does not exist."""
    quota: Callable[[Key], tuple[report.QuotaAnswer, Sequence[str]]]
    """Raises ``Failure`` for a quota that does not exist; a key may lack the namespace."""
    past: Collection[Key] = ()
    """Pods that no longer count."""
    jobs: Sequence[KnownJob] = ()
    estimates: Mapping[str, WaitEstimate] = {}
    """By quota name, of those that publish one."""
    is_live: bool = False
    """Whether it is of a cluster, so that times of creation are true."""

    def knows(self, kind: str, key: Key) -> bool:
        """Whether there is such a pod, or a pod of such a workload, or such a queued job."""
        if kind in ("", "pod") and (
            key in self.past or any(each.pod.key == key for each in self.pods)
        ):
            return True
        return bool(self.queued(kind, key)) or any(
            any(each.belongs_to(kind, key.name)) for each in self.pods
        )

    def queued(self, kind: str, key: Key) -> list[KnownJob]:
        """The queued jobs of this name; of kind ``job`` also those of other kinds, if there is no
        Job.
        """
        named = [each for each in self.jobs if each.key == key]
        exact = [each for each in named if kind in ("", each.kind.lower())]
        return named if kind == "job" and not exact else exact


def estimates(quotas: Sequence[Mapping[str, Any]]) -> dict[str, WaitEstimate]:
    """The wait estimates in the statuses of stored quotas, by the name of the quota."""
    found: dict[str, WaitEstimate] = {}
    for each in quotas:
        status = fields.mapping(each.get("status"), "status", [])
        estimate = wait_estimates.read_estimate(status)
        name = fields.mapping(each.get("metadata"), "metadata", []).get("name")
        if estimate is not None and isinstance(name, str):
            found[name] = estimate
    return found
