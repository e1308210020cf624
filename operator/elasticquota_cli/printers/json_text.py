"""Writes reports as JSON and YAML."""

import msgspec
import yaml

from elasticquota import texts


def of(document: object) -> str:
    """The document as indented JSON, without a line end; what is not printable is escaped."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    return "\n".join(map(texts.escaped, text.split("\n")))


def as_yaml(document: object) -> str:
    """The document as YAML, with a line end; what is not printable is escaped."""
    builtins = msgspec.to_builtins(document)
    text = _yaml(builtins, allow_unicode=True)
    return text if text.replace("\n", "").isprintable() else _yaml(builtins, allow_unicode=False)


def _yaml(builtins: object, *, allow_unicode: bool) -> str:
    text: str = yaml.safe_dump(builtins, sort_keys=False, allow_unicode=allow_unicode, width=10_000)
    return text
