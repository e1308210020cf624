"""The tree of Cohorts and ClusterQueues, with the sums of each.

A Cohort that only others name exists, too: it has no quota of its own and no limits. In a circle of
Cohorts nothing is admitted over there; here each of them is a first level, so that what is below it
keeps its limits.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from elasticquota.integrations.translation.translation import Path, TranslationWarning
from elasticquota.resources import Resources
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields
from elasticquota_import.manifests import kueue_queues
from elasticquota_import.manifests.kueue_queues import ClusterQueue, Cohort, Member
from elasticquota_import.translators import lineage, weights
from elasticquota_import.translators.kueue import members
from elasticquota_import.translators.kueue.members import Sums


DIALECT: Final = "kueue"


class CohortTree(Struct, frozen=True):
    """Members by their keys; a Cohort and a ClusterQueue may have the same name."""

    members: Mapping[str, Member]
    paths: Mapping[str, Path]
    """Without members that are too deep; parents before their children."""
    sums: Mapping[str, Sums]
    divisor: int
    """What weights are divided by."""
    covered: frozenset[str]
    """Resources that some member covers."""

    def total(self, key: str) -> Resources:
        """What the whole tree of a member has."""
        return self.sums[self.paths[key][0]].nominal


def key_of(member: Member) -> str:
    """The key of a member."""
    return queue_key(member.name) if isinstance(member, ClusterQueue) else f"cohort/{member.name}"


def queue_key(name: str) -> str:
    """The key of a ClusterQueue."""
    return f"clusterqueue/{name}"


def origin(key: str) -> str:
    """The origin annotation of the quota of a member."""
    return f"{DIALECT}:{key}"


def source(member: Member) -> str:
    """The name of a member in warnings."""
    is_queue = isinstance(member, ClusterQueue)
    kind = kueue_queues.CLUSTER_QUEUE if is_queue else kueue_queues.COHORT
    return f"{kind} {fields.shown_key(member.name)}"


def of(given: Iterable[Member], warnings: list[TranslationWarning]) -> CohortTree:
    """Build the tree; adds to ``warnings`` what is wrong with its form."""
    chosen = lineage.named(given, key_of, source, warnings)
    above = {key: f"cohort/{each.above}" if each.above else "" for key, each in chosen.items()}
    for parent in sorted(set(above.values()) - chosen.keys() - {""}):
        chosen[parent] = Cohort(parent.partition("/")[2])
        above[parent] = ""
    paths, faults = lineage.trace(above)
    for key, text in faults.items():
        text = text.replace("cohort/", "")  # noqa: PLW2901 - users know the name without it
        warnings.append(TranslationWarning(source(chosen[key]), _where(chosen[key]), text))
    sums: dict[str, Sums] = {}
    below: dict[Path, list[Sums]] = defaultdict(list)
    for key, path in sorted(paths.items(), key=lambda each: -len(each[1])):
        sums[key] = members.sums(chosen[key], below[path])
        below[path[:-1]].append(sums[key])
    stated = (each.weight for each in chosen.values())
    divisor = weights.divisor(weights.WHOLE if each is None else each for each in stated)
    covered = frozenset(resource for each in sums.values() for resource in each.nominal)
    return CohortTree(chosen, paths, sums, divisor, covered)


def _where(member: Member) -> str:
    return "spec.cohortName" if isinstance(member, ClusterQueue) else "spec.parentName"
