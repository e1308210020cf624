"""What the API server and the readers say of one manifest, and whether they say the same."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import reader_faults
from manifest_mutations import Mutant
from users import RefusedError, User


_UNKNOWN: Final = re.compile(r'unknown field "(?P<path>[^"]*)"')
_SENTENCE: Final = re.compile(
    r"\[E[QP]\d{4}\]|\bmust\b|should (be|have) |supported values|may not be |Required value"
    "|unknown field"
)
_VALUE: Final = re.compile(
    r"(Invalid|Unsupported|Duplicate) value: .|Too (many|long|few): .|Required value|Forbidden: ."
)
_LONGEST: Final = 40


@dataclass(frozen=True)
class Answer:
    """Of one manifest."""

    mutant: Mutant
    code: int
    """Of the HTTP answer, 0 if it was accepted."""
    causes: tuple[tuple[str, str], ...]
    """Each wrong field that the API server names, and what it says of it."""
    faults: tuple[str, ...]
    """What the reader says: of what was sent if it was refused, else of what would be stored."""

    @property
    def accepted(self) -> bool:
        """Whether the API server takes the manifest."""
        return not self.code

    @property
    def value(self) -> Any:
        """What is at the place that was changed."""
        found: Any = self.mutant.manifest
        for key in self.mutant.path:
            found = found[key]
        return found

    def said(self) -> str:
        """All of it in some lines, for the message of a failed test."""
        place = ".".join(map(str, self.mutant.path))
        return (
            f"{self.mutant.number}: {self.mutant.kind.__name__} {place}, {self.mutant.mutation}: "
            f"{_cut(repr(self.value))}\n  API server: {self.code} {_cut(str(self.causes))}\n"
            f"  reader: {_cut(str(self.faults))}"
        )


def ask(admin: User, namespace: str, mutant: Mutant) -> Answer:
    """Send the manifest as a dry run and read it; what is read is never stored."""
    sent = {**mutant.manifest, "metadata": {"name": "tried", "namespace": namespace}}
    faults = reader_faults.of(mutant.kind, sent)  # as another definition would let it be stored
    try:
        stored = admin.create(sent, dry_run=True, strict=True)
    except RefusedError as refused:
        # The API server drops what is null in a map before it judges.
        if "null" in mutant.mutation:
            faults = reader_faults.of(mutant.kind, _without_null(sent))
        return Answer(mutant, refused.code, refused.causes or _unknown(refused.message), faults)
    return Answer(mutant, 0, (), reader_faults.of(mutant.kind, stored))


def agree(answer: Answer) -> bool:
    """Whether both find nothing wrong, or both something at the same place."""
    if answer.accepted:
        return not answer.faults
    found = [_parts(fault.partition(": ")[0]) for fault in answer.faults]
    return any(_same(named, each) for named in _places(answer) for each in found)


def explained(answer: Answer, by_pattern: Callable[[str], bool]) -> bool:
    """Whether the refusal has a path, a value and a sentence; at some paths a pattern will do."""
    named = [(path, text) for path, text in answer.causes if path.startswith("spec")]
    return any(_VALUE.match(text) or "unknown field" in text for _, text in named) and any(
        _SENTENCE.search(text) or ("should match" in text and by_pattern(path))
        for path, text in named
    )


def _places(answer: Answer) -> Iterator[list[str]]:
    """Where a fault may be: an unknown field may be one that is missed, in the same map."""
    for path, text in answer.causes:
        yield _parts(path)
        if "unknown field" in text and len(answer.mutant.path) > 1:
            yield _parts(".".join(map(str, answer.mutant.path)))


def _same(named: list[str], found: list[str]) -> bool:
    """Whether one is the other or within it; who finds a field must not say only ``spec``."""
    length = min(len(named), len(found))
    return named[:length] == found[:length] and (length > 1 or len(named) == 1)


def _parts(path: str) -> list[str]:
    """A path in parts: ``min[cpu]`` is ``min.cpu``, and readers cut long keys."""
    return [part[:_LONGEST] for part in re.split(r"[.\[\]]", path) if part]


def _unknown(message: str) -> tuple[tuple[str, str], ...]:
    """The causes of a strict refusal, which has none of its own; else the message as one."""
    found = [each["path"] for each in _UNKNOWN.finditer(message)]
    return tuple((path, f'unknown field "{path}"') for path in found) or (("", message),)


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(each) for key, each in value.items() if each is not None}
    return [_without_null(each) for each in value] if isinstance(value, list) else value


def _cut(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:400]}..."
