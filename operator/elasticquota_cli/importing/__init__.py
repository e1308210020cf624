"""``import``: prints objects of other systems from files as ElasticQuotas."""

from typing import Final, Literal, get_args


Dialect = Literal["ack", "capacity", "yunikorn", "kueue", "hnc", "volcano", "kai", "resourcequota"]
DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)
