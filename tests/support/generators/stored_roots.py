"""A root quota as the API server has it once the controller wrote it."""

from elasticquota.model.decision import RootQuota
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.wire.quota import pools


def written(before: Quota, root: RootQuota) -> Quota:
    """``before`` with the bounds and the pools of ``root``."""
    found = pools.read(root.tree, "spec.tree", [])
    return replace(before, min=root.min, max=root.max, pools=found)
