"""The key of an object: namespace and name. Cluster-scoped objects have an empty namespace."""

from typing import NamedTuple


class Key(NamedTuple):
    """Identity of an object at one moment; a re-created object has the same key and another uid."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
