"""What a user applies first is accepted at once: a profile and the quotas below its root in one
file, which the API server gets within milliseconds.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

import pytest
import yaml

import first_files
from first_files import Document
from installation import NAMESPACE, Kubectl
from scenes import condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

KINDS: Final = ("ElasticQuota", "ElasticQuotaProfile")


class Hands:
    """Applies a file and takes away what it made, so that the next time is a first one."""

    def __init__(self, admin: User, kubectl: Kubectl, text: str) -> None:
        self._admin = admin
        self._kubectl = kubectl
        self._text = text
        self._documents: list[Document] = list(yaml.safe_load_all(text))

    def apply(self, *how: str) -> None:
        """Apply the file; every object of it must be stored."""
        done = self._kubectl.attempt("apply", *how, "-f", "-", stdin=self._text)
        assert done.returncode == 0, done.stderr

    def are_accepted(self) -> None:
        """Wait until the controller accepts each quota, below a root that it made meanwhile."""
        for quota in first_files.quotas(self._documents):
            meta = quota["metadata"]
            look = partial(self._admin.get, "ElasticQuota", meta["name"], meta["namespace"])
            eventually(look, lambda found: condition(found, "Accepted")["status"] == "True")

    def take_away(self) -> None:
        """Delete the quotas, the children first, the profiles, and what they made."""
        for each in reversed(self._documents):
            if each["kind"] in KINDS:
                meta = each["metadata"]
                self._kubectl(
                    *("delete", "--ignore-not-found", each["kind"], meta["name"]),
                    *("-n", meta["namespace"]),
                )
        for each in self._documents:
            if each["kind"] == "ElasticQuotaProfile":
                root, namespace = each["spec"]["quotaName"], each["metadata"]["namespace"]
                eventually(partial(self._without, root, namespace), None)

    def _without(self, root: str, namespace: str) -> object:
        """Delete a root quota whose profile is gone; return it if it is still, or again, there."""
        self._kubectl("delete", "--ignore-not-found", "ElasticQuota", root, "-n", namespace)
        return self._admin.find("ElasticQuota", root, namespace)

    def leave(self) -> None:
        """Delete the namespaces too."""
        self.take_away()
        spaces = {each["metadata"].get("namespace", "") for each in self._documents}
        for name in spaces - {"", NAMESPACE, "kube-system", "default"}:
            self._kubectl("delete", "--ignore-not-found", "namespace", name)


@pytest.fixture(params=first_files.FILES)
def hands(request: pytest.FixtureRequest, admin: User, kubectl: Kubectl) -> Iterator[Hands]:
    found = Hands(admin, kubectl, first_files.FILES[request.param]())
    yield found
    found.leave()


@pytest.mark.usefixtures("product")
def test_a_whole_file_is_applied_at_once_and_its_quotas_are_accepted(hands: Hands) -> None:
    for how in ((), ("--server-side",)):
        hands.apply(*how)
        hands.are_accepted()
        hands.take_away()


@pytest.mark.long
@pytest.mark.usefixtures("product")
def test_no_file_is_refused_in_ten_times_however_it_is_applied(hands: Hands) -> None:
    for _ in range(10):
        for how in ((), ("--server-side",)):
            hands.apply(*how)
            hands.take_away()
