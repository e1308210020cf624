"""Reports as JSON for programs, and the JSON Schemas that say what stands in them."""

from typing import Any

import msgspec


def of(document: object) -> str:
    """Indented, without a line end."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def schema(report: Any, title: str) -> str:
    """Of a type of reports, as docs/*.schema.json have it; ``title`` is its API version."""
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **msgspec.json.schema(report),
    }
    return of(whole) + "\n"
