"""Finds the queue of a pod by YuniKorn's placement rules and access lists (Y8, Y11, Y12, Y14).

The rules decide (``rules``) among the queues to which the user may submit (``acls``). Queues that a
rule finds by the namespace alone are made for the namespace, all others for the pods that are put
there (``requested_queues``). When no rule matches, the pod is in ``root.default`` if that is a
leaf.
"""

from typing import Final

from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import placement, rules
from elasticquota.integrations.yunikorn.acls import Acls
from elasticquota.integrations.yunikorn.rules import Applicant, PlacementRefusal
from elasticquota.model import holder
from elasticquota.structs import Struct
from elasticquota.wire.integrations.placement_rules import PlacementRule
from elasticquota.wire.integrations.queues import Partition


# YuniKorn's rules for a configuration without rules.
_USUAL: Final = (PlacementRule("", rules.PROVIDED),)


class PodPlacement(Struct, frozen=True):
    """The leaf for a pod."""

    path: Path
    for_pods: bool = False
    """Whether it is made for pods: neither configured nor made for a namespace."""


class Placements:
    """Applies the placement rules and access lists of one partition."""

    def __init__(self, partition: Partition) -> None:
        self._rules = partition.rules or _USUAL
        self._queues = placement.by_path(partition.root)
        self._acls = Acls(self._queues)

    def place(self, pod: Applicant) -> PodPlacement | PlacementRefusal:
        """The leaf of the pod, or why it has none."""
        denied: list[Path] = []

        def admits(path: Path) -> bool:
            allowed = self._acls.allow(path, pod.user, pod.groups)
            if not allowed:
                denied.append(path)
            return allowed

        matched = rules.find(self._rules, pod, self._queues, admits)
        if isinstance(matched, PlacementRefusal):
            return PlacementRefusal(f"{matched.text}; {self._tried}")
        if matched is not None:
            is_made = matched.path not in self._queues
            return PodPlacement(
                matched.path, is_made and not placement.goes_by_namespace(matched.rule)
            )
        default = placement.default_of(self._queues)
        if default is not None and admits(default):
            return PodPlacement(default)
        if denied:
            return PlacementRefusal(f"{self._denial(denied[0], pod)}; {self._tried}")
        return PlacementRefusal(
            f"no placement rule matched, and there is no root.default; {self._tried}"
        )

    def denial(self, path: Path, pod: Applicant) -> str:
        """Why the pod may not be in the queue at ``path``; empty: it may."""
        allowed = self._acls.allow(path, pod.user, pod.groups)
        return "" if allowed else self._denial(path, pod)

    @property
    def _tried(self) -> str:
        """The rules in their order, for messages."""
        said = (" below ".join(each.text for each in rule.chain) for rule in self._rules)
        return f"tried: {', '.join(said)}"

    def _denial(self, path: Path, pod: Applicant) -> str:
        who = f"user {pod.user}" if pod.user else f"a pod without a known user ({holder.UNKNOWN})"
        return (
            f"{who} may not submit to {'.'.join(path)}: neither submitacl nor adminacl of it or of "
            "a queue above lists that user or one of its groups"
        )
