"""``pytest tests/vectors --vectors FILE`` runs another file of the same shapes."""

import pathlib

import pytest

from tests.vectors import reading


OWN_FILE = pathlib.Path(__file__).with_name("koordinator.json")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--vectors", metavar="FILE", help="rows to run instead of tests/vectors/koordinator.json"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for ``row`` runs once for every row of the file."""
    if "row" in metafunc.fixturenames:
        rows = _document(metafunc.config).rows
        metafunc.parametrize("row", rows, ids=[row.id for row in rows])


@pytest.fixture
def document(request: pytest.FixtureRequest) -> reading.Document:
    """The file that this run is about."""
    return _document(request.config)


@pytest.fixture
def own_document() -> reading.Document:
    """The file of the repository, whatever this run is about."""
    return reading.read(OWN_FILE)


def _document(config: pytest.Config) -> reading.Document:
    # In a run of everything this file is found too late to register the option.
    given = config.getoption("vectors", default=None)
    try:
        return reading.read(pathlib.Path(given) if given else OWN_FILE)
    except reading.ReadingError as error:
        raise pytest.UsageError(f"--vectors: {error}") from None
