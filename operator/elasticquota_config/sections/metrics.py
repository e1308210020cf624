"""The section about metrics: how many series there are, and who may read them."""

from typing import Literal

from elasticquota_config.fields.section import Section


Which = Literal["all", "leaves", "roots"]


class MetricsSection(Section, frozen=True):
    """The metrics of both processes."""

    quotas: Which = "all"
    """Quotas with series of their own: all; leaves: roots, and quotas without quotas below them;
    roots: only these, and what is counted of the quotas below them is counted of them."""
    authorization: bool = False
    """Whether /metrics answers only to clients whose token the API server knows (TokenReview), and
    that may `get` the path `/metrics` (SubjectAccessReview)."""
