"""The ConfigMap in which YuniKorn's configuration stands."""

from typing import Any

import yaml

from users import Document


def of(root: Any, rules: tuple[Any, ...] = ()) -> Document:
    """Of one partition with this root queue, and its placement rules."""
    partition = {"name": "default", "queues": [root], "placementrules": list(rules)}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
        "data": {"queues.yaml": yaml.safe_dump({"partitions": [partition]})},
    }
