"""The devices of a cluster: everything about claims between the watches and the ledger.

An event only notes what changed. ``flush`` brings pods and nodes of the ledger up to date: call it
before the ledger is read. The result equals that of a new tracker with the same objects, except
that a pool keeps its last complete generation while a newer one is incomplete.
"""

from elasticquota.devices.class_offers import Matches
from elasticquota.devices.job_claims import JobClaims
from elasticquota.devices.node_devices import NodeDevices
from elasticquota.devices.pod_claims import PodClaims
from elasticquota.ledger.ledger import Ledger


class DeviceTracker:
    """Mutable, without locks, like the ledger: one thread owns both."""

    def __init__(self, ledger: Ledger, matches: Matches) -> None:
        """``matches`` evaluates the selectors of classes."""
        self.nodes = NodeDevices(ledger, matches)
        """Takes nodes, classes and slices."""
        self.pods = PodClaims(ledger)
        """Takes pods, claims and templates."""
        self.jobs = JobClaims(ledger, self.pods)
        """Takes queued jobs."""

    def flush(self) -> bool:
        """Bring the ledger up to date; return whether a pod, job or node changed."""
        changed = self.nodes.flush()
        self.pods.set_classes(self.nodes.demand)
        changed = self.pods.flush() or changed
        return self.jobs.flush() or changed
