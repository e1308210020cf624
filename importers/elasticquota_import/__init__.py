"""``import`` prints objects of other systems as ElasticQuotas; ``export`` is the way back."""

from typing import Final, Literal, get_args


Dialect = Literal["ack", "capacity", "yunikorn", "kueue", "hnc", "volcano", "kai", "resourcequota"]
DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)

Form = Literal["ack"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
