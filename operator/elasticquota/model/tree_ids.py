"""The id of a profile's tree, which its root quota and all below it have as a label (K 3.1)."""

from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile


_FNV_OFFSET: Final = 0xCBF29CE484222325
_FNV_PRIME: Final = 0x100000001B3


def hashed(key: Key) -> str:
    """Return Koordinator's tree id: FNV-1a-64 of ``namespace/name`` as decimal text."""
    digest = _FNV_OFFSET
    for byte in f"{key.namespace}/{key.name}".encode():
        digest = (digest ^ byte) * _FNV_PRIME % 2**64
    return str(digest)


def of(profile: Profile) -> str:
    """Return the preset tree id of ``profile``, else the hash of its key."""
    return profile.tree_id or hashed(profile.key)


def root_labels(profile: Profile) -> Mapping[str, str]:
    """Return the labels that mark the root quota of ``profile`` (semantics 5)."""
    return {
        names.PARENT: names.ROOT_QUOTA,
        names.PROFILE: profile.key.name,
        names.IS_PARENT: "true",
        names.IS_ROOT: "true",
        names.TREE_ID: of(profile),
    }
