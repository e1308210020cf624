"""The manifests of ``resource.k8s.io/v1``, decoded as far as they are read."""

from typing import Any, Final

import msgspec


GROUP: Final = "resource.k8s.io"
VERSION: Final = "v1"
API: Final = f"{GROUP}/{VERSION}"


class ClaimOwner(msgspec.Struct, gc=False):
    """One entry of ``metadata.ownerReferences``."""

    kind: str = ""
    uid: str = ""
    controller: bool | None = None


class DeviceMetadata(msgspec.Struct, rename="camel", gc=False):
    """The fields of ObjectMeta that are read."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = ""
    owner_references: list[ClaimOwner] | None = None


class DeviceManifest(msgspec.Struct, gc=False):
    """A ResourceClaim, ResourceClaimTemplate, DeviceClass or ResourceSlice."""

    metadata: DeviceMetadata = msgspec.field(default_factory=DeviceMetadata)
    spec: Any = None
    status: Any = None
