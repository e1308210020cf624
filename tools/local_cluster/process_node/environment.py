"""Builds a container's environment from its pod and from what programs need on this machine.

Of the process node's own environment only the search path is passed on. It begins with the folder
of the running interpreter, where the operator's own programs are installed. Their modules are those
of the checkout that has this file, wherever the interpreter would find them: a copy of it runs its
own. Packages of development are hidden from them, as the image has none.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from local_cluster import api
from local_cluster.build import TOOLS
from local_cluster.process_node import fields, mounts, refusal


_SOURCES: Final = ("operator", "webhooks")
_HIDDEN: Final = ("kubernetes", "pykube", "rich")
"""Kopf and structlog load these where they find them; the first two take as long as all else."""


def build(
    pod: api.Object,
    container: dict[str, Any],
    *,
    base: Mapping[str, str],
    mounted: mounts.Mounts,
    pod_ip: str,
) -> dict[str, str]:
    """The variables of a container, its own over ``base``.

    They are values, or fields of the pod: the chart's pods ask for no others. Raises
    ``RefusalError`` for those.
    """
    if "envFrom" in container:
        raise refusal.config("the process node knows no envFrom")
    variables = dict(base)
    for entry in container.get("env", []):
        value = entry.get("value", "")
        if (told := entry.get("valueFrom")) is not None:
            if "fieldRef" not in told:
                raise refusal.config(f"the process node knows no env from {', '.join(told)}")
            value = fields.value(pod, told["fieldRef"]["fieldPath"], pod_ip=pod_ip)
        variables[entry["name"]] = mounted.rewrite(value)
    return variables


def base(pod: api.Object, api_url: str, home: Path, mounted: mounts.Mounts) -> dict[str, str]:
    """The variables that every container has, whatever its pod specifies."""
    host, _, port = api_url.removeprefix("https://").rpartition(":")
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(
            [*(str(TOOLS.parent / each) for each in _SOURCES), str(_hiding(home / "hidden"))]
        ),
        "HOME": str(home),
        "HOSTNAME": pod["metadata"]["name"],
        "TMPDIR": str(mounted.place("/tmp") or home),  # noqa: S108 - a path inside the container
        "LANG": "C.UTF-8",
        "KUBERNETES_SERVICE_HOST": host,
        "KUBERNETES_SERVICE_PORT": port,
    }


def _hiding(folder: Path) -> Path:
    """Fill the folder with modules whose import fails, and return it."""
    folder.mkdir(exist_ok=True)
    for name in _HIDDEN:
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError(name={name!r})\n")
    return folder
