"""Rights that a process of the operator loses for a time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from users import User


@contextmanager
def without(admin: User, account: str, resource: str, verbs: Sequence[str]) -> Iterator[None]:
    """Take these rights from the ClusterRole ``account`` inside the block."""
    role = admin.get("ClusterRole", account)
    kept = ("name", "labels", "annotations")
    meta = {key: role["metadata"][key] for key in kept if key in role["metadata"]}
    rules = role["rules"]
    fewer = [
        {**rule, "verbs": [verb for verb in rule["verbs"] if verb not in verbs]}
        if rule["resources"] == [resource]
        else rule
        for rule in rules
    ]
    left = [rule for rule in fewer if rule["verbs"]]
    assert left != rules
    # Written as helm: otherwise helm would refuse to upgrade fields that another manager owns.
    whole = {"apiVersion": role["apiVersion"], "kind": role["kind"], "metadata": meta}
    admin.apply({**whole, "rules": left}, manager="helm")
    try:
        yield
    finally:
        admin.apply({**whole, "rules": rules}, manager="helm")
