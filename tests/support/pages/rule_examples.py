"""The examples on the pages of the rules: what is stored, which user types, input and output.

A page has any number of sections ``### Example``. The user is the administrator, or a tenant who
may edit one namespace and its quotas, where the page says so.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

import rule_index
from installation import Kubectl
from scenes import gates
from users import KINDS, Document, User
from waiting import eventually


NAMESPACES = ("teams", "shop", "pools")
_YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
_FILE = re.compile(r"[Ii]n `(\w+\.yaml)`")
_CONSOLE = re.compile(r"```console\n\$ kubectl (.*?)\n(.*?)\n```", re.DOTALL)
_TENANT = "typed by a tenant"
_ADMITTED = "Stored, and admitted"


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a page: ``file`` and ``written`` are empty when there is no file."""

    name: str
    stored: tuple[str, ...]
    admitted: bool
    by_tenant: bool
    file: str
    written: str
    command: str
    printed: str

    def documents(self) -> list[Document]:
        """Everything that the example stores or wants to store."""
        texts = [*self.stored, *([self.written] if self.written else [])]
        return [each for text in texts for each in yaml.safe_load_all(text)]

    def store(self, kubectl: Kubectl, admin: User) -> None:
        """Store what must exist before, and wait for pods that must be admitted."""
        for text in self.stored:
            # A quota below the root of a profile is created after the root.
            eventually(partial(_applied, kubectl, text), True)
        for each in self.documents() if self.admitted else []:
            if each["kind"] == "Pod":
                name, namespace = each["metadata"]["name"], each["metadata"]["namespace"]
                # A new node takes pods only when the cluster considers it ready.
                eventually(partial(_gates, admin, name, namespace), [], within=60)

    def words(self, folder: Path) -> list[str]:
        """The arguments of ``kubectl``, with the file in ``folder``."""
        if self.file:
            (folder / self.file).write_text(self.written, encoding="utf-8")
        return [
            str(folder / word) if word == self.file else word for word in shlex.split(self.command)
        ]

    def type(self, user: User) -> None:
        """Send the same through the client, which shows the API server's plain answer."""
        verb, *words = shlex.split(self.command)
        if self.file:
            (document,) = yaml.safe_load_all(self.written)
            _send(user, verb, document)
            return
        kind, name, _, namespace, *rest = words
        kind = next(each for each in KINDS if each.lower() == kind)
        if verb == "delete":
            user.delete(kind, name, namespace)
        elif verb == "label":
            key, _, value = rest[-1].partition("=")
            change: Any = {"metadata": {"labels": {key: value}}}
            user.patch(kind, name, namespace, change=change)
        else:
            user.patch(kind, name, namespace, change=json.loads(rest[-1]))


def examples() -> list[Example]:
    """All examples that print something exact, by code; the name of a page's second example says
    so.
    """
    return [example for rule in rule_index.rules() for example in _of_rule(rule)]


def _of_rule(rule: rule_index.Rule) -> Iterator[Example]:
    sections = rule.text.split("\n### ")
    found = [section for section in sections if section.startswith("Example\n")]
    for number, section in enumerate(found):
        console = _CONSOLE.search(section)
        if console is not None:
            yield _example(rule.code + (f" ({number + 1})" if number else ""), section, console)


def _example(name: str, section: str, console: "re.Match[str]") -> Example:
    blocks = _YAML.findall(section)
    file = _FILE.search(section)
    written = blocks.pop() if file else ""
    return Example(
        name=name,
        stored=tuple(blocks),
        admitted=_ADMITTED in section,
        by_tenant=_TENANT in section,
        file=file[1] if file else "",
        written=written,
        command=console[1],
        printed=console[2],
    )


def _send(user: User, verb: str, document: Document) -> None:
    if verb == "create":
        user.create(document)
    else:
        metadata = document["metadata"]
        user.patch(document["kind"], metadata["name"], metadata["namespace"], change=document)


def _applied(kubectl: Kubectl, text: str) -> bool:
    return kubectl.attempt("apply", "-f", "-", stdin=text).returncode == 0


def _gates(admin: User, name: str, namespace: str) -> list[str]:
    return gates(admin.get("Pod", name, namespace))
