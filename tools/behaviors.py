"""Lists what users and programs can rely on, in docs/contributing/behaviors.json.

    PYTHONPATH=tools python -m behaviors                    # write the list
    PYTHONPATH=tools python -m behaviors --compare FOLDER   # what another checkout had and has

It reads what other generators write from the code, and the definitions and schemas of a checkout,
so that it can list an older one too. A test compares the list with what would be written.
"""

import argparse
import json
import re
import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml


ROOT: Final = Path(__file__).parents[1]
LIST: Final = Path("docs/contributing/behaviors.json")
_RULE: Final = re.compile(r"\b(?:EQ|EP|PD|PR)\d{4}\b")
_CODE: Final = re.compile(r"`([^`]*)`")
_LOGIN: Final = "Options of a login"
_COMMON: Final = "Common options"
_KEY: Final = re.compile(r"^[a-z0-9.-]+/[A-Za-z.-]+$")


def of(root: Path) -> dict[str, list[str]]:
    """The behaviors of a checkout by what they are, each sorted."""
    return {what: sorted(set(read(root))) for what, read in _READERS.items()}


def text(root: Path) -> str:
    """What the list holds."""
    return json.dumps(of(root), indent=1) + "\n"


def _rules(root: Path) -> Iterator[str]:
    for page in (root / "docs" / "rules").glob("*.md"):
        yield from _RULE.findall(page.read_text(encoding="utf-8"))


def _rows(root: Path, page: str, heading: str = "") -> Iterator[list[str]]:
    """The cells of the tables of a page, of those below one heading."""
    below = ""
    for line in (root / "docs" / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            below = line.removeprefix("## ")
        elif line.startswith("| `") and below.startswith(heading):
            yield [each.strip() for each in line.strip("|").split(" | ")]


def _conditions(root: Path) -> Iterator[str]:
    for row in _rows(root, "reference/reasons.md", "Conditions"):
        (kind,), (status,), reasons = (_CODE.findall(cell) for cell in row[:3])
        yield from (f"{kind} {status} {reason}" for reason in reasons)


def _reasons(heading: str) -> Callable[[Path], Iterator[str]]:
    def read(root: Path) -> Iterator[str]:
        for row in _rows(root, "reference/reasons.md", heading):
            yield from _CODE.findall(row[0])

    return read


def _metrics(root: Path) -> Iterator[str]:
    for name, _, labels, *_ in _rows(root, "reference/metrics.md"):
        yield f"{''.join(_CODE.findall(name))}{{{', '.join(_CODE.findall(labels))}}}"


def _keys(root: Path) -> Iterator[str]:
    """Labels, annotations and the names of resources and gates, from the constants of the core."""
    for value in runpy.run_path(str(root / "operator" / "elasticquota" / "names.py")).values():
        several = value if isinstance(value, tuple | frozenset) else (value,)
        yield from (each for each in several if isinstance(each, str) and _KEY.match(each))


def _options(root: Path) -> Iterator[str]:
    """Each verb, and each verb with one of its arguments; those of a login are listed once."""
    verb, with_login = "", []
    for line in (root / "docs/reference/cli.md").read_text(encoding="utf-8").splitlines():
        shown = _CODE.findall(line)
        if line.startswith("## "):
            verb = line.removeprefix("## ")
            verb = "" if verb == _COMMON else verb.removeprefix("kubectl elastic-quota ")
            yield from () if verb in ("", _LOGIN) else (verb,)
        elif verb and line.startswith("Output with `-o`: "):
            yield f"{verb} --output"
            yield from (f"{verb} --output {each}" for each in shown[1:])
        elif verb and line.startswith("Also: "):
            yield from (f"{verb} {each}" for each in shown)
            with_login += [verb] if "[login](" in line else []
        elif verb and line.startswith("| `"):
            names = _CODE.findall(line.split(" | ")[0])
            name = next((each for each in names if each.startswith("--")), names[0])
            yield from (f"{each} {name}" for each in (with_login if verb == _LOGIN else (verb,)))


def _outputs(root: Path) -> Iterator[str]:
    """The fields of what programs read of the verbs."""
    for file in (root / "docs").glob("*.schema.json"):
        schema = json.loads(file.read_text(encoding="utf-8"))
        for name, each in schema.get("$defs", {}).items():
            yield from (f"{schema['title']} {name}.{part}" for part in each.get("properties", {}))


def _values(root: Path) -> Iterator[str]:
    for file in (root / "charts").glob("*/values.schema.json"):
        yield from _properties(json.loads(file.read_text(encoding="utf-8")))


def _fields(root: Path) -> Iterator[str]:
    for file in (root / "crds").rglob("*.yaml"):
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        for version in document["spec"]["versions"]:
            schema = version["schema"]["openAPIV3Schema"]["properties"]
            for part in ("spec", "status"):
                found = _properties(schema.get(part, {}), part)
                yield from (f"{document['spec']['names']['kind']} {each}" for each in found)


def _properties(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all leaves."""
    inner = schema.get("properties") or schema.get("items", {}).get("properties") or {}
    if not inner and path:
        yield path
    for name, each in inner.items():
        yield from _properties(each, f"{path}.{name}" if path else name)


_READERS: Final[Mapping[str, Callable[[Path], Iterator[str]]]] = {
    "rules": _rules,
    "conditions": _conditions,
    "reasons of refused quotas": _reasons("Why a quota"),
    "reasons of waiting pods": _reasons("Why a pod"),
    "events": _reasons("Events"),
    "metrics": _metrics,
    "labels and annotations": _keys,
    "fields": _fields,
    "values": _values,
    "verbs and options": _options,
    "fields of outputs": _outputs,
}


def compared(before: Path) -> Iterator[str]:
    """Lines that say what an older checkout had and what came since, by what it is."""
    old, new = of(before), of(ROOT)
    for what in new:
        gone, come = set(old[what]) - set(new[what]), set(new[what]) - set(old[what])
        yield f"{what}: {len(old[what])} -> {len(new[what])}"
        yield from (f"  - {each}" for each in sorted(gone))
        yield from (f"  + {each}" for each in sorted(come))


def main() -> None:
    """Write the list, or print a comparison."""
    parser = argparse.ArgumentParser(prog="behaviors")
    parser.add_argument("--compare", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    if asked.compare:
        print("\n".join(compared(asked.compare)))
    else:
        (ROOT / LIST).write_text(text(ROOT), encoding="utf-8")


if __name__ == "__main__":
    main()
