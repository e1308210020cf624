"""Reads files into documents: one for each object, also from several or a ``List`` in one file.

A file that begins with ``{`` is JSON, also with several objects one after the other; others are
YAML. What is not an object is a fault that names the file and the document.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from elasticquota.model.fault import Fault
from elasticquota.wire.codec import yaml_text
from elasticquota.wire.codec.yaml_text import YamlError
from elasticquota_cli.failures.failure import BAD_INPUT, Failure, InputFault


STANDARD_INPUT: Final = "-"
_SUFFIXES: Final = (".json", ".yaml", ".yml")
_LIST: Final = "List"
_KINDS: Final = {list: "a list", str: "a text", bool: "a truth value"}


class Document(NamedTuple):
    """One object, and where it was found."""

    content: dict[str, Any]
    file: str
    number: int
    item: int = 0
    """Place in a List, from 1; 0 for an object of its own."""

    @property
    def kind(self) -> str:
        return str(self.content.get("kind") or "")

    @property
    def api_version(self) -> str:
        return str(self.content.get("apiVersion") or "")

    @property
    def where(self) -> str:
        """Place for messages: ``quotas.yaml, document 3 (ElasticQuota team-a/team-a)``."""
        item = f", item {self.item}" if self.item else ""
        return f"{self.file}, document {self.number}{item} ({self._name})"

    def fault(self, message: str, path: str = "") -> InputFault:
        """What is wrong at a path in it, or with all of it."""
        return InputFault(self.where, Fault(path, message))

    def located(self, faults: Iterable[Fault]) -> Iterator[InputFault]:
        """The faults of what is written in it."""
        return (InputFault(self.where, fault) for fault in faults)

    @property
    def _name(self) -> str:
        metadata = self.content.get("metadata")
        if not isinstance(metadata, dict):
            return self.kind
        parts = [metadata.get("namespace"), metadata.get("name") or metadata.get("generateName")]
        return f"{self.kind} {'/'.join(str(part) for part in parts if part)}".strip()


def kinds(numbers: Mapping[tuple[str, str], int]) -> str:
    """Kinds (kind, apiVersion) with their numbers of objects: ``Secret v1 (2), Service v1 (1)``."""
    return ", ".join(f"{kind} {api} ({count})" for (kind, api), count in sorted(numbers.items()))


def check_input(paths: Sequence[str]) -> None:
    """Raise `Failure` if standard input would be read twice."""
    if paths.count(STANDARD_INPUT) > 1:
        raise Failure("standard input (-) can be read only once", BAD_INPUT)


def read(paths: Iterable[str], faults: list[InputFault]) -> list[Document]:
    """Read files, folders (without folders in them) and standard input, ``-``."""
    found: list[Document] = []
    for path in paths:
        for file, text in _texts(path, faults):
            try:
                for number, value in enumerate(_values(text), start=1):
                    found.extend(_objects(value, file, number, faults))
            except YamlError as error:
                faults.append(InputFault(file, Fault("", str(error))))
    return found


def _texts(path: str, faults: list[InputFault]) -> Iterator[tuple[str, str]]:
    """File names as given, and their texts."""
    try:
        if path == STANDARD_INPUT:
            yield "standard input", sys.stdin.buffer.read().decode("utf-8-sig")
            return
        for file in _files(Path(path), faults):
            yield str(file), file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        faults.append(InputFault(path, Fault("", "is not a text in UTF-8")))
    except OSError as error:
        faults.append(InputFault(path, Fault("", f"cannot be read: {error.strerror}")))


def _files(path: Path, faults: list[InputFault]) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        problem = f"has no file that ends with {', '.join(_SUFFIXES)}"
        faults.append(InputFault(str(path), Fault("", problem)))
    return files


def _values(text: str) -> Iterable[Any]:
    if text.lstrip().startswith("{"):
        try:
            return [msgspec.json.decode(text)]
        except (msgspec.DecodeError, RecursionError):
            values = _several(text)
            if values is not None:
                return values
    # JSON with a fault is read as YAML too, because the YAML error names the line.
    return yaml_text.documents(text)


def _several(text: str) -> list[Any] | None:
    """JSON objects one after the other; None when the text is something else."""
    decoder = json.JSONDecoder()
    values: list[Any] = []
    rest = text.strip()
    start = 0
    while start < len(rest):
        try:
            value, start = decoder.raw_decode(rest, start)
        except (ValueError, RecursionError):
            return None
        values.append(value)
        while start < len(rest) and rest[start].isspace():
            start += 1
    return values


def _objects(value: Any, file: str, number: int, faults: list[InputFault]) -> Iterator[Document]:
    if value is None:
        return
    if not isinstance(value, dict):
        problem = f"must be an object, got {_KINDS.get(type(value), 'a number')}"
        faults.append(InputFault(f"{file}, document {number}", Fault("", problem)))
        return
    document = Document(value, file, number)
    if not (document.kind and document.api_version):
        faults.append(document.fault("must have an apiVersion and a kind"))
        return
    if not document.kind.endswith(_LIST) or not isinstance(value.get("items"), list):
        yield document
        return
    # The API server leaves kind and apiVersion out of the items of a typed list.
    implied = {"kind": document.kind.removesuffix(_LIST), "apiVersion": document.api_version}
    for item, content in enumerate(value["items"], start=1):
        if isinstance(content, dict):
            whole = {**implied, **content} if implied["kind"] else content
            yield from _item(Document(whole, file, number, item), faults)
        else:
            where = f"{file}, document {number}, item {item}"
            faults.append(InputFault(where, Fault("", "must be an object")))


def _item(document: Document, faults: list[InputFault]) -> Iterator[Document]:
    if document.kind and document.api_version:
        yield document
    else:
        faults.append(document.fault("must have an apiVersion and a kind"))
