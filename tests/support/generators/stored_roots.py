"""A root quota as the API server has it once the controller wrote it."""

from elasticquota.model.decision import RootQuota
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import pools


def written(before: Quota, root: RootQuota) -> Quota:
    """``before`` with the bounds and the pools of ``root``."""
    meta = ObjectMeta(annotations=dict(root.annotations))
    return replace(before, min=root.min, max=root.max, pools=pools.read(meta, []).pools)
