"""Every rule has a page of one form, and the index lists them all with their levels."""

import re
from pathlib import Path

import pytest
import yaml

import rule_index
import rule_layers
from elasticquota.validation import severity


PAGES = rule_index.pages()
BY_POLICY = {"EQ1108", "EQ1109", "PD1302", "PD1303", "PD1304", "PD1308", "PD1309", "PD1310"}
"""Rules that no webhook asks."""

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    codes = {rule.partition("-")[0] for rule in severity.TABLE} | BY_POLICY
    assert {page.stem for page in PAGES} == codes


def test_the_index_is_the_one_that_would_be_written() -> None:
    readme = (rule_index.FOLDER / "README.md").read_text(encoding="utf-8")
    assert readme == rule_index.written(readme), "run: python -m rule_index"


@every_page
def test_a_page_says_what_why_and_how_to_fix(page: Path) -> None:
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in headings if heading != "Example"] == [
        "What",
        "Why",
        "How to fix",
    ]


@every_page
def test_the_examples_of_a_page_are_manifests_and_end_in_its_code(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        assert all(document["metadata"]["name"] for document in yaml.safe_load_all(block))
    for block in re.findall(r"```(?:console|text)\n\$ .*?\n(.*?)```", text, re.DOTALL):
        assert f"[{page.stem}]" in block
    assert "\n$ kubectl " in text


def test_every_other_side_of_a_rule_is_explained() -> None:
    told = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    for rule in ("EQ1103-equal", "EQ1113-children", "PD1307-unbound", "PD1307-open"):
        assert f"`{rule}: deny`" in told


@pytest.mark.parametrize("state", rule_layers.STATES)
def test_every_rule_was_tried_with_each_layer_away(state: str) -> None:
    told = rule_layers.column(rule_layers.PAGE.read_text(encoding="utf-8"), state)
    assert {name[:6] for name, what in told.items() if what} == {page.stem for page in PAGES}
