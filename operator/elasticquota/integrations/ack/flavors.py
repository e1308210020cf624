"""A flavor names nodes by their labels; the pods of a leaf run on the nodes of its flavors.

Several flavors are alternatives. A quota selects nodes by labels, each with a list of allowed
values. That describes a set of flavors only if every combination of their labels is a flavor.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from elasticquota.integrations.translation.translation import Draft, TranslationWarning
from elasticquota.model.selector import EVERYTHING, Requirement, Selector


Flavors = Mapping[str, Mapping[str, str]]
"""Name of a flavor to the labels of its nodes."""

_WHERE: Final = "attributes.resourceflavors"


def nodes(asked: Collection[str], flavors: Flavors) -> Selector:
    """A selector for the nodes of the known flavors; everything if no selector describes them."""
    if not asked:
        return EVERYTHING
    known = {tuple(sorted(flavors[name].items())) for name in asked if name in flavors}
    values: dict[str, set[str]] = {}
    for labels in known:
        for key, value in labels:
            values.setdefault(key, set()).add(value)
    mixes = math.prod(len(found) for found in values.values())
    if any(len(labels) != len(values) for labels in known) or mixes != len(known):
        return EVERYTHING
    found = (Requirement(key, "In", tuple(sorted(some))) for key, some in values.items())
    return Selector(tuple(sorted(found)))


def warnings(
    asked: Collection[str], flavors: Flavors, draft: Draft
) -> Iterator[TranslationWarning]:
    """A warning for each flavor of the draft that is left out."""
    if asked and draft.is_parent:
        yield draft.warning(_WHERE, "only leaves have pods to send to nodes; left out")
        return
    for name in asked:
        if name not in flavors:
            text = f"there is no '{name}' in dialects.flavors of the configuration; left out"
            yield draft.warning(_WHERE, text)
    if draft.nodes is EVERYTHING and not flavors.keys().isdisjoint(asked):
        yield draft.warning(_WHERE, "no selector means just the nodes of these; left out")
