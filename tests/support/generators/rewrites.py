"""Documents as people go on editing them, and now and then as no person would.

A node of a tree gets other limits, namespaces or another name, comes, goes, moves or doubles.
Anything at all may move, double, go or be another thing: the same number may be written as a whole
one, as a float and as a truth value, which Python takes for equal and readers do not.
"""

import copy
import random
from collections.abc import Iterator
from typing import Any, Final


_THINGS: Final[tuple[Any, ...]] = (
    *(0, 1, 1.0, True, False, "1", "1.0", "2", -1, 7, "10Gi", "much", "a", "b", "a-b", "算", ""),
    *(None, (), {}, ("a",), {"cpu": 1}, {"cpu": "2", "memory": 3}, {"name": "a"}, {"name": "c"}),
)  # fmt: skip


_NAMES: Final = ("a", "b", "c", "a-b", "b-c", "x" * 60)
_SPACES: Final = ("one", "two", "three", "four")


def company(dice: random.Random) -> Any:
    """The root node of a tree in which every department is promised about what it may have."""
    leaves = [{**_named(name, dice), "namespaces": dice.sample(_SPACES, 1)} for name in "abcdefgh"]
    teams = [{**_named(name, dice), "children": leaves[i::4]} for i, name in enumerate("abcd")]
    return {
        "name": "root",
        "children": [{**_named(n, dice), "children": teams[i::2]} for i, n in enumerate("ab")],
    }


def node_edited(root: Any, dice: random.Random) -> Any:
    """A copy in which one node is edited as a person might."""
    found = copy.deepcopy(root)
    below = list(_below(found))
    if not below:
        return {**found, "children": [_named("a", dice)]}
    siblings, node = dice.choice(below)
    match dice.randrange(12):
        case 0:
            siblings.remove(node)
        case 1:
            siblings.insert(dice.randrange(len(siblings) + 1), _named(dice.choice(_NAMES), dice))
        case 2:
            siblings.insert(0, copy.deepcopy(node))
        case 3:
            node["name"] = dice.choice(_NAMES)
        case 4 | 5:
            node["namespaces"] = dice.sample(_SPACES, dice.randint(0, 2))
        case 6:
            siblings.insert(0, dice.choice((7, None, {"name": 0}, {"name": "odd", "min": "x"})))
        case 7:
            siblings[:] = [each for each in siblings if each is not node]
            places = [siblings, *(listed for listed, _ in _below(found))]
            dice.choice(places).append(node)  # which is not below itself
        case _:
            node.update(_limits(dice))
    return found


def _below(node: Any) -> Iterator[tuple[Any, Any]]:
    """All nodes below a node, each with the list that it is in."""
    children = node.get("children")
    for child in children if isinstance(children, list) else ():
        if isinstance(child, dict):
            yield children, child
            yield from _below(child)


def _named(name: str, dice: random.Random) -> Any:
    return {"name": name, **_limits(dice)}


def _limits(dice: random.Random) -> Any:
    low = {"cpu": dice.randint(0, 9)}
    high: dict[str, Any] = {"cpu": dice.choice((5, 10, "20"))}
    if dice.random() < 0.2:
        high["memory"] = dice.choice((1, 1.0, True, "9" * 60 + "E"))
    return {"min": low, "max": dice.choice((high, high, {}))}


def rewritten(document: Any, dice: random.Random) -> Any:
    """A copy with one to three edits."""
    box = {"": copy.deepcopy(document)}
    for _ in range(dice.randint(1, 3)):
        places = list(_places(box))
        if places:
            _edit(*dice.choice(places), places, dice)
    return box.get("")


def _edit(holder: Any, key: Any, places: list[tuple[Any, Any]], dice: random.Random) -> None:
    there = holder[key]
    match dice.randrange(6):
        case 0:
            del holder[key]
        case 1:
            other, place = dice.choice(places)
            holder[key] = copy.deepcopy(other[place])
        case 2 if isinstance(there, list):
            dice.shuffle(there)
        case 3 if isinstance(holder, list):
            holder.insert(dice.randrange(len(holder) + 1), copy.deepcopy(there))
        case 4 if isinstance(there, dict):
            field = dice.choice(("name", "min", "max", "namespaces", "children", "attributes", "x"))
            there[field] = _thing(dice)
        case _:
            holder[key] = _thing(dice)


def _thing(dice: random.Random) -> Any:
    found = dice.choice(_THINGS)
    return list(found) if isinstance(found, tuple) else copy.deepcopy(found)


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """All of them, by what holds them."""
    keys = holder if isinstance(holder, dict) else range(len(holder))
    for key in keys:
        yield holder, key
        if isinstance(holder[key], dict | list):
            yield from _places(holder[key])
