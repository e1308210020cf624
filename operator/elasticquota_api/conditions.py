"""A condition of a status, as in all kinds."""

from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from elasticquota_api.amounts import Generation
from elasticquota_api.markers import list_map
from elasticquota_api.model import Observed


_TYPE: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)


class Condition(Observed):
    """One observed fact with the reason for it."""

    type: Annotated[str, Field(max_length=316, pattern=_TYPE)]
    """Name of the condition in CamelCase."""
    status: Literal["True", "False", "Unknown"]
    """Whether the condition holds."""
    observed_generation: Generation | None = None
    """The generation of the object that the condition describes."""
    last_transition_time: AwareDatetime
    """When the status of the condition last changed."""
    reason: Annotated[
        str,
        Field(min_length=1, max_length=1024, pattern="^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
    ]
    """Cause of the last transition, one word in CamelCase."""
    message: Annotated[str, Field(max_length=32768)]
    """The cause in a sentence for people, with numbers."""


Conditions = Annotated[list[Condition], list_map("type")]
