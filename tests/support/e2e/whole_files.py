"""Applies whole files, in any order, and takes away what they made."""

import random
import re
from collections.abc import Iterable
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
_OF_KUBECTL: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""What kubectl itself warns of where a namespace was applied on the other side before."""
_NO_DRIVER: Final = re.compile(
    r"Warning: spec\.(min|max)\.\w+\.example\.com\.deviceclass\.resource\.k8s\.io/devices: .*"
    r"(is limited once a node of the tree offers it|of 0 that the nodes of the tree offer)"
)
"""True, once the root quota is there: no driver runs here, so no node offers a device."""


class Hands:
    """Applies a file and takes away what it made, so that the next time is a first one."""

    def __init__(self, admin: User, kubectl: Kubectl, text: str) -> None:
        self._admin = admin
        self._kubectl = kubectl
        self._text = text
        self._documents: list[Document] = list(yaml.safe_load_all(text))

    def add_nodes(self) -> None:
        """Make nodes that offer what the file guarantees, so that no warning about that is true."""
        for each in first_files.nodes(self._documents):
            self._admin.create(each)

    def apply(self, *how: str) -> None:
        """Apply the file as it is; every object of it must be stored."""
        assert self._attempt("apply", *how, text=self._text) == ([], [])

    def apply_in(self, order: str, *how: str) -> list[str]:
        """Apply the file ``written`` (in its order), ``reversed`` or ``shuffled`` at random.

        Return each refusal, and each warning that is false: true is only that a parent is missing
        which the file has later, or has not stored (a dry run), and that no node offers a device.

        What the API server itself needs first, the namespaces, stays at the beginning.
        """
        ours = [each for each in self._documents if each["kind"] in KINDS]
        if order == "reversed":
            ours.reverse()
        elif order == "shuffled":
            random.shuffle(ours)
        others = [each for each in self._documents if each["kind"] not in KINDS]
        text = yaml.safe_dump_all([*others, *ours])
        refused, warned = self._attempt("apply", *how, text=text)
        true = _missing_parents(ours, are_stored="--dry-run=server" not in how)
        false = [line for line in warned if line not in true and not _NO_DRIVER.match(line)]
        return [*refused, *false]

    def delete(self) -> list[str]:
        """Delete the file's quotas and profiles in its own order, and return each refusal."""
        ours = [each for each in self._documents if each["kind"] in KINDS]
        text = yaml.safe_dump_all(ours)
        refused, warned = self._attempt("delete", "--ignore-not-found", text=text)
        assert warned == []
        return refused

    def _attempt(self, *command: str, text: str) -> tuple[list[str], list[str]]:
        """What kubectl said was refused, a line for each object, and what our rules warned of."""
        done = self._kubectl.attempt(*command, "-f", "-", stdin=text)
        lines = done.stderr.splitlines()
        refused = [line for line in lines if not line.startswith("Warning:")]
        assert bool(refused) == bool(done.returncode), done.stderr
        warned = [line for line in lines if line.startswith("Warning:")]
        return refused, [line for line in warned if _OF_KUBECTL not in line]

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
        """Delete the namespaces and the nodes too."""
        self.take_away()
        for each in first_files.nodes(self._documents):
            self._admin.delete("Node", each["metadata"]["name"])
        spaces = {each["metadata"].get("namespace", "") for each in self._documents}
        if made := sorted(spaces - {"", NAMESPACE, "kube-system", "default"}):
            self._kubectl("delete", "--ignore-not-found", "namespace", *made)


def _missing_parents(ours: Iterable[Document], *, are_stored: bool) -> set[str]:
    """The warnings about quotas whose parents are not there when they come in this order."""
    there: set[str] = set()
    missing: set[str] = set()
    for each in ours:
        spec = each["spec"]
        if each["kind"] == "ElasticQuota" and spec["parent"] not in there:
            missing.add(spec["parent"])
        if are_stored:
            there.add(spec.get("quotaName") or each["metadata"]["name"])
    return {
        f"Warning: spec.parent: there is no quota '{parent}'. Create it, or correct the name. "
        f"[EQ1101]"
        for parent in missing
    }
