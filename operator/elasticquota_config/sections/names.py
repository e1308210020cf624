"""Types of keys that several sections have: ports and names of objects."""

from typing import Annotated, Final

from msgspec import Meta


Port = Annotated[int, Meta(ge=1, le=65535)]
_NAME: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
Name = Annotated[str, Meta(max_length=253, pattern=_NAME)]
NameOrAll = Annotated[str, Meta(max_length=253, pattern=rf"(\*|{_NAME})")]
