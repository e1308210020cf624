"""The section of the external systems that are followed."""

from typing import Annotated

from msgspec import Meta

from elasticquota.model.fault import Fault
from elasticquota.structs import field
from elasticquota.wire.codec import fields, selectors
from elasticquota_config.fields.section import Section, ValueCheck
from elasticquota_config.sections.names import Name


def _labels(written: dict[str, str]) -> str:
    faults: list[Fault] = []
    fields.labels(written, "labels", faults, selectors.MOST)
    return "; ".join(map(str, faults))


Labels = Annotated[dict[str, str], Meta(min_length=1), ValueCheck(_labels)]

Scheduler = Annotated[str, Meta(min_length=1, max_length=253)]


class Dialects(Section, frozen=True):
    """Objects of external systems from which the controller makes quotas (docs/dialects.md)."""

    ack: bool = False
    """Whether ElasticQuotaTrees of ACK are followed."""
    capacity: bool = False
    """Whether ElasticQuotas of capacity scheduling (`scheduling.x-k8s.io`) are followed."""
    capacity_schedulers: tuple[Scheduler, ...] = ()
    """With `capacity`: the names of schedulers that ran its plugin and run no more; new pods that
    name one get the scheduler of the cluster."""
    flavors: dict[Name, Labels] = field(default_factory=dict)
    """Meaning of `resourceflavors` of an ElasticQuotaTree: by name, the labels of their nodes."""
    jobs: bool = False
    """Whether jobs are queued as a whole, by the switch that suspends them (docs/job-queues.md)."""
    queue_per_quota: bool = False
    """With `jobs`: whether every leaf quota has a Queue in namespace `kube-queue`; false: only
    those that follow an ElasticQuotaTree."""
    queue_priority: bool = False
    """With `jobs`: whether idle resources go to the Queue of highest priority first, behind mins
    and fair shares; false: the priority of a Queue has no effect."""
    yunikorn: bool = False
    """Whether the queues of YuniKorn and YuniKorn's annotations of namespaces are followed."""
    yunikorn_namespace: Name = "yunikorn"
    """The namespace of the ConfigMaps `yunikorn-configs` and `yunikorn-defaults`."""

    def replaced_schedulers(self) -> frozenset[str]:
        """The names of schedulers for which new pods get the scheduler of the cluster."""
        return frozenset(self.capacity_schedulers if self.capacity else ())

    def followed(self) -> frozenset[str]:
        """The external systems whose objects are followed as quotas."""
        systems = {"ack": self.ack, "capacity": self.capacity, "yunikorn": self.yunikorn}
        return frozenset(name for name, is_on in systems.items() if is_on)
