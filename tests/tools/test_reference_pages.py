"""The generated pages of docs/reference are up to date."""

import re
from typing import get_args

import pytest

from elasticquota.model import verdict
from reference_pages import catalog, reasons, report_schemas, sources, tables, values


WITH_THE_RULE = {
    "CycleDetected": "must not form a cycle, but eq1101-top",
    "MinExceedsParent": "30 must be less than or equal to 12, the unreserved min of parent",
    "NameConflict": "names must be unique over all namespaces",
    "TreeMismatch": "must be the tree id of parent",
}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return catalog.pages()


@pytest.mark.parametrize("name", catalog.WRITERS)
def test_a_page_is_up_to_date(name: str, pages: dict[str, str]) -> None:
    assert (catalog.FOLDER / name).read_text(encoding="utf-8") == pages[name], "run: make reference"


def test_the_schemas_are_those_of_the_reports() -> None:
    names = {path.name for path in report_schemas.FOLDER.glob("*.schema.json")}
    assert report_schemas.files() == {
        name: (report_schemas.FOLDER / name).read_text(encoding="utf-8") for name in names
    }, "run: make reference"


def test_the_conditions_in_the_page_of_reasons_are_up_to_date() -> None:
    page = reasons.PAGE.read_text(encoding="utf-8")
    assert reasons.written(page) == page, "run: make reference"


@pytest.mark.parametrize(
    ("row", "other", "says"),
    [
        ("| `TooDeep` |", "| TooDeep |", "not accepted: lacking ['TooDeep'], there is no []"),
        ("| `QuotaPaused` |", "| `Paused` |", "lacking ['QuotaPaused'], there is no ['Paused']"),
        ("| `QuotaWait` |", "|", "Events: lacking ['QuotaWait'], there is no []"),
    ],
)
def test_each_reason_has_a_row_and_no_row_is_of_none(row: str, other: str, says: str) -> None:
    page = reasons.PAGE.read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match=re.escape(says)):
        reasons.written(page.replace(row, other))


def test_the_pages_contain_their_subjects(pages: dict[str, str]) -> None:
    assert "`spec.min`" in pages["crds.md"]
    assert "`elasticquota_quota`" in pages["metrics.md"]
    assert "`elasticquota_webhook_reviews_total`" in pages["metrics.md"]
    assert "## kubectl elastic-quota simulate" in pages["cli.md"]
    chart = values.README.read_text(encoding="utf-8")
    assert "`config.reclaim.graceSeconds`" in chart


@pytest.mark.parametrize("reason", sorted(set(get_args(verdict.Reason)) - {"Accepted"}))
def test_why_a_quota_is_not_accepted_stands_on_a_page(reason: str, pages: dict[str, str]) -> None:
    """On the page of messages, or with the rule."""
    rules = (sources.ROOT / "docs/rules/quotas.md").read_text(encoding="utf-8")
    shown = f"* `Accepted False {reason}`: " in pages["messages.md"]
    assert shown != (WITH_THE_RULE.get(reason, "of no rule") in rules)


@pytest.mark.parametrize("name", catalog.WRITERS)
def test_the_rows_of_a_table_have_as_many_cells_as_its_head(
    name: str, pages: dict[str, str]
) -> None:
    for block in re.findall(r"(?:^\|.*\|\n)+", pages[name], re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1


def test_a_bar_and_a_tag_do_not_break_a_row() -> None:
    assert tables.code("a|<b>") == "<code>a&#124;&lt;b&gt;</code>"
    assert tables.prose("a <b> * `c*`\n d") == "a &lt;b> \\* `c*` d"


def test_a_page_without_the_place_of_its_table_is_an_error() -> None:
    page = "before\n<!-- mark -->\n\nold\n\n<!-- end of the table -->\nafter\n"
    assert tables.inserted(page, "<!-- mark -->", "new\n\n") == page.replace("old", "new")
    for lost in ("<!-- mark -->", "<!-- end of the table -->"):
        with pytest.raises(ValueError, match="lacks the line '<!-- mark -->'"):
            tables.inserted(page.replace(lost, ""), "<!-- mark -->", "new\n\n")
