"""The teams of a picture, and the shares that the product computes for them.

Every team has one waiting pod that requests all it wants; the shares are the runtimes that the
product would publish. A root quota with a stated total takes the place of the nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota


UNITS = "example.com/units"
POOL = "pool"


@dataclass(frozen=True, slots=True)
class Team:
    """A quota below the pool; a department when other teams name it as their parent."""

    name: str
    asks: int
    min: int
    weight: int
    parent: str = POOL

    def quota(self, is_parent: bool) -> Quota:
        return Quota(
            key=Key("teams", self.name),
            uid=self.name,
            created="",
            parent=self.parent,
            is_parent=is_parent,
            tree_id=POOL,
            min={UNITS: self.min},
            shared_weight={UNITS: self.weight},
        )

    def pod(self) -> Pod:
        return Pod(
            key=Key("teams", self.name),
            uid=self.name,
            created="",
            quota_label=self.name,
            request={UNITS: self.asks},
            gates=(names.GATE,),
        )


def decided(total: int, teams: Sequence[Team]) -> dict[str, QuotaStatus]:
    """The status that the product would publish for every quota, by name."""
    pool = Quota(
        key=Key("teams", POOL),
        uid=POOL,
        created="",
        is_parent=True,
        is_root=True,
        tree_id=POOL,
        min={UNITS: total},
        total={UNITS: total},
    )
    ledger = Ledger()
    ledger.upsert_quota(pool)
    parents = {team.parent for team in teams}
    for team in teams:
        ledger.upsert_quota(team.quota(is_parent=team.name in parents))
        if team.asks:
            ledger.upsert_pod(team.pod())
    return {status.key.name: status for status in decide.decide(ledger, 0).statuses}


def shares(total: int, teams: Sequence[Team]) -> list[int]:
    """The runtimes of ``teams`` in units."""
    found = decided(total, teams)
    return [found[team.name].runtime[UNITS] for team in teams]
