"""Resource lists and numbers: quantities as Kubernetes writes them, with their bounds and rules."""

from typing import Annotated, Final

from pydantic import Field, StrictInt

from elasticquota.names import POOL_DOMAIN
from elasticquota.wire.codec import amounts
from elasticquota.wire.quota import bounds
from elasticquota_api.markers import INT32, INT64, IntOrString, ValidationRule


_NUMBERS: Final = (r"([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)", "([0-9]+|[0-9]+[.][0-9]*|[.][0-9]+)")
"""In a pattern, and in CEL, where a backslash would need another."""
_ANY: Final = "[+-]?[0-9]+"
_USUAL: Final = "[+-]?([01]?[0-9]|2[0-4])"
"""A larger exponent would keep the quantity library of the API server busy for minutes."""


def pattern(*, exponent: str = _ANY, sign: str = "[+-]?", in_cel: bool = False) -> str:
    """Return the regular expression of a quantity."""
    return f"^{sign}{_NUMBERS[in_cel]}([KMGTPE]i|[numkMGTPE]|[eE]{exponent})?$"


LONGEST: Final = 64
"""Characters of a quantity."""
BOUND_IN_CEL: Final = pattern(exponent=_USUAL, in_cel=True)


def bound_rules(code: str = "") -> tuple[ValidationRule, ValidationRule]:
    """Return the rules of a quantity that a user writes; ``code`` ends their messages."""
    return (
        ValidationRule(
            f"string(self).matches('{BOUND_IN_CEL}')",
            f"must be a quantity such as 500m, 2 or 16Gi{code}",
        ),
        ValidationRule(
            "!string(self).startsWith('-')", f"must be greater than or equal to 0{code}"
        ),
    )


NAME: Final = (
    "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
)
"""A qualified name, as resources and labels have."""
LONGEST_NAME: Final = 253 + 1 + 63


def named(message: str) -> ValidationRule:
    """Return the rule that all keys of a map are names, as those of resources and labels are."""
    return ValidationRule(f"self.all(key, key.matches('{NAME}'))", f"every key {message}")


_READABLE, _POSITIVE = bound_rules(" [EQ1001]")

Bound = Annotated[
    StrictInt | Annotated[str, Field(max_length=LONGEST, pattern=pattern(exponent=_USUAL))],
    IntOrString(),
    _READABLE,
    _POSITIVE,
]
"""An amount that a user writes, such as ``2``, ``500m`` or ``16Gi``."""

_RESOURCES: Final = named(
    "must be the name of a resource, such as cpu, memory or nvidia.com/gpu [EQ1001]"
)
Weights = Annotated[dict[str, Bound], Field(max_length=amounts.MOST), _RESOURCES]
"""Amounts by resource, of which some may be those of a pool."""
QuotaBounds = Annotated[
    Weights,
    ValidationRule(
        f"self.all(key, !key.contains('{POOL_DOMAIN}/'))",
        "must not name a pool in the name of a resource; bound pools in spec.pools [EQ1001]",
    ),
]
"""Amounts of min or max by resource."""
PoolBounds = Annotated[dict[str, Bound], Field(max_length=bounds.MOST_RESOURCES), _RESOURCES]
"""The same in one pool."""

_PlainBound = Annotated[
    Annotated[StrictInt, Field(ge=0)]
    | Annotated[str, Field(max_length=LONGEST, pattern=pattern(exponent=_USUAL, sign="[+]?"))],
    IntOrString(),
]
PlainBounds = Annotated[dict[str, _PlainBound], Field(max_length=amounts.MOST)]
"""The same where there may be hundreds of them: there rules would cost the API server too much."""

Amount = Annotated[StrictInt | Annotated[str, Field(pattern=pattern())], IntOrString()]
Amounts = dict[str, Amount]
"""Amounts by resource, in a status."""

ShortAmount = Annotated[
    StrictInt | Annotated[str, Field(max_length=LONGEST, pattern=pattern())], IntOrString()
]
ShortAmounts = dict[str, ShortAmount]
"""Amounts by resource, in the status of a job."""

Request = Annotated[
    StrictInt | Annotated[str, Field(max_length=LONGEST, pattern=pattern(sign="[+]?"))],
    IntOrString(),
]
Requests = dict[str, Request]
"""Amounts by resource that a job asks for."""

Count = Annotated[StrictInt, Field(ge=0), INT32]
Ordinal = Annotated[StrictInt, Field(ge=1), INT32]
"""A place in line, from 1."""
Generation = Annotated[StrictInt, Field(ge=0), INT64]
Number = Annotated[StrictInt, Field(ge=-(2**31), le=2**31 - 1), INT32]
"""With its bounds, because Kubernetes 1.30 does not enforce the format."""
Natural = Annotated[StrictInt, Field(ge=0, le=2**31 - 1), INT32]
