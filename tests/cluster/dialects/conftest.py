"""The installation with the dialects switched on, for the time of this folder."""

from collections.abc import Callable, Iterator

import pytest

from installation import Installation, Kubectl
from neighbourhood import Neighbourhood
from users import User


@pytest.fixture(scope="package")
def following(product: Installation) -> Iterator[None]:
    """Both dialects are followed."""
    with product.upgraded({"dialects": {"ack": True, "capacity": True}}):
        yield


@pytest.fixture
def neighbourhood(
    following: None, admission: None, admin: User, kubectl: Kubectl
) -> Iterator[Callable[[str], Neighbourhood]]:
    """Plays examples: ``neighbourhood("ack")``."""
    opened: list[Neighbourhood] = []

    def open_(folder: str) -> Neighbourhood:
        opened.append(Neighbourhood(admin, kubectl, folder))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()
