"""The controller of an object, from its ``ownerReferences``."""

from typing import NamedTuple


class Owner(NamedTuple):
    """The one reference with ``controller: true``, as written: nothing proves that it exists."""

    api_version: str
    kind: str
    name: str
    uid: str

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The API version, without its group."""
        return self.api_version.rpartition("/")[2]
