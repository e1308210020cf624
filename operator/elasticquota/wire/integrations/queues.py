"""YuniKorn's ``queues.yaml`` -> partitions and queues as written (Y6-Y8).

Input is the decoded document; readers of files and ConfigMaps decode the text. ``vcore`` is cpu: a
plain number is cores, ``500m`` is half a core. Memory is bytes, with the suffixes of Kubernetes. A
field that YuniKorn does not know is a fault, as in YuniKorn: it may be a misspelled limit.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field, replace
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.integrations import placement_rules, queue_acls, queue_limits
from elasticquota.wire.integrations.placement_rules import PlacementRule
from elasticquota.wire.integrations.queue_acls import Acl
from elasticquota.wire.integrations.queue_limits import QueueLimit
from elasticquota.wire.quota import limits


DEEPEST: Final = 32
"""Levels of queues that are read."""

ROOT: Final = "root"
_MOST: Final = 4096
_LONGEST: Final = 64
_TOP: Final = frozenset({"partitions", "checksum"})
_PARTITION: Final = frozenset({"name", "placementrules", "queues", "limits", "preemption"})
_PARTITION_OTHERS: Final = frozenset({"nodesortpolicy", "statedumpfilepath", "usergroupresolver"})
_PREEMPTION: Final = ("enabled", "quotapreemptionenabled")
_QUEUE: Final = frozenset(
    {
        "name",
        "parent",
        "resources",
        "properties",
        "queues",
        "childtemplate",
        "limits",
        "maxapplications",
        "submitacl",
        "adminacl",
    }
)
_TEMPLATE: Final = frozenset({"resources", "maxapplications"})
_TEMPLATE_OTHERS: Final = frozenset({"properties"})
_LIMITS: Final = frozenset({"guaranteed", "max"})


class QueueResources(Struct, frozen=True):
    """``resources`` of a queue, in accounting units."""

    guaranteed: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)


_NOTHING: Final = QueueResources()


class ConfiguredQueue(Struct, frozen=True):
    """One queue as written, with the queues below it."""

    where: str
    """Its field path."""
    name: str
    parent: bool = False
    limits: QueueResources = _NOTHING
    template: QueueResources = _NOTHING
    """Limits of queues that a placement rule creates below it."""
    properties: Mapping[str, str] = field(default_factory=dict)
    children: tuple["ConfiguredQueue", ...] = ()
    most_applications: int = 0
    """Applications at one time; 0 means no limit."""
    user_limits: tuple[QueueLimit, ...] = ()
    """Limits of users and groups."""
    template_applications: int = 0
    """``most_applications`` of queues that a placement rule creates below it."""
    others: tuple[str, ...] = ()
    """Other fields of YuniKorn that it has."""
    submit_acl: Acl | None = None
    """None: not given."""
    admin_acl: Acl | None = None
    """Who may submit, too; None: not given."""

    @property
    def acls(self) -> tuple[tuple[str, Acl], ...]:
        """The lists that are given, each with its field path."""
        named = (("submitacl", self.submit_acl), ("adminacl", self.admin_acl))
        return tuple((f"{self.where}.{field}", acl) for field, acl in named if acl is not None)


class Partition(Struct, frozen=True):
    """One partition as written."""

    where: str
    name: str
    queues: tuple[ConfiguredQueue, ...] = ()
    rules: tuple[PlacementRule, ...] = ()
    others: tuple[str, ...] = ()
    user_limits: tuple[QueueLimit, ...] = ()
    """Limits of users and groups, which apply to the root queue."""
    preempts: bool = True
    """``preemption.enabled``: whether any pod is preempted for others."""
    quota_preempts: bool = False
    """``preemption.quotapreemptionenabled``: whether queues may reclaim what exceeds a lowered
    max."""

    @property
    def root(self) -> ConfiguredQueue:
        """The root queue, even if the file omits it; without limits it has the partition's."""
        if [queue.name for queue in self.queues] == [ROOT]:
            found = self.queues[0]
        else:
            found = ConfiguredQueue("", ROOT, children=self.queues)
        if found.user_limits or not self.user_limits:
            return found
        return replace(found, user_limits=self.user_limits)


class QueueConfig(Struct, frozen=True):
    """The partitions of one ``queues.yaml``."""

    partitions: tuple[Partition, ...] = ()
    faults: tuple[Fault, ...] = ()


def read(document: object) -> QueueConfig:
    """Return the configuration; ``faults`` names each unreadable part, which is left out."""
    faults: list[Fault] = []
    written = fields.mapping(document, "queues.yaml", faults)
    fields.no_others(written, _TOP, "", "a configuration", faults)
    listed = fields.sequence(written.get("partitions"), "partitions", faults, _MOST)
    partitions = tuple(
        _partition(entry, f"partitions[{index}]", faults) for index, entry in enumerate(listed)
    )
    if not partitions and not faults:
        faults.append(Fault("partitions", "must be given"))
    return QueueConfig(partitions, tuple(faults))


def _partition(written: object, where: str, faults: list[Fault]) -> Partition:
    found = fields.mapping(written, where, faults)
    rules = placement_rules.read(found.get("placementrules"), f"{where}.placementrules", faults)
    switches = _switches(found.get("preemption"), f"{where}.preemption", faults)
    return Partition(
        where,
        fields.word(found.get("name"), f"{where}.name", faults),
        _queues(found.get("queues"), f"{where}.queues", 1, faults),
        rules,
        _besides(found, _PARTITION, _PARTITION_OTHERS, where, "a partition", faults),
        queue_limits.read(found.get("limits"), f"{where}.limits", faults),
        preempts=switches.get("enabled", True),
        quota_preempts=switches.get("quotapreemptionenabled", False),
    )


def _switches(written: object, where: str, faults: list[Fault]) -> dict[str, bool]:
    """The switches of preemption that are given."""
    found = fields.mapping(written, where, faults)
    fields.no_others(found, _PREEMPTION, where, "preemption", faults)
    switches = {key: found[key] for key in _PREEMPTION if found.get(key) is not None}
    for key, value in switches.items():
        if not isinstance(value, bool):
            faults.append(fields.mismatch(f"{where}.{key}", "true or false", value))
    return {key: value for key, value in switches.items() if isinstance(value, bool)}


def _besides(
    found: Mapping[str, object],
    read: AbstractSet[str],
    others: AbstractSet[str],
    where: str,
    what: str,
    faults: list[Fault],
) -> tuple[str, ...]:
    """The fields in ``others`` that ``found`` has; a field in neither set is a fault."""
    unread = found.keys() - read
    if not unread:
        return ()
    fields.no_others(found, read | others, where, what, faults)
    return tuple(sorted(unread & others))


def _queues(
    written: object, where: str, level: int, faults: list[Fault]
) -> tuple[ConfiguredQueue, ...]:
    listed = fields.sequence(written, where, faults, _MOST)
    if listed and level > DEEPEST:
        faults.append(Fault(where, f"is deeper than {DEEPEST} levels"))
        return ()
    found = [
        _queue(queue, f"{where}[{index}]", level, faults) for index, queue in enumerate(listed)
    ]
    return tuple(queue for queue in found if queue is not None)


def _queue(written: object, where: str, level: int, faults: list[Fault]) -> ConfiguredQueue | None:
    queue = fields.mapping(written, where, faults)
    name = queue.get("name")
    # YAML reads a queue called 2024 as a number.
    name = str(name) if type(name) is int else name
    if not fields.is_text(name, _LONGEST):
        if isinstance(written, dict):
            faults.append(fields.mismatch(f"{where}.name", "a name", name))
        return None
    template = fields.mapping(queue.get("childtemplate"), f"{where}.childtemplate", faults)
    others = [
        *_besides(queue, _QUEUE, frozenset(), where, "a queue", faults),
        *(
            f"childtemplate.{key}"
            for key in _besides(
                template,
                _TEMPLATE,
                _TEMPLATE_OTHERS,
                f"{where}.childtemplate",
                "a child template",
                faults,
            )
        ),
    ]
    return ConfiguredQueue(
        where,
        # To YuniKorn, Sandbox and sandbox are the same queue.
        name.lower(),
        queue.get("parent") is True,
        _limits(queue.get("resources"), where, "resources", others, faults),
        _limits(template.get("resources"), where, "childtemplate.resources", others, faults),
        _properties(queue.get("properties"), f"{where}.properties", faults),
        _queues(queue.get("queues"), f"{where}.queues", level + 1, faults),
        limits.count(queue.get("maxapplications"), f"{where}.maxapplications", faults),
        queue_limits.read(queue.get("limits"), f"{where}.limits", faults),
        limits.count(
            template.get("maxapplications"), f"{where}.childtemplate.maxapplications", faults
        ),
        tuple(others),
        queue_acls.read(queue.get("submitacl"), f"{where}.submitacl", faults),
        queue_acls.read(queue.get("adminacl"), f"{where}.adminacl", faults),
    )


def _properties(written: object, where: str, faults: list[Fault]) -> dict[str, str]:
    found = {}
    for key, value in fields.mapping(written, where, faults, _MOST).items():
        if isinstance(value, str | int | float):
            found[str(key)] = value if isinstance(value, str) else str(value).lower()
        else:
            faults.append(fields.mismatch(amounts.path(where, key), "a text", value))
    return found


def _limits(
    written: object, where: str, field_: str, others: list[str], faults: list[Fault]
) -> QueueResources:
    if written is None:
        return _NOTHING
    at = f"{where}.{field_}"
    sides = fields.mapping(written, at, faults)
    fields.no_others(sides, _LIMITS, at, "resources", faults)
    amounts_of = {}
    for side in ("guaranteed", "max"):
        listed = fields.mapping(sides.get(side), f"{at}.{side}", faults, amounts.MOST)
        if names.CPU in listed:
            others.append(f"{field_}.{side}.{names.CPU}")
            listed = {key: value for key, value in listed.items() if key != names.CPU}
        amounts_of[side] = queue_limits.amounts_of(listed, f"{at}.{side}", faults)
    return QueueResources(**amounts_of)
