"""Values of which there are many: frozen to the type checker, plain at run time.

A frozen dataclass refuses assignment, so its own ``__init__`` has to get around that, with a call
for each field: a pod takes four times as long to make, and a start makes 50,000 of them.
"""

from typing import TYPE_CHECKING


__all__ = ["many"]

if TYPE_CHECKING:
    from dataclasses import dataclass as many
else:
    from dataclasses import dataclass

    def many(*, frozen: bool, slots: bool) -> object:
        """Decorator of a class, like ``dataclass``; equal values have equal hashes."""
        return dataclass(slots=slots, unsafe_hash=frozen)
