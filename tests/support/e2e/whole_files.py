"""Applies whole files, in any order, and takes away what they made."""

import random
from functools import partial
from typing import Final

import yaml

import first_files
import saved_quotas
from first_files import Document
from installation import NAMESPACE, Kubectl
from scenes import condition
from users import User
from waiting import eventually


KINDS: Final = ("ElasticQuota", "ElasticQuotaProfile")


class Hands:
    """Applies a file and takes away what it made, so that the next time is a first one."""

    def __init__(self, admin: User, kubectl: Kubectl, text: str) -> None:
        self._admin = admin
        self._kubectl = kubectl
        self._text = text
        self._documents: list[Document] = list(yaml.safe_load_all(text))

    def apply(self, *how: str) -> None:
        """Apply the file as it is; every object of it must be stored."""
        assert self._attempt("apply", *how, text=self._text) == []

    def apply_in(self, order: str, *how: str) -> list[str]:
        """Apply the file ``written`` (in its order), ``reversed`` or ``shuffled`` at random.

        Return each refusal.

        What the API server itself needs first, the namespaces, stays at the beginning.
        """
        ours = [each for each in self._documents if each["kind"] in KINDS]
        if order == "reversed":
            ours.reverse()
        elif order == "shuffled":
            random.shuffle(ours)
        others = [each for each in self._documents if each["kind"] not in KINDS]
        return self._attempt("apply", *how, text=yaml.safe_dump_all([*others, *ours]))

    def delete(self) -> list[str]:
        """Delete the file's quotas and profiles in its own order, and return each refusal."""
        ours = [each for each in self._documents if each["kind"] in KINDS]
        return self._attempt("delete", "--ignore-not-found", text=yaml.safe_dump_all(ours))

    def _attempt(self, *command: str, text: str) -> list[str]:
        """What kubectl said was refused, a line for each object; empty: it did all."""
        done = self._kubectl.attempt(*command, "-f", "-", stdin=text)
        refused = [line for line in done.stderr.splitlines() if not line.startswith("Warning:")]
        assert bool(refused) == bool(done.returncode), done.stderr
        return refused

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

    def saved(self) -> "Hands":
        """What the page about backups saves of the file's namespaces, to be restored."""
        found = [each for each in self._documents if each["kind"] not in KINDS]
        for space in sorted({each["metadata"].get("namespace", "") for each in self._documents}):
            if space:
                found += saved_quotas.saved(self._kubectl, space)
        return Hands(self._admin, self._kubectl, yaml.safe_dump_all(found))

    def leave(self) -> None:
        """Delete the namespaces too."""
        self.take_away()
        spaces = {each["metadata"].get("namespace", "") for each in self._documents}
        if made := sorted(spaces - {"", NAMESPACE, "kube-system", "default"}):
            self._kubectl("delete", "--ignore-not-found", "namespace", *made)
