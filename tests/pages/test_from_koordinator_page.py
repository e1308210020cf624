"""The page for users of Koordinator names each field that our definitions have."""

from pathlib import Path

import pytest

from elasticquota.model import definition_fields


PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "from-koordinator.md").read_text()
FIELDS = [
    (kind, field.removeprefix("spec."))
    for kind, fields in definition_fields.FIELDS.items()
    for field in fields
    if field.startswith("spec.") and field not in {"spec.min", "spec.max"}
]


@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_each_field_besides_min_and_max_says_what_it_is_in_place_of(kind: str, field: str) -> None:
    _, of_quotas, of_profiles = PAGE.split("| in place of |")
    table = of_quotas if kind == "ElasticQuota" else of_profiles
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert any(f"`{field}`" in row.split("|")[1] for row in rows)
