"""A dataclass decorator for values that exist in large numbers.

The classes are frozen for the type checker and plain at run time. The ``__init__`` of a frozen
dataclass needs one extra call for each field. So a pod takes four times as long to create, and a
start of the controller creates 50,000 of them.
"""

from typing import TYPE_CHECKING


__all__ = ["many"]

if TYPE_CHECKING:
    from dataclasses import dataclass as many
else:
    from dataclasses import dataclass

    def many(*, frozen: bool, slots: bool) -> object:
        """Decorate a class like ``dataclass``; equal values have equal hashes."""
        return dataclass(slots=slots, unsafe_hash=frozen)
