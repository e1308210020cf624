"""The holder of a pod, for whose limits it counts: a user with groups, and an application (Y9)."""

from typing import Final

from elasticquota.structs import Struct


UNKNOWN: Final = "nobody"
"""YuniKorn's name for the user of pods whose creator is not known."""


class Holder(Struct, frozen=True):
    """The user, groups and application of a pod."""

    user: str = UNKNOWN
    """The user that created the pod, or the object that the pod was made from."""
    groups: tuple[str, ...] = ()
    application: str = ""
    """The name that the pod gives; empty: the pod belongs to the unnamed one of its namespace."""


NO_HOLDER: Final = Holder()
