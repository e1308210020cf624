"""The rules refuse what the schema refuses, and take what it takes.

``tests/e2e/policies_alone/test_schema_rules.py`` puts the same table through the API server.
"""

from collections.abc import Iterator
from typing import Final

import pytest

import good_manifests
import schema_rules
import schema_verdicts
from good_manifests import Document
from schema_rules import Case


CASES: Final = tuple(schema_rules.cases())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rules_say_what_the_schema_says(case: Case) -> None:
    found = schema_verdicts.of(case.kind, case.wrong)
    assert schema_verdicts.says(found, schema_verdicts.expected(case)), found
    assert schema_verdicts.of(case.kind, case.right) == schema_verdicts.TAKEN


def places(schema: Document, at: str = "spec") -> Iterator[tuple[str, Document]]:
    """Each place of a schema, as the cases name it."""
    yield at, schema
    for key, part in schema.get("properties", {}).items():
        yield from places(part, f"{at}.{key}")
    if "items" in schema:
        yield from places(schema["items"], f"{at}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from places(schema["additionalProperties"], f"{at}{{}}")


def test_each_rule_of_each_schema_has_a_case() -> None:
    wanted = {
        (kind, place, rule)
        for kind in good_manifests.KINDS
        for place, schema in places(good_manifests.schema_of(kind))
        for rule in schema_rules.rules(schema)
    }
    assert {(case.kind, case.place, case.rule) for case in CASES} == wanted
    assert len(wanted) > 200


def test_each_row_of_the_table_is_about_a_rule() -> None:
    rules = {case.rule for case in CASES}
    rules |= {f"{case.place}: {case.rule.partition(' ')[0]}" for case in CASES}
    assert rules >= schema_rules.TABLE.keys()
