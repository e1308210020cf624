"""The one configuration file of both processes: every key has a default, no key is guessed.

An unknown key, a wrong type or a value out of bounds is refused with one line per fault that names
its path, what is wanted and what was found.
"""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import pydantic
import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from elasticquota.enforcement.policy import Policy
from elasticquota.forest.terms import Terms, Where
from elasticquota.ledger import accounting as counting
from elasticquota.rules import validation
from elasticquota.rules.validation import Validation


class ConfigurationError(Exception):
    """The file cannot be used; the text has one line per fault."""


class _Section(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        hide_input_in_errors=True,
    )


Port = Annotated[int, Field(ge=1, le=65535)]
_NAME: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
Name = Annotated[str, Field(max_length=253, pattern=f"^{_NAME}$")]
NameOrAll = Annotated[str, Field(max_length=253, pattern=rf"^(\*|{_NAME})$")]


class Admission(_Section):
    """How long the head of a line is passed by others, and how long an admitted pod without a node
    counts as request (seconds; 0: for ever).
    """

    head_of_line_seconds: Annotated[int, Field(ge=0, le=86400)] = 300
    unschedulable_timeout_seconds: Annotated[int, Field(ge=0, le=86400)] = 300


class Reclaim(_Section):
    """When and how fast use above runtime is taken back (seconds; evictions at one time)."""

    grace_seconds: Annotated[int, Field(ge=0, le=86400)] = 5
    delay_seconds: Annotated[int, Field(ge=0, le=86400)] = 120
    min_runtime_seconds: Annotated[int, Field(ge=0, le=86400)] = 0
    max_in_flight: Annotated[int, Field(ge=1, le=1000)] = 20
    headroom_seconds: Annotated[int, Field(ge=0, le=86400)] = 0
    brake_percent: Annotated[int, Field(ge=0, le=100)] = 30
    delete_after_seconds: Annotated[int, Field(ge=0, le=86400)] = 0
    paused: bool = False


class Accounting(_Section):
    """What counts; the defaults are the peer's."""

    default_quota: bool = True
    ignore_overhead: bool = False
    ignore_terminating: Literal["never", "afterGrace", "atOnce"] = "never"


class DefaultTree(_Section):
    """Options of the default tree, which has no profile to say them; no mode: the usual one."""

    mode: Literal["", "enforce", "observe"] = ""
    guarantee_usage: bool = False
    child_namespaces: Annotated[tuple[NameOrAll, ...], Field(strict=False)] = ("*",)


def _known(value: str, what: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if value in names:
        return value
    near = difflib.get_close_matches(value, names, n=1, cutoff=0.5)
    hint = f", did you mean {near[0]}?" if near else f"; known here: {', '.join(names)}"
    raise ValueError(f"there is no {what} '{value}'{hint}")


def _profile(value: str) -> str:
    return _known(value, "validation profile", validation.PROFILES)


def _rule(value: str) -> str:
    if value in validation.ALWAYS:
        raise ValueError(f"rule '{value}' is the same in every profile and cannot be changed")
    return _known(value, "rule with levels", validation.TABLE.keys() - validation.ALWAYS)


def _level(value: object) -> object:
    """YAML reads a bare ``off`` as false."""
    return "off" if value is False else value


ProfileName = Annotated[str, AfterValidator(_profile)]
RuleName = Annotated[str, AfterValidator(_rule)]
Level = Annotated[validation.Level, BeforeValidator(_level)]


class Rules(_Section):
    """Which rules refuse and which only warn: a profile, other profiles by tree id, exceptions."""

    profile: ProfileName = "koordinator"
    trees: dict[str, ProfileName] = Field(default_factory=dict)
    overrides: dict[RuleName, Level] = Field(default_factory=dict)


class Lease(_Section):
    """The Lease by which one controller leads; times in seconds, as in client-go."""

    name: Name = "elastic-quota-controller"
    duration_seconds: Annotated[int, Field(ge=1, le=3600)] = 15
    renew_seconds: Annotated[int, Field(ge=1, le=3600)] = 10
    retry_seconds: Annotated[int, Field(ge=1, le=3600)] = 2

    @pydantic.model_validator(mode="after")
    def _times_are_in_order(self) -> Self:
        if not self.retry_seconds < self.renew_seconds < self.duration_seconds:
            raise ValueError(
                "must hold retrySeconds < renewSeconds < durationSeconds, got "
                f"{self.retry_seconds}, {self.renew_seconds}, {self.duration_seconds}"
            )
        return self


class Controller(_Section):
    """The controller's own listener: health and metrics, plain HTTP."""

    port: Port = 8080


class Certificates(_Section):
    """Who makes the webhook's certificate, and whether the webhook publishes its authority."""

    mode: Literal["self", "certManager", "secret"] = "self"
    publish_bundle: bool = True

    @pydantic.model_validator(mode="after")
    def _one_publishes(self) -> Self:
        # In mode secret either side may do it.
        if self.mode == "self" and not self.publish_bundle:
            raise ValueError("must have publishBundle: true with mode self, nobody else knows it")
        if self.mode == "certManager" and self.publish_bundle:
            raise ValueError(
                "must have publishBundle: false with mode certManager, which publishes itself"
            )
        return self


class Webhook(_Section):
    """The webhook's listeners and the names of the objects that belong to it."""

    port: Port = 9443
    health_port: Port = 8081
    service: Name = "elastic-quota-webhook"
    ca_secret: Name = "elastic-quota-webhook-ca"  # noqa: S105 - the name of an object
    configuration: Name = "elastic-quota-webhook"
    certificates: Certificates = Certificates()

    @pydantic.model_validator(mode="after")
    def _ports_differ(self) -> Self:
        if self.port == self.health_port:
            raise ValueError(f"must have two different ports, got port = healthPort = {self.port}")
        return self


class Logging(_Section):
    """`auto` is JSON unless standard error is a terminal."""

    format: Literal["auto", "json", "text"] = "auto"
    level: Literal["debug", "info", "warning", "error"] = "info"


class Configuration(_Section):
    """What the file says, with defaults filled in.

    `mode` is that of trees which say none: whether quotas are enforced, or what enforcing would do
    is only told.
    `controller_user` is the user name of the controller's service account, for whom the webhook
    stands aside; empty means nobody. `pod_admission` says who holds new pods: the webhook, or a
    policy of the API server that goes by labels of namespaces, which the controller then keeps.
    `compat_annotations` keeps Koordinator's annotations on quotas, `compat_metrics` exposes its
    gauge of them.
    """

    mode: Literal["enforce", "observe"] = "enforce"
    system_namespaces: Annotated[tuple[Name, ...], Field(strict=False)] = ("kube-system",)
    controller_user: str = ""
    accounting: Accounting = Accounting()
    default_tree: DefaultTree = DefaultTree()
    rules: Rules = Rules()
    pod_admission: Literal["webhook", "policy"] = "webhook"
    compat_annotations: bool = True
    compat_metrics: bool = False
    admission: Admission = Admission()
    reclaim: Reclaim = Reclaim()
    lease: Lease = Lease()
    controller: Controller = Controller()
    webhook: Webhook = Webhook()
    logging: Logging = Logging()

    def what_counts(self, *own_namespaces: str) -> counting.Accounting:
        """The rulebook's value; a process' own namespace is the system's too."""
        return counting.Accounting(
            system_namespaces=frozenset({*self.system_namespaces, *own_namespaces}),
            unschedulable_timeout=self.admission.unschedulable_timeout_seconds * 1000,
            in_parents_refused=self._refused("PD1301"),
            unknown_refused=self._refused("PD1306"),
            terms=Terms(
                sums_refused=self._refused("EQ1104"),
                keys_told=self._where("EQ1103", ("warn", "deny")),
                observes=self.mode == "observe",
                default_tree_observes=(self.default_tree.mode or self.mode) == "observe",
                default_tree_guarantees_use=self.default_tree.guarantee_usage,
                default_tree_takes=self._takes(),
            ),
            **self.accounting.model_dump(),
        )

    def policy(self, *own_namespaces: str) -> Policy:
        """What decisions go by; a process' own namespace is the system's too."""
        return Policy(
            grace=self.reclaim.grace_seconds * 1000,
            delay=self.reclaim.delay_seconds * 1000,
            head_of_line=self.admission.head_of_line_seconds * 1000,
            min_runtime=self.reclaim.min_runtime_seconds * 1000,
            max_in_flight=self.reclaim.max_in_flight,
            headroom=self.reclaim.headroom_seconds * 1000,
            brake_percent=self.reclaim.brake_percent,
            paused=self.reclaim.paused,
            mark_namespaces=self.pod_admission == "policy",
            accounting=self.what_counts(*own_namespaces),
        )

    def validation(self) -> Validation:
        """How users' changes are judged."""
        return Validation(**self.rules.model_dump())

    def _takes(self) -> tuple[str, ...] | None:
        listed = self.default_tree.child_namespaces
        return None if "*" in listed else listed

    def _refused(self, rule: str) -> Where:
        return self._where(rule, ("deny",))

    def _where(self, rule: str, levels: Sequence[str]) -> Where:
        judged = self.validation()
        usually = judged.level(rule, ()) in levels
        others = (
            tree for tree in judged.trees if (judged.level(rule, (tree,)) in levels) != usually
        )
        return Where(usually, frozenset(others))


def load(path: Path) -> Configuration:
    """Read a configuration file; raises `ConfigurationError`. An empty file means all defaults."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read the configuration: {error}") from error
    return parse(text)


def parse(text: str) -> Configuration:
    """Read a configuration from YAML; raises `ConfigurationError`."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"not YAML: {' '.join(str(error).split())}") from error
    if document is None:
        document = {}
    try:
        return Configuration.model_validate(document)
    except pydantic.ValidationError as error:
        faults = error.errors(include_url=False)
        lines = sorted(_line(fault["type"], fault["loc"], fault) for fault in faults)
        raise ConfigurationError("\n".join(lines)) from error


_WANTED: Final = {
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "a text",
    "tuple_type": "a list",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "dict_type": "a mapping of keys to values",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "a Kubernetes name (lower case letters, digits, '-' and '.')",
    "string_too_long": "at most {max_length} characters long",
}


def _line(kind: str, location: Sequence[int | str], fault: Any) -> str:
    path = ".".join(str(part) for part in location if part != "[key]") or "the file"
    if kind == "extra_forbidden":
        return f"{path}: unknown key{_nearest(location)}"
    if kind == "invalid_key":
        return f"{path}: keys must be texts"
    if kind == "value_error":
        return f"{path}: {fault['ctx']['error']}"
    wanted = _WANTED.get(kind)
    if wanted is None:
        return f"{path}: {fault['msg']}"
    return f"{path}: must be {wanted.format(**fault.get('ctx', {}))}, got {_shown(fault['input'])}"


def _nearest(location: Sequence[int | str]) -> str:
    keys = _keys(location[:-1])
    near = difflib.get_close_matches(str(location[-1]), keys, n=1, cutoff=0.5)
    return f", did you mean {near[0]}?" if near else f"; known here: {', '.join(keys)}"


def _keys(location: Sequence[int | str]) -> list[str]:
    section: Any = Configuration
    for part in location:
        fields = section.model_fields.values()
        section = next(field.annotation for field in fields if field.alias == part)
    return [field.alias for field in section.model_fields.values()]


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
