"""The objects as last seen, what we asked for and have not seen yet, and what changed of both.

Values only; who may change them is the ledger, and who reads the changes are its books.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from elasticquota.forest.incremental import Edit
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.refusal import Refusal


@dataclass(slots=True)
class Changes:
    """What is not in the books yet."""

    pods: set[Key] = field(default_factory=set)
    """Seen anew, gone, or expected otherwise."""
    quotas: dict[Key, Quota | None] | None = None
    """By key, what was stored when the books last looked, None for nothing; of those that were told
    since. None: of all that are stored."""
    ground: bool = True
    """Nodes or profiles."""
    nodes: dict[str, Node | None] = field(default_factory=dict)
    """By name, those that were told since, as they were when the books last looked."""

    def edits(self, stored: Mapping[Key, Quota]) -> list[Edit] | None:
        """The quotas that are others now, as they were and are; None: it may be all of them."""
        if self.quotas is None:
            return None
        seen = [(before, stored.get(key)) for key, before in self.quotas.items()]
        return [(before, now) for before, now in seen if before != now]


@dataclass(slots=True)
class Objects:
    """Objects by identity, expectations by pod uid."""

    quotas: dict[Key, Quota] = field(default_factory=dict)
    profiles: dict[Key, Profile] = field(default_factory=dict)
    pods: dict[Key, Pod] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    releasing: set[str] = field(default_factory=set)
    """Pods whose gate we took off and that we have not seen ungated: admitted already."""
    evicting: set[str] = field(default_factory=set)
    """Pods we evicted and that we have not seen terminating: returned already."""
    withheld: set[str] = field(default_factory=set)
    """Pods that are not to be asked to leave for now, because it would be in vain."""
    refused: dict[str, Refusal] = field(default_factory=dict)
    """Pods that could not be evicted when they were last asked, as long as that is of interest."""
    time: int = 0
    """The wall clock as last told, epoch milliseconds."""
    changes: Changes = field(default_factory=Changes)
