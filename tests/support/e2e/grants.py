"""What the operator's accounts may do, and what its processes asked the API server for.

The chart grants; the audit log says what was asked. In a whole run both are the same: a request
that is never allowed is a fault of the chart, and so is a grant that nothing uses.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import audit
from users import Document, User


class Right(NamedTuple):
    """``resource`` is resource or resource/subresource; ``account`` is the user's name."""

    account: str
    group: str
    resource: str
    verb: str

    def __str__(self) -> str:
        return f"{self.account.rpartition(':')[2]}: {self.verb} {self.resource}.{self.group}"


GRANTED: Final = pytest.StashKey[set[Right]]()
USED: Final = pytest.StashKey[set[Right]]()


def granted(admin: User, accounts: Sequence[str]) -> set[Right]:
    """What RBAC lets these service accounts do at present, by bindings that name them."""
    return {
        Right(account, group, resource, verb)
        for account, rule in _rules(admin, accounts)
        for group in rule.get("apiGroups", ())
        for resource in rule.get("resources", ())
        for verb in rule["verbs"]
    }


def allowed(log: Path) -> set[Right]:
    """What was asked for under our accounts and allowed at least once."""
    return {right for right, decisions in _asked(log).items() if "allow" in decisions}


def never_allowed(log: Path) -> set[Right]:
    """What was asked for under our accounts and never allowed."""
    return {right for right, decisions in _asked(log).items() if "allow" not in decisions}


def reads_of(log: Path, account: str) -> set[tuple[str, str]]:
    """Group and resource of the objects that an account read by name."""
    return {
        (right.group, right.resource)
        for right in allowed(log)
        if (right.account, right.verb) == (account, "get")
    }


def keep(config: pytest.Config, given: Iterable[Right], used: Iterable[Right]) -> None:
    """Keep what a cluster granted, and what was used of it, until the end of the session."""
    config.stash.setdefault(GRANTED, set()).update(given)
    config.stash.setdefault(USED, set()).update(used)


def hand_over(config: pytest.Config) -> None:
    """At the end of a worker (pytest-xdist)."""
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output["granted"] = [tuple(right) for right in config.stash.get(GRANTED, set())]
        output["used"] = [tuple(right) for right in config.stash.get(USED, set())]


def take_over(config: pytest.Config, output: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """When a worker has ended."""
    kept = [{Right(*right) for right in output.get(what, ())} for what in ("granted", "used")]
    keep(config, *kept)


def unused(config: pytest.Config) -> list[Right]:
    """What the chart granted in this session and nothing used.

    What is watched is listed only where a server does not stream its lists (before 1.34).
    """
    used = config.stash.get(USED, set())
    lists = {right._replace(verb="list") for right in used if right.verb == "watch"}
    return sorted(config.stash.get(GRANTED, set()) - used - lists)


def table(config: pytest.Config) -> list[str]:
    """What the chart granted in this session, and whether it was used: a line for each grant."""
    idle = {*unused(config)}
    rights: set[Right] = config.stash.get(GRANTED, set())
    return [
        f"{'granted and never used' if right in idle else 'granted and used'}: {right}"
        for right in sorted(rights)
    ]


def _rules(admin: User, accounts: Sequence[str]) -> Iterator[tuple[str, Document]]:
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        for binding in admin.list(kind):
            role = binding["roleRef"]
            home = binding["metadata"].get("namespace", "")
            for subject in binding.get("subjects") or ():
                user = f"system:serviceaccount:{subject.get('namespace')}:{subject['name']}"
                if user in accounts:
                    found = admin.get(role["kind"], role["name"], home)
                    yield from ((user, rule) for rule in found["rules"])


def _asked(log: Path) -> dict[Right, set[str]]:
    """By right, the answers of the authorizer to requests of the operator."""
    asked: dict[Right, set[str]] = {}
    for request in audit.of_accounts(log):
        right = Right(request.user, request.group, request.what, request.verb)
        asked.setdefault(right, set()).add(request.decision)
    return asked
