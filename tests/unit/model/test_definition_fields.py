"""Each field of our definitions is known, and no other."""

from pathlib import Path

import pytest
import yaml

from elasticquota.model import definition_fields


CRDS = Path(__file__).parents[3] / "crds"


@pytest.mark.parametrize("kind", definition_fields.FIELDS)
def test_they_are_those_of_the_definition(kind: str) -> None:
    written = yaml.safe_load((CRDS / f"{kind.lower()}s.yaml").read_text(encoding="utf-8"))
    (version,) = written["spec"]["versions"]
    parts = version["schema"]["openAPIV3Schema"]["properties"]
    found = [f"{part}.{name}" for part in ("spec", "status") for name in parts[part]["properties"]]
    assert list(definition_fields.FIELDS[kind]) == found
