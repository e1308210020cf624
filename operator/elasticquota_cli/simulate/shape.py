"""Converts documents to msgspec types; a fault describes each mismatch."""

from typing import TypeVar

import msgspec

from elasticquota.wire.codec import mismatches
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate.documents import Document


T = TypeVar("T")


def convert(document: Document, shape: type[T], faults: list[InputFault]) -> T | None:
    """The content as a ``shape``, or None and a fault."""
    try:
        return msgspec.convert(document.content, shape)
    except msgspec.ValidationError as error:
        faults.extend(document.located([mismatches.fault(error)]))
        return None
