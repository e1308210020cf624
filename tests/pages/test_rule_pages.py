"""Every rule has a section of one form, and the index lists them all with their levels."""

import re

import pytest
import yaml

import rule_index
import rule_layers
from elasticquota.validation import severity
from rule_index import Rule


RULES = rule_index.rules()
BY_POLICY = {
    *("EQ1108", "EQ1109", "PD1302", "PD1303", "PD1304", "PD1308", "PD1309", "PD1310", "PD1311")
}
"""Rules that no webhook asks."""

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def test_every_code_is_explained_once_and_on_its_page() -> None:
    codes = {rule.partition("-")[0] for rule in severity.TABLE} | BY_POLICY
    assert sorted(codes) == [rule.code for rule in RULES]
    assert all(rule.page == rule_index.page_of(rule.code) for rule in RULES)


def test_the_index_is_the_one_that_would_be_written() -> None:
    readme = rule_index.README.read_text(encoding="utf-8")
    assert readme == rule_index.written(readme), "run: make reference"


@every_rule
def test_a_rule_says_what_it_requires_and_what_its_message_does_not_say_of_the_remedy(
    rule: Rule,
) -> None:
    headings = re.findall(r"^### (.+)$", rule.text, re.MULTILINE)
    assert [heading for heading in headings if heading != "Example"] in (["How to fix"], [])
    what = rule.text.partition("Held by:")[2].partition("\n### ")[0]
    assert len(what.split()) > 10


@every_rule
def test_the_examples_of_a_rule_are_manifests_and_end_in_its_code(rule: Rule) -> None:
    text = rule.text
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        assert all(document["metadata"]["name"] for document in yaml.safe_load_all(block))
    for block in re.findall(r"```(?:console|text)\n\$ .*?\n(.*?)```", text, re.DOTALL):
        assert f"[{rule.code}]" in block
    assert "\n$ kubectl " in text


def test_every_other_side_of_a_rule_is_explained() -> None:
    told = " ".join(rule.text for rule in RULES)
    for rule in ("EQ1103-equal", "EQ1113-children", "PD1307-unbound", "PD1307-open"):
        assert f"`{rule}: deny`" in told


@pytest.mark.parametrize("state", rule_layers.STATES)
def test_every_rule_was_tried_with_each_layer_away(state: str) -> None:
    told = rule_layers.column(rule_layers.PAGE.read_text(encoding="utf-8"), state)
    assert {name[:6] for name, what in told.items() if what} == {rule.code for rule in RULES}
