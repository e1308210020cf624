"""Queues that no configuration names are made as the nearest child template says (Y15).

A namespace's annotations come before the template (Y16). One that pods asked for has a name of its
own (``naming.own``), and so have the parents that are made for its sake: whatever pods ask for,
nobody else is called otherwise. It yields to a leaf above it. What is a queue without being asked
for, since an edit, keeps that name as long as it is asked for, so its pods stay in it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Draft, Path
from elasticquota.integrations.yunikorn import inherited, origin
from elasticquota.model.limit import Limits
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import ROOT, Queue


_CONFIG: Final = "queues.yaml"


@dataclass(frozen=True, slots=True)
class Maker:
    """Drafts for a partition of these configured queues; they live in ``home``."""

    queues: Mapping[Path, list[Queue]]
    graces: Mapping[Path, int]
    home: str

    def parent(self, path: Path) -> Draft:
        """One that is made because something is to be below it."""
        return Draft(path, _CONFIG, "", self.home, origin=origin.of(path), is_parent=True)

    def of_namespace(self, path: Path, space: QueueNamespace) -> Draft:
        """With what the namespace says, else with the template."""
        usual = self._by_template(path)
        most = space.most_applications
        return usual._replace(
            source=f"Namespace {space.name}",
            where="metadata.annotations",
            min=usual.min if space.guaranteed is None else space.guaranteed,
            max=usual.max if space.max is None else space.max,
            namespaces=(space.name,),
            limits=usual.limits if most is None else Limits(most),
        )

    def with_asked(self, others: Iterable[Draft], asked: Collection[Path]) -> list[Draft]:
        """All ``others``, and those of ``asked`` that can be beside them."""
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
        return Draft(
            path,
            _CONFIG,
            "",
            self.home,
            origin=origin.of(path),
            min=template.guaranteed,
            max=template.max,
            reclaim_grace=inherited.grace(path, self.graces),
            limits=Limits(applications),
        )


def _keeping_names(drafts: list[Draft], asked: Collection[Path]) -> list[Draft]:
    """Who clashes has a hash anyway, and rivals that it would not have without it."""
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
