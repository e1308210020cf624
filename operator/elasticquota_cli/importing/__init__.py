"""``import``: a neighbour's objects from files, printed as ElasticQuotas of ours."""

from typing import Final, Literal, get_args


Dialect = Literal["ack", "capacity", "yunikorn", "resourcequota"]
DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)
