"""Makes queues that are not configured, from the nearest child template (Y15).

A namespace's annotations take precedence over the template (Y16). A queue that pods ask for has a
name with a hash (``naming.own``), and so have the parents that are made for it, so that such queues
never change the names of others. It is not made below another leaf. A queue that pods ask for, and
that an edit makes for another reason too, keeps that name while they ask for it, so its pods stay
in it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Draft, Path
from elasticquota.integrations.yunikorn import inherited, origin, properties
from elasticquota.model.limit import QuotaLimits
from elasticquota.structs import Struct
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import ROOT, ConfiguredQueue, Partition


_CONFIG: Final = "queues.yaml"


class Maker(Struct, frozen=True):
    """Makes drafts for a partition with these configured queues; they are in ``home``.

    What uses more than a lowered max is never reclaimed from a queue that is made (Y21).
    """

    partition: Partition
    queues: Mapping[Path, list[ConfiguredQueue]]
    graces: Mapping[Path, int]
    home: str
    followed: bool = False

    def parent(self, path: Path) -> Draft:
        """The draft of a queue that is made as the parent of another."""
        return self._made(path)._replace(is_parent=True)

    def of_namespace(self, path: Path, space: QueueNamespace) -> Draft:
        """The draft of a namespace's queue: with its annotations, else with the template."""
        usual = self._by_template(path)
        most = space.most_applications
        return usual._replace(
            source=f"Namespace {space.name}",
            where="metadata.annotations",
            min=usual.min if space.guaranteed is None else space.guaranteed,
            max=usual.max if space.max is None else space.max,
            namespaces=(space.name,),
            limits=usual.limits if most is None else QuotaLimits(most),
        )

    def with_asked(self, others: Iterable[Draft], asked: Collection[Path]) -> list[Draft]:
        """The drafts ``others``, and those of ``asked`` that can exist beside them."""
        found = _keeping_names(list(others), asked)
        known = {draft.path for draft in found}
        leaves = {draft.path for draft in found if not draft.is_parent}
        for path in sorted(asked):
            above = [path[:depth] for depth in range(2, len(path))]
            if path in known or path[0] != ROOT or not leaves.isdisjoint(above):
                continue
            parents = [parent for parent in above if parent not in known]
            found += [self.parent(parent)._replace(name=naming.own(parent)) for parent in parents]
            found.append(self._by_template(path)._replace(name=naming.own(path)))
            known.update(parents)
        return found

    def _by_template(self, path: Path) -> Draft:
        template, applications = inherited.template(path, self.queues)
        return self._made(path)._replace(
            min=template.guaranteed,
            max=template.max,
            reclaim_grace=inherited.grace(path, self.graces),
            limits=QuotaLimits(applications),
        )

    def _made(self, path: Path) -> Draft:
        return Draft(
            path,
            _CONFIG,
            "",
            self.home,
            origin=origin.of(path),
            preemption=properties.preemption_of_made(path, self.partition),
            over_max_delay=properties.over_max_delay(None, self.partition, followed=self.followed),
        )


def _keeping_names(drafts: list[Draft], asked: Collection[Path]) -> list[Draft]:
    """Give asked queues their name with a hash, unless they clash with others.

    Then they have a hash anyway, and a change here would change the names of their rivals.
    """
    there = {draft.path for draft in drafts}
    if there.isdisjoint(asked):
        return drafts
    called = Counter(map(_label, there))
    return [
        draft._replace(name=naming.own(draft.path))
        if draft.path in asked and called[_label(draft.path)] == 1
        else draft
        for draft in drafts
    ]


def _label(path: Path) -> str:
    return naming.label("-".join(path))
