"""Trees for tests in one line, in the manner of HNC's test forests.

Quotas are separated by ``;`` and given from the oldest to the youngest. Each is a name, ``<`` and
its parent unless it is directly below koordinator-root-quota, and any of these words::

    10..40        min 10, max 40 of the resource called device; 10.. and ..40 leave one side out
    gpu=1..8      the same of another resource
    w=3           shared weight of device; w.gpu=3 of another resource
    keep          lending is off
    leaf, parent  whether it is marked as a parent; needed only against the default
    root=blue     root quota of the tree blue
    of=pool       of a root: the profile that has it
    tree=blue     claims the tree blue
    ns=team       is in the namespace team, else in one named ns
    binds=x,y     binds the namespaces x and y
    strict=x,y    the max of x and y must not be set below what is used
    allows=x,y    pods of the namespaces x and y may name it; allows= allows none
    adopts=x,y    quotas of the namespaces x and y may be its children; adopts= allows no others
    forced        its edits may break sums of min
    firm          of a root: guarantee mode, what runs in its tree is guaranteed
    observes      of a root: its tree is in observe mode
    enforces      of a root: its tree enforces
    offers=40     of a root: its nodes offer 40 of the resource called device
    mode=Elastic  of a root: its capacity mode
    label=b       the field names its parent, and the label names b; label= there is no label
    doubt         one of its switches is neither on nor off
    bad           could not be read completely

So ``dept 20..100; a<dept 10..40; b<dept ..60 keep`` is a department with two teams. A quota that
others name as their parent is marked as a parent automatically. Creation times and uids follow the
order.
"""

from collections.abc import Mapping

from elasticquota import names
from elasticquota.forest import acceptance, settings
from elasticquota.forest.settings import SharingTerms
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.capacity_mode import CapacityMode, Mode
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import KeyDifference, Quota
from elasticquota.resources import Resources
from elasticquota.sharing.runtime import Runtimes


DEVICE = "device"


def quotas(line: str) -> list[Quota]:
    """The quotas of a line, oldest first."""
    entries = [entry.split() for entry in line.split(";") if entry.strip()]
    parents = {head.partition("<")[2] for head, *_ in entries}
    return [_quota(age, head, words, parents) for age, (head, *words) in enumerate(entries)]


def forest(line: str, chosen: SharingTerms = settings.USUAL) -> Forest:
    return acceptance.build(quotas(line), chosen)


def default_tree(line: str) -> tuple[Tree, Forest]:
    """The forest of a line and its default tree."""
    built = forest(line)
    return built.trees[names.DEFAULT_TREE], built


def devices(**amounts: int) -> dict[str, Resources]:
    """Amounts of the resource device by quota name."""
    return {name: {DEVICE: amount} for name, amount in amounts.items()}


def requests(line: str, **own: int) -> dict[str, int]:
    """The request of every quota of the default tree when their own pods ask for ``own``."""
    tree, built = default_tree(line)
    found = solved(tree, built, devices(**own), {})
    return _of_devices({name: found.request(name) for name in tree.order})


def runtimes(line: str, total: int, **own: int) -> dict[str, int]:
    """The runtime of every quota of the default tree when their own pods ask for ``own``."""
    tree, built = default_tree(line)
    found = solved(tree, built, devices(**own), {DEVICE: total})
    return _of_devices({name: found.runtime(name) for name in tree.order})


def solved(
    tree: Tree, forest: Forest, own: Mapping[str, Resources], available: Resources
) -> Runtimes:
    """The runtimes of a tree whose quotas' own pods ask for ``own``."""
    found = Runtimes(tree, forest)
    for name in tree.order:
        if name in own:
            found.set_request(name, own[name])
    found.set_capacity(available)
    found.settle()
    return found


def verdicts(line: str) -> dict[str, str]:
    """The reason of the verdict on every quota, by name (by key where a namespace is given)."""
    built = forest(line)
    return {
        key.name if key.namespace == "ns" else str(key): verdict.reason
        for key, verdict in built.verdicts.items()
    }


def _of_devices(figures: Mapping[str, Resources]) -> dict[str, int]:
    return {
        name: amounts.get(DEVICE, 0)
        for name, amounts in figures.items()
        if name not in names.RESERVED_QUOTAS
    }


def _quota(age: int, head: str, words: list[str], parents: set[str]) -> Quota:
    name, _, parent = head.partition("<")
    lower: dict[str, int] = {}
    upper: dict[str, int] = {}
    weight: dict[str, int] = {}
    said: dict[str, str] = {}
    for word in words:
        key, equals, value = word.rpartition("=")
        if ".." in value:
            low, _, high = value.partition("..")
            resource = key or DEVICE
            lower.update({resource: int(low)} if low else {})
            upper.update({resource: int(high)} if high else {})
        elif key == "w" or key.startswith("w."):
            weight[key[2:] or DEVICE] = int(value)
        elif (key if equals else value) in _WORDS:
            said[key or value] = value
        else:
            raise ValueError(f"'{word}' is no word of a quota")
    return Quota(
        key=Key(said.get("ns", "ns"), name),
        uid=f"uid-{age:04}",
        created=f"2026-01-01T00:{age // 60:02}:{age % 60:02}Z",
        parent=parent or names.ROOT_QUOTA,
        stated=("parent",) if "label" in said else (),
        differences=(KeyDifference("parent", names.PARENT, parent, said["label"]),)
        if "label" in said
        else (),
        is_parent="parent" in said or (name in parents and "leaf" not in said),
        is_root="root" in said,
        tree_id=said.get("root", said.get("tree", names.DEFAULT_TREE)),
        profile=said.get("of", ""),
        min=lower,
        max=upper,
        total={DEVICE: int(said["offers"])} if "offers" in said else None,
        capacity=CapacityMode(_mode(said["mode"])) if "mode" in said else None,
        shared_weight=weight or None,
        allow_lent="keep" not in said,
        namespaces=tuple(said["binds"].split(",")) if "binds" in said else (),
        strict_keys=tuple(said["strict"].split(",")) if "strict" in said else (),
        allowed_namespaces=_allowed(said.get("allows")),
        child_namespaces=_allowed(said.get("adopts")),
        forced="forced" in said,
        guarantee_usage="firm" in said or None,
        observes="observes" in said if said.keys() & {"observes", "enforces"} else None,
        warnings=(Fault("a label", "must be 'true' or 'false'"),) if "doubt" in said else (),
        faults=(Fault("spec", "cannot be read"),) if "bad" in said else (),
    )


def _allowed(said: str | None) -> tuple[str, ...] | None:
    return None if said is None else tuple(name for name in said.split(",") if name)


def _mode(text: str) -> Mode:
    return "Elastic" if text == "Elastic" else "Declared" if text == "Declared" else "Nodes"


_WORDS = frozenset(
    {
        *("keep", "leaf", "parent", "root", "tree", "ns", "binds", "strict", "bad", "of"),
        *("allows", "adopts", "forced", "firm", "doubt", "observes", "enforces", "offers", "mode"),
        "label",
    }
)
