"""A file of vectors is read strictly: what the runner does not understand is never passed over.

A row is one object with an id; its adapter reads it through ``Fields``, which remembers what was
read. Whatever is left over afterwards is a fault, and so is a field that the adapter misses.
"""

import json
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from elasticquota import quantity, resources
from elasticquota.resources import Resources


ABOUT_THE_FILE: Final = frozenset(
    {"schema_version", "core_ids", "source_repo", "source_commit", "license_note", "conventions"}
)
ABOUT_THE_ROW: Final = frozenset({"id", "source", "confidence", "notes", "why", "case"})
"""Said to people; no figure hangs on it."""


class ReadingError(ValueError):
    """The file says something that the runner does not understand; one sentence."""


class Fields:
    """One object of the file; ``where`` names it in sentences."""

    def __init__(self, written: Any, where: str) -> None:
        if not isinstance(written, dict):
            raise ReadingError(f"{where} must be an object, got {json.dumps(written)}")
        self.where = where
        self._written = written
        self._read = set(ABOUT_THE_ROW)
        self._parts: list[Fields] = []

    def __contains__(self, name: str) -> bool:
        return name in self._written

    def __getitem__(self, name: str) -> Any:
        """The value of a field that must be there."""
        if name not in self._written:
            raise ReadingError(f"{self.where} lacks the field '{name}'")
        return self.get(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field that may be absent."""
        self._read.add(name)
        return self._written.get(name, default)

    def said(self, *field_names: str) -> None:
        """These are understood, and nothing is computed from them."""
        self._read.update(field_names)

    def beginning(self, prefix: str) -> dict[str, Any]:
        """All fields whose names begin like this, by the rest of the name."""
        return {
            name.removeprefix(prefix): self.get(name)
            for name in self._written
            if name.startswith(prefix)
        }

    def amounts(self, name: str) -> Resources:
        """A resource list; absent and null are empty."""
        return amounts(self.get(name) or {}, f"{self.where}.{name}")

    def part(self, name: str) -> "Fields":
        """A field that is an object of its own."""
        return self._part(self[name], f"{self.where}.{name}")

    def parts(self, name: str) -> list["Fields"]:
        """A field that is a list of objects; absent is empty."""
        return [
            self._part(written, f"{self.where}.{name}[{index}]")
            for index, written in enumerate(self.get(name) or [])
        ]

    def by_name(self, name: str) -> dict[str, "Fields"]:
        """A field that holds objects by name; absent is empty."""
        return {
            key: self._part(written, f"{self.where}.{name}.{key}")
            for key, written in (self.get(name) or {}).items()
        }

    def pairs(self) -> dict[str, Any]:
        """Everything, where the names themselves are data."""
        return {name: self.get(name) for name in self._written}

    def unread(self) -> Iterator[str]:
        """Every field that was not read."""
        for name in self._written:
            if name not in self._read:
                yield f"{self.where}.{name}"
        for part in self._parts:
            yield from part.unread()

    def _part(self, written: Any, where: str) -> "Fields":
        part = Fields(written, where)
        self._parts.append(part)
        return part


@dataclass(frozen=True)
class Row:
    """One row as written."""

    group: str
    table: str
    id: str
    written: Mapping[str, Any]
    schema: str = ""
    """What the group says about all its rows."""

    def fields(self) -> Fields:
        return Fields(self.written, self.id)


@dataclass(frozen=True)
class Document:
    """All rows of a file, and what is wrong with it beside them."""

    rows: tuple[Row, ...]
    faults: tuple[str, ...]


def amounts(written: Any, where: str) -> Resources:
    """Accounting units of a resource list of the file."""
    try:
        return resources.parse(written)
    except (quantity.QuantityError, AttributeError, TypeError) as error:
        raise ReadingError(f"{where} is no resource list: {error}") from None


def read(path: pathlib.Path) -> Document:
    """The document in ``path``; raises ``ReadingError`` where there is none."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ReadingError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ReadingError(f"{path} is no JSON: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("groups"), dict):
        raise ReadingError(f"{path} must be an object with the field 'groups'")
    return parse(document)


def parse(document: Mapping[str, Any]) -> Document:
    """Rows in the order of the file."""
    faults = [
        f"the file has the field '{name}', which the runner does not understand"
        for name in sorted(document.keys() - ABOUT_THE_FILE - {"groups"})
    ]
    if document.get("schema_version", 1) != 1:
        faults.append(f"schema_version must be 1, got {json.dumps(document['schema_version'])}")
    rows: list[Row] = []
    for group, tables in document["groups"].items():
        if not isinstance(tables, dict):
            faults.append(f"group '{group}' must be an object of tables")
            continue
        for table, listed in tables.items():
            if table == "schema":
                continue
            if not isinstance(listed, list) or not listed:
                faults.append(f"group '{group}': '{table}' must be a list of rows, and not empty")
                continue
            for index, written in enumerate(listed):
                if not isinstance(written, dict) or not isinstance(written.get("id"), str):
                    faults.append(f"group '{group}': {table}[{index}] must be an object with an id")
                    continue
                schema = str(tables.get("schema", ""))
                rows.append(Row(group, table, written["id"], written, schema))
    ids = [row.id for row in rows]
    faults += [f"the id '{name}' is there twice" for name in sorted(ids) if ids.count(name) > 1]
    core = document.get("core_ids", [])
    faults += [f"core id '{name}' has no row" for name in core if name not in ids]
    return Document(tuple(rows), tuple(dict.fromkeys(faults)))
