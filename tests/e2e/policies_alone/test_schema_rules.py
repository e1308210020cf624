"""Each rule of the schemas refuses one value and takes another, and so do the rules of the webhook.

The table is ``schema_rules``; where the rules only warn, or take a value, ``schema_verdicts`` says
so. No webhook runs here, and all writes are dry runs.
"""

from typing import Any, Final

import msgspec
import pytest

import good_manifests
import schema_rules
import schema_verdicts
import served
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.validation import chains
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.wire.quota import profiles
from scenes import Pool, refusal
from schema_rules import Case
from users import Document, User


pytestmark = pytest.mark.cluster

CASES: Final = tuple(schema_rules.cases())
SAID: Final = {
    "minLength": "should be at least",
    "maxLength": "Too long",
    "minItems": "should have at least",
    "maxItems": "Too many",
    "minProperties": "should have at least",
    "maxProperties": "Too many",
    "minimum": "should be greater than or equal to",
    "pattern": "should match",
    "enum": "Unsupported value",
    "required": "Required value",
}
"""What the API server says of a bound."""


def sent(manifest: Document, home: Pool) -> Document:
    return {**manifest, "metadata": {"name": "judged", "namespace": home.namespace}}


def words(rule: str) -> str:
    """What is in the answer; the values of a rule in CEL stand before its last part."""
    return SAID.get(rule.partition(" ")[0]) or rule.rpartition("; ")[2]


@served.since(34)  # before it quantities have no rules
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_schema_and_the_rules_say_the_same(case: Case, home: Pool, admin: User) -> None:
    refused = refusal(lambda: admin.create(sent(case.wrong, home), dry_run=True))
    assert refused.code == 422
    assert words(case.rule) in " ".join(text for _, text in refused.causes), refused.causes
    verdict = schema_verdicts.of(case.kind, case.wrong)
    assert schema_verdicts.says(verdict, schema_verdicts.expected(case))

    admin.create(sent(case.right, home), dry_run=True, strict=True)
    assert schema_verdicts.of(case.kind, case.right) == schema_verdicts.TAKEN


def test_a_profile_keeps_the_name_of_its_root_by_the_schema_and_by_the_rules(
    home: Pool, admin: User
) -> None:
    stored = admin.get(names.PROFILE_KIND, "pool", home.namespace)

    def by_rules(name: str) -> set[str]:
        new = good_manifests.edited(stored, ("spec", "quotaName"), name)
        old, read = (
            profiles.read(msgspec.convert(each, profiles.ProfileManifest)) for each in (stored, new)
        )
        found = chains.judge_profile(ProfileChange(old, read), acceptance.build(()))
        return {each.code for each in found.refused}

    def by_server(name: str) -> Any:
        change = {"spec": {"quotaName": name}}
        return admin.patch(names.PROFILE_KIND, "pool", home.namespace, change=change, dry_run=True)

    assert "[EP1201]" in refusal(lambda: by_server("another")).message
    assert by_rules("another") == {"EP1201"}
    by_server(home.root)
    assert by_rules(home.root) == set()
