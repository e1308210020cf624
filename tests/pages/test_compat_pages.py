"""docs/compat has a row for every item of the external systems, and names tests that exist."""

import re

import pytest

import tests_in_pages


ITEMS = {
    "koordinator": [
        *(f"K{number}" for number in range(1, 8)),
        "K7a",
        *(f"K{number}" for number in range(8, 40)),
        *(f"T{number}" for number in range(1, 18)),
    ],
    "ack": [f"Q{number}" for number in range(1, 33)],
    "capacity-scheduling": [f"C{number}" for number in range(1, 23)],
    "yunikorn": [f"Y{number}" for number in range(1, 28)],
    "kueue": [f"KU{number}" for number in range(1, 20)],
    "hnc": [f"HN{number}" for number in range(1, 12)],
    "volcano": [f"VO{number}" for number in range(1, 14)],
    "kai": [f"KA{number}" for number in range(1, 13)],
}
TODAY = re.compile(r"\*\*(same|better|different|not)\*\*")


def rows(page: str) -> dict[str, list[str]]:
    """The cells of each row, by its item."""
    text = (tests_in_pages.DOCS / "compat" / f"{page}.md").read_text()
    lines = [line for line in text.splitlines() if re.match(r"\| (?:[KTQCY]|KU|HN|VO|KA)\d", line)]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {found[0]: found for found in cells}


@pytest.mark.parametrize("page", ITEMS)
def test_every_item_is_there_in_order(page: str) -> None:
    assert list(rows(page)) == ITEMS[page]


@pytest.mark.parametrize(("page", "item"), [(page, item) for page in ITEMS for item in rows(page)])
def test_each_says_what_is_so_today_and_names_tests_for_what_it_claims(
    page: str, item: str
) -> None:
    _, what, today, tests = rows(page)[item]
    assert what
    said = TODAY.match(today)
    assert said, today
    if said[1] == "not":
        assert "because" in today
        assert "Instead: " in today
    tests_in_pages.named(tests)


def test_every_example_of_the_seeds_about_configuration_is_on_a_page() -> None:
    told = {
        name
        for page in ITEMS
        for cells in rows(page).values()
        for name in re.findall(r"`([\w/]+\.py::\w+)`", cells[3])
    }
    written = {
        name
        for file in ("ack/test_trees", "test_capacity", "yunikorn/test_queues")
        for name in tests_in_pages.of(f"unit/integrations/{file}.py")
        if "::test_seed_" in name
    }
    assert written <= told
