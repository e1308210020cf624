"""A shortage: where on the way from a quota to the root too little is left for a request."""

from typing import Literal

from elasticquota.resources import Resources
from elasticquota.structs import Struct


class Shortage(Struct, frozen=True):
    """The first place on the way to the root that has not enough left."""

    where: Literal["own", "ancestor", "nodes"]
    quota: str
    """Of the place."""
    keys: tuple[str, ...]
    limit: Resources
    left: Resources
