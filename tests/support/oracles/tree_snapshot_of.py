"""What was seen of a tree of quotas, and what follows from that by plain reading."""

from functools import cached_property

from scenes import PREFIX, Pool
from users import Document


class TreeSight:
    """One look at the quotas of a tree."""

    quotas: dict[str, Document]
    """By name."""

    def __init__(self, pool: Pool) -> None:
        self._root = pool.root

    @cached_property
    def paths(self) -> dict[str, list[str]]:
        """From each quota to the root."""
        found: dict[str, list[str]] = {}
        for name in self.quotas:
            path = [name]
            while path[-1] != self._root:
                path.append(self.quotas[path[-1]]["metadata"]["labels"][f"{PREFIX}parent"])
            found[name] = path
        return found
