"""Sets the number and seeds of the examples (``effort``), and judges what occurs in them."""

from collections.abc import Iterator

import pytest

import effort
import law_report


effort.choose()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "about(**parts): what a law is about (law_content)")


def pytest_itemcollected(item: pytest.Item) -> None:
    effort.pin(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with law_report.judged(item):
        yield
