"""A definition that the API server serves, but in no version that is read."""

from elasticquota.structs import Struct


class Unread(Struct, frozen=True):
    """What is served of a kind, and what would be read; as text it is a clause."""

    definition: str
    """Plural and group: ``podgroups.scheduling.k8s.io``."""
    served: tuple[str, ...]
    read: tuple[str, ...]
    adapter: str = ""
    """The adapter of ``pod_groups`` whose pods wait for it; empty: it is another kind."""

    def __str__(self) -> str:
        return (
            f"the API server serves {self.definition} as {', '.join(self.served)}, and this "
            f"version of the operator reads {', '.join(self.read)}"
        )
