"""Writes a configuration as YAML that reads back as the same value, with comments."""

import textwrap
from collections.abc import Iterable

import yaml

from elasticquota_config import keys
from elasticquota_config.keys import Heading
from elasticquota_config.model import Configuration


_WIDTH = 100


def effective(found: Configuration) -> str:
    """All keys with their values; a comment names the default where the value differs from it."""
    lines = []
    for entry in keys.outline():
        indent = "  " * (len(entry.path) - 1)
        if isinstance(entry, Heading):
            lines.append(f"{indent}{entry.path[-1]}:")
            continue
        value = keys.value(found, entry.path)
        mark = "" if value == entry.default else f"  # default: {inline(entry.default)}"
        lines.append(f"{indent}{entry.path[-1]}: {inline(value)}{mark}")
    return "\n".join(lines)


def explained() -> str:
    """All keys with their defaults; above each, its meaning and its possible values."""
    lines: list[str] = []
    for entry in keys.outline():
        indent = "  " * (len(entry.path) - 1)
        lines += ["", *_comment(entry.meaning, indent)]
        if isinstance(entry, Heading):
            lines.append(f"{indent}{entry.path[-1]}:")
        else:
            lines += _comment(f"[{entry.wanted}]", indent)
            lines.append(f"{indent}{entry.path[-1]}: {inline(entry.default)}")
    return "\n".join(lines[1:])


def inline(value: object) -> str:
    """A value as YAML on one line."""
    text = _dumped(value, None)
    # Only double quotes keep a value with a line break on one line.
    return _dumped(value, '"') if "\n" in text else text


def _dumped(value: object, style: str | None) -> str:
    # In a list, so that no document end follows a scalar.
    text: str = yaml.safe_dump(
        [value], default_flow_style=True, default_style=style, width=float("inf")
    )
    return text.strip()[1:-1]


def _comment(text: str, indent: str) -> Iterable[str]:
    lead = f"{indent}# "
    return textwrap.wrap(text, _WIDTH, initial_indent=lead, subsequent_indent=lead)
