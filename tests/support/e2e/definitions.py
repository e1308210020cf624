"""What a schema of a definition leaves unsaid."""

from typing import Any


Schema = dict[str, Any]


def silent(schema: Schema, path: str = "") -> list[str]:
    """Paths of the fields that ``kubectl explain`` has no words for."""
    found = [] if "description" in schema else [path]
    for key, part in schema.get("properties", {}).items():
        if path or key in {"spec", "status"}:
            found += silent(part, f"{path}.{key}")
    items = schema.get("items", {})
    return found + (silent(items, f"{path}[]") if "properties" in items else [])
