"""Saves quotas and profiles by the commands of the page about backups."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

from installation import Kubectl


_PAGE: Final = (Path(__file__).parents[3] / "docs/how-to/operate.md").read_text()


def saved(kubectl: Kubectl, namespace: str) -> list[dict[str, Any]]:
    """The objects of a namespace as the page saves them, parents before their children."""
    (selector,) = re.findall(r"-l '(.+?)'", _PAGE)
    (fields,) = re.findall(r"\.metadata\[([^\]]+)\]", _PAGE)
    found = []
    for words in (("elasticquotaprofile",), ("elasticquota", "-l", selector)):
        found += json.loads(kubectl("get", *words, "-n", namespace, "-o", "json"))["items"]
    for each in found:
        each.pop("status", None)
        for field in re.findall(r"\w+", fields):
            each["metadata"].pop(field, None)
    return _in_order(found)


def _in_order(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sorted by the page's own program."""
    (program,) = re.findall(r"^  \| (\(map.+?)' all\.json", _PAGE, re.DOTALL | re.MULTILINE)
    done = subprocess.run(
        ["jq", program], input=json.dumps(objects), capture_output=True, text=True, check=True
    )
    items: list[dict[str, Any]] = json.loads(done.stdout)["items"]
    return items
