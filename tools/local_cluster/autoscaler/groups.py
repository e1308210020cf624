"""Node groups: kinds of nodes that may be made, read from a ConfigMap.

``kube-system/simulated-autoscaler`` has the key ``groups``, a JSON list. Each group has ``name``,
``max`` (nodes), ``allocatable``, and maybe ``labels``. The key ``unneededSeconds`` is the time for
which a node is empty before it goes, ``stockOut`` the groups that have no machines now.
"""

import json
from dataclasses import dataclass, field
from typing import Final

from local_cluster.api import Object


PATH: Final = "/api/v1/namespaces/kube-system/configmaps/simulated-autoscaler"
GROUP_LABEL: Final = "kwok-nodegroup"
"""The label by which a node belongs to a group, as in Cluster Autoscaler's kwok provider."""
_UNNEEDED_SECONDS: Final = 600.0


@dataclass(frozen=True)
class Group:
    """One kind of nodes."""

    name: str
    max: int
    allocatable: dict[str, str]
    labels: dict[str, str] = field(default_factory=dict)
    is_out_of_stock: bool = False

    def node(self, number: int) -> Object:
        """The manifest of a new node."""
        name = f"{self.name}-{number}"
        labels = {**self.labels, GROUP_LABEL: self.name, "kubernetes.io/hostname": name}
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": labels,
                "annotations": {"kwok.x-k8s.io/node": "fake"},
            },
            "spec": {},
            "status": {"capacity": self.allocatable, "allocatable": self.allocatable},
        }


@dataclass(frozen=True)
class Setting:
    """What the ConfigMap says."""

    groups: tuple[Group, ...] = ()
    unneeded_seconds: float = _UNNEEDED_SECONDS


def read(config_map: Object | None) -> Setting:
    """Read the ConfigMap; without one there are no groups. Raises ``ValueError``, ``KeyError``."""
    data = (config_map or {}).get("data") or {}
    out = set(data.get("stockOut", "").split())
    groups = tuple(
        Group(
            each["name"],
            int(each["max"]),
            {"pods": "110", **each["allocatable"]},
            each.get("labels", {}),
            each["name"] in out,
        )
        for each in json.loads(data.get("groups", "[]"))
    )
    return Setting(groups, float(data.get("unneededSeconds", _UNNEEDED_SECONDS)))
