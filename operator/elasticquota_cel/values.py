"""Quantities and semantic versions in CEL, as the libraries of Kubernetes define them.

The runtime knows neither, so both are maps of one entry, which compare as such when they are
canonical. A quantity is kept in nano units as text, because CEL integers have 64 bits.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from elasticquota import quantity as quantities


Boxed = dict[str, str]

QUANTITY: Final = "quantity"
SEMVER: Final = "semver"

_NUMBER: Final = r"(0|[1-9][0-9]{0,17})"
_IDENTIFIERS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMVER: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_IDENTIFIERS}))?(?:\+{_IDENTIFIERS})?"
)


def environment() -> Any:
    """Return the environment in which selectors compile."""
    from cel_expr_python import cel  # noqa: PLC0415 - 10 MB that only clusters with classes need
    from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings  # noqa: PLC0415

    dyn, boxed = cel.Type.DYN, cel.Type.Map(cel.Type.STRING, cel.Type.STRING)
    text, boolean, integer = cel.Type.STRING, cel.Type.BOOL, cel.Type.INT

    def function(name: str, impl: Callable[..., Any], takes: Any, gives: Any) -> Any:
        overload = cel.Overload(
            f"{name}_{len(takes)}", return_type=gives, parameters=takes, is_member=False, impl=impl
        )
        return cel.FunctionDecl(name, [overload])

    def member(name: str, impl: Callable[..., Any], takes: Any, gives: Any) -> Any:
        overload = cel.Overload(
            f"{name}_of_{len(takes)}",
            return_type=gives,
            parameters=takes,
            is_member=True,
            impl=impl,
        )
        return cel.FunctionDecl(name, [overload])

    two = [boxed, boxed]
    return cel.NewEnv(
        variables={"device": dyn},
        extensions=[
            ext_bindings.ExtBindings(),
            ext_optional.ExtOptional(),
            ext_strings.ExtStrings(),
        ],
        functions=[
            function("quantity", quantity, [text], boxed),
            function("isQuantity", is_quantity, [text], boolean),
            function("semver", semver, [text], boxed),
            function("isSemver", is_semver, [text], boolean),
            member("compareTo", compare, two, integer),
            member("isGreaterThan", lambda a, b: compare(a, b) > 0, two, boolean),
            member("isLessThan", lambda a, b: compare(a, b) < 0, two, boolean),
            member("add", lambda a, b: of_nano(_nano(a) + _nano(b)), two, boxed),
            member("sub", lambda a, b: of_nano(_nano(a) - _nano(b)), two, boxed),
            member("sign", lambda a: (_nano(a) > 0) - (_nano(a) < 0), [boxed], integer),
            member("major", lambda a: _version(a)[0][0], [boxed], integer),
            member("minor", lambda a: _version(a)[0][1], [boxed], integer),
            member("patch", lambda a: _version(a)[0][2], [boxed], integer),
        ],
    )


def of_nano(nano: int) -> Boxed:
    """Return a quantity of so many nano units."""
    return {QUANTITY: str(nano)}


def quantity(text: str) -> Boxed:
    """Return the quantity of ``text``; raises ``ValueError``."""
    return of_nano(quantities.parse(text))


def is_quantity(text: str) -> bool:
    """Whether ``text`` is a quantity."""
    try:
        quantities.parse(text)
    except quantities.QuantityError:
        return False
    return True


def semver(text: str) -> Boxed:
    """Return the semantic version of ``text`` without its build; raises ``ValueError``."""
    found = _SEMVER.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text[:64]}' is no semantic version like 1.2.3")
    return {SEMVER: text.partition("+")[0]}


def is_semver(text: str) -> bool:
    """Whether ``text`` is a semantic version."""
    return _SEMVER.fullmatch(text) is not None


def compare(one: Boxed, other: Boxed) -> int:
    """Return -1, 0 or 1; raises ``ValueError`` for values of two kinds."""
    if QUANTITY in one:
        return (_nano(one) > _nano(other)) - (_nano(one) < _nano(other))
    return _sign(_version(one), _version(other))


def _nano(boxed: Boxed) -> int:
    if QUANTITY not in boxed:
        raise ValueError("a quantity is compared with something else")
    return int(boxed[QUANTITY])


_Parsed = tuple[tuple[int, int, int], str]


def _version(boxed: Boxed) -> _Parsed:
    found = _SEMVER.fullmatch(boxed.get(SEMVER, ""))
    if found is None:
        raise ValueError("a version is compared with something else")
    return (int(found[1]), int(found[2]), int(found[3])), found[4] or ""


def _sign(one: _Parsed, other: _Parsed) -> int:
    if one[0] != other[0]:
        return 1 if one[0] > other[0] else -1
    a, b = _precedence(one[1]), _precedence(other[1])
    return (a > b) - (a < b)


def _precedence(pre: str) -> tuple[Any, ...]:
    """A version without pre-release is newer; numbers are older than words (semver 11)."""
    if not pre:
        return (1,)
    parts = tuple(
        (0, int(each), "") if each.isdecimal() else (1, 0, each) for each in pre.split(".")
    )
    return (0, parts)
