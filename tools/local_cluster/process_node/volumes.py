"""Writes volumes as folders whose content changes all at once.

As in a kubelet, the files of a ConfigMap, Secret or projected volume are behind one symbolic link
``..data`` that is replaced by a rename, so a reader sees the old files or the new, never a mix.
"""

import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from local_cluster import api
from local_cluster.process_node import fields, refusal, sources, tokens


_LINK = "..data"


class Volumes:
    """The volumes of one pod, below one folder."""

    def __init__(
        self,
        pod: api.Object,
        root: Path,
        *,
        known: sources.Sources,
        own_tokens: tokens.Tokens,
        pod_ip: str,
    ) -> None:
        self._pod = pod
        self._root = root
        self._known = known
        self._tokens = own_tokens
        self._pod_ip = pod_ip
        self._namespace = pod["metadata"]["namespace"]

    def place(self, name: str) -> Path:
        """The folder of a volume. Raises ``RefusalError`` when the pod has none of this name."""
        for volume in self._pod["spec"].get("volumes", []):
            if volume["name"] == name:
                return self._root / name
        raise refusal.config(f'the pod has no volume "{name}"')

    async def refresh(self) -> None:
        """Write the current content of every volume.

        Raises ``RefusalError`` when an object or key is missing, and the client's errors.
        """
        for volume in self._pod["spec"].get("volumes", []):
            place = self._root / volume["name"]
            place.mkdir(parents=True, exist_ok=True)
            if "emptyDir" not in volume:
                replace(place, await self._content(volume))

    async def _content(self, volume: dict[str, Any]) -> sources.Data:
        if "projected" in volume:
            files: sources.Data = {}
            for source in volume["projected"].get("sources", []):
                files |= await self._source(source, volume["name"])
            return files
        return await self._source(volume, volume["name"])

    async def _source(self, source: dict[str, Any], volume: str) -> sources.Data:
        if (told := source.get("configMap")) is not None:
            data = await self._known.config_map(self._namespace, told["name"])
            return choose(data, told.get("items"), told["name"])
        if (told := source.get("secret")) is not None:
            # A volume has secretName where a projection has name.
            name = told.get("secretName") or told["name"]
            data = await self._known.secret(self._namespace, name)
            return choose(data, told.get("items"), name)
        if (told := source.get("serviceAccountToken")) is not None:
            return {told["path"]: await self._tokens.token(told)}
        if (told := source.get("downwardAPI")) is not None:
            return {item["path"]: self._field(item) for item in told.get("items", [])}
        raise refusal.config(f'the process node has no such kind of volume as "{volume}"')

    def _field(self, item: dict[str, Any]) -> bytes:
        if "fieldRef" not in item:
            raise refusal.config("the process node knows fieldRef only in downwardAPI volumes")
        path = item["fieldRef"]["fieldPath"]
        return fields.value(self._pod, path, pod_ip=self._pod_ip).encode()


def choose(data: sources.Data, items: list[dict[str, str]] | None, name: str) -> sources.Data:
    """The files that ``items`` select: all keys without items, else the named keys' paths."""
    if items is None:
        return data
    for item in items:
        if item["key"] not in data:
            raise refusal.config(f'"{name}" has no key "{item["key"]}"')
    return {item["path"]: data[item["key"]] for item in items}


def replace(place: Path, files: sources.Data) -> bool:
    """Make ``files`` (by relative path) the folder's content in one step; False: no change."""
    link = place / _LINK
    former = link.resolve() if link.is_symlink() else None
    if former is not None and _read(former) == files:
        return False
    fresh = place / f"..{secrets.token_hex(8)}"
    for path, content in files.items():
        target = fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(mode=0o600)
        target.write_bytes(content)
    fresh.mkdir(exist_ok=True)
    staged = place / "..data.new"
    staged.unlink(missing_ok=True)
    staged.symlink_to(fresh.name)
    staged.replace(link)
    _link_names(place, {Path(path).parts[0] for path in files})
    if former is not None:
        shutil.rmtree(former, ignore_errors=True)
    return True


def _link_names(place: Path, names: set[str]) -> None:
    for entry in place.iterdir():
        if entry.is_symlink() and not entry.name.startswith("..") and entry.name not in names:
            entry.unlink()
    for name in names:
        visible = place / name
        if not visible.is_symlink():
            visible.symlink_to(Path(_LINK) / name)


def _read(folder: Path) -> sources.Data:
    return {
        str((Path(parent) / name).relative_to(folder)): (Path(parent) / name).read_bytes()
        for parent, _, names in os.walk(folder)
        for name in names
    }
