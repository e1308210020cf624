"""The ConfigMap with YuniKorn's configuration."""

from typing import Any

import yaml

from users import Document


def of(root: Any, rules: tuple[Any, ...] = (), **more: Any) -> Document:
    """A ConfigMap of one partition with this root queue, these placement rules and ``more``."""
    partition = {"name": "default", "queues": [root], "placementrules": list(rules), **more}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
        "data": {"queues.yaml": yaml.safe_dump({"partitions": [partition]})},
    }
