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
from local_cluster.process_node import expansion, fields, mounts, refusal, sources


_SOURCES: Final = ("operator", "webhooks")
_HIDDEN: Final = ("kubernetes", "pykube", "rich")
"""Kopf and structlog load these where they find them; the first two take as long as all else."""


async def build(
    pod: api.Object,
    container: dict[str, Any],
    *,
    base: Mapping[str, str],
    known: sources.Sources,
    mounted: mounts.Mounts,
    pod_ip: str,
    host_ip: str,
) -> dict[str, str]:
    """The variables of a container, later ones over earlier: ``base``, envFrom, env.

    Raises ``RefusalError`` when an object or key that they refer to is missing.
    """
    namespace = pod["metadata"]["namespace"]
    variables = dict(base)
    for source in container.get("envFrom", []):
        data = await _whole(source, namespace, known)
        prefix = source.get("prefix", "")
        variables |= {prefix + key: _text(key, value) for key, value in data.items()}
    for entry in container.get("env", []):
        if "valueFrom" in entry:
            told = entry["valueFrom"]
            if "fieldRef" in told:
                path = told["fieldRef"]["fieldPath"]
                value: str | None = fields.value(pod, path, pod_ip=pod_ip, host_ip=host_ip)
            else:
                value = await _key(told, namespace, known)
        else:
            value = expansion.expand(entry.get("value", ""), variables)
        if value is not None:
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


async def _whole(source: dict[str, Any], namespace: str, known: sources.Sources) -> sources.Data:
    if (told := source.get("configMapRef")) is not None:
        optional = told.get("optional", False)
        return await known.config_map(namespace, told["name"], optional=optional)
    if (told := source.get("secretRef")) is not None:
        return await known.secret(namespace, told["name"], optional=told.get("optional", False))
    raise refusal.config("the process node knows configMapRef and secretRef only in envFrom")


async def _key(told: dict[str, Any], namespace: str, known: sources.Sources) -> str | None:
    if (reference := told.get("configMapKeyRef")) is not None:
        optional = reference.get("optional", False)
        data = await known.config_map(namespace, reference["name"], optional=optional)
    elif (reference := told.get("secretKeyRef")) is not None:
        optional = reference.get("optional", False)
        data = await known.secret(namespace, reference["name"], optional=optional)
    else:
        raise refusal.config(f"the process node knows no env from {', '.join(told)}")
    if reference["key"] in data:
        return _text(reference["key"], data[reference["key"]])
    if optional:
        return None
    raise refusal.config(f'"{reference["name"]}" has no key "{reference["key"]}"')


def _text(key: str, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise refusal.config(f'the value of key "{key}" is no text') from None
