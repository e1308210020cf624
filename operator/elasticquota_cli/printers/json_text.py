"""Writes reports as JSON and YAML, and the JSON Schemas that describe them."""

from typing import Any

import msgspec
import yaml


def of(document: object) -> str:
    """The document as indented JSON, without a line end."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def schema(report: Any, title: str) -> str:
    """The JSON Schema of a report type, as in docs/*.schema.json; ``title`` is its API version."""
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **msgspec.json.schema(report),
    }
    return of(whole) + "\n"


def as_yaml(document: object) -> str:
    """The document as YAML, with a line end."""
    builtins = msgspec.to_builtins(document)
    text: str = yaml.safe_dump(builtins, sort_keys=False, allow_unicode=True, width=10_000)
    return text
