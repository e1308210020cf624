"""The devices of a simulated cluster: claims of pods, and what the nodes offer."""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota.devices.tracker import DeviceTracker
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import ClaimTemplate, DeviceClaim, DeviceClass
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.workload import QueuedJob
from elasticquota_cel.selectors import DeviceSelectors
from elasticquota_cli.simulate.objects import DeviceObject


KINDS: Final = ("DeviceClass", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate")


class Devices:
    """Passes pods and nodes on to the ledger, with their devices."""

    def __init__(self, ledger: Ledger) -> None:
        self._tracker = DeviceTracker(ledger, DeviceSelectors().matches)
        self.pods: Mapping[Key, Pod] = _Written(self._tracker, ledger)
        """The pods as they were written."""

    def put_pod(self, pod: Pod) -> None:
        self._tracker.pods.upsert_pod(pod)
        self._tracker.flush()

    def remove_pod(self, key: Key) -> None:
        self._tracker.pods.delete_pod(key)
        self._tracker.flush()

    def job(self, key: Key) -> QueuedJob | None:
        """Return a job as it was written; None: there is none."""
        return self._tracker.jobs.job(key)

    def put_job(self, job: QueuedJob) -> None:
        self._tracker.jobs.upsert_job(job)

    def put_node(self, node: Node) -> None:
        self._tracker.nodes.upsert_node(node)
        self._tracker.flush()

    def remove_node(self, name: str) -> None:
        self._tracker.nodes.delete_node(name)
        self._tracker.flush()

    def put(self, found: DeviceObject) -> None:
        """Store a claim, a template, a class or a slice; from then on a missing claim is one."""
        store(self._tracker, found)
        self._tracker.flush()

    def remove(self, kind: str, key: Key) -> bool:
        """Remove such an object; return whether there was one."""
        pods, nodes = self._tracker.pods, self._tracker.nodes
        known = {
            "DeviceClass": nodes.device_class(key.name),
            "ResourceSlice": nodes.slice(key.name),
            "ResourceClaim": pods.claim(key),
            "ResourceClaimTemplate": pods.template(key),
        }
        if known[kind] is None:
            return False
        if kind == "DeviceClass":
            nodes.delete_class(key.name)
        elif kind == "ResourceSlice":
            nodes.delete_slice(key.name)
        elif kind == "ResourceClaim":
            pods.delete_claim(key)
        else:
            pods.delete_template(key)
        self._tracker.flush()
        return True

    def notes(self) -> list[str]:
        """Why devices of a class do not count, one line for each class."""
        return [
            f"DeviceClass {name}: {why}; such devices do not count"
            for name, why in sorted(self._tracker.nodes.reports().items())
        ]


def store(tracker: DeviceTracker, found: DeviceObject) -> None:
    """Store it in ``tracker``, which then follows claims; flush it afterwards."""
    pods, nodes = tracker.pods, tracker.nodes
    pods.follow()
    if isinstance(found, DeviceClaim):
        pods.upsert_claim(found)
    elif isinstance(found, ClaimTemplate):
        pods.upsert_template(found)
    elif isinstance(found, DeviceClass):
        nodes.upsert_class(found)
    else:
        nodes.upsert_slice(found)


class _Written(Mapping[Key, Pod]):
    def __init__(self, tracker: DeviceTracker, ledger: Ledger) -> None:
        self._tracker, self._ledger = tracker, ledger

    def __getitem__(self, key: Key) -> Pod:
        found = self._tracker.pods.pod(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[Key]:
        return iter(self._ledger.pods)

    def __len__(self) -> int:
        return len(self._ledger.pods)
