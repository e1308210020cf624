"""The model of the configuration file, which both processes read: every key has a default.

An unknown key, a wrong type or a value out of bounds is refused. The error has one line for each
fault with its path, what is wanted and what was found. The text below a key is its meaning, which
``configuration_keys`` shows to users.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import yaml

from elasticquota.forest.settings import SharingTerms, TreeSelection
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.kinds import table
from elasticquota.ledger.inputs import accounting as counting
from elasticquota.model.fault import Fault
from elasticquota.pod_groups.adapter import PodGroupAdapter as GroupAdapter
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import asdict, replace
from elasticquota.validation.severity import Validation
from elasticquota.wire.admission.admission_policies import InstalledPolicy
from elasticquota_config.fields import reading
from elasticquota_config.fields.section import Section
from elasticquota_config.sections.admission import AdmissionSection
from elasticquota_config.sections.dialects import Dialects
from elasticquota_config.sections.jobs import JobsSection
from elasticquota_config.sections.metrics import MetricsSection
from elasticquota_config.sections.names import Name
from elasticquota_config.sections.pod_groups import PodGroups
from elasticquota_config.sections.policies import PolicySection
from elasticquota_config.sections.processes import Controller, LeaseSection, Logging, WebhookSection
from elasticquota_config.sections.provisioning import ProvisioningSection
from elasticquota_config.sections.reclaim import ReclaimSection
from elasticquota_config.sections.rules import Rules
from elasticquota_config.sections.sharing import AccountingSection, DefaultTree, Sharing


class ConfigurationError(Exception):
    """The file cannot be used; as text one line for each fault."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults


class UnreadableError(ConfigurationError):
    """The file cannot be read as text."""


class Configuration(Section, frozen=True):
    """The content of the file, with defaults filled in."""

    mode: Literal["enforce", "observe"] = "enforce"
    """Mode of trees that state none: enforce quotas, or observe, which only reports what enforcing
    would do."""
    beside_koordinator: bool = False
    """True while Koordinator still runs: its objects are left to it, so root quotas of profiles,
    built-in quotas and its annotations are not written, and every tree only observes."""
    guarantee_usage: bool = False
    """True: running pods are never reclaimed, and nothing is lent, in trees that do not state
    otherwise."""
    system_namespaces: tuple[Name, ...] = ("kube-system",)
    """Namespaces whose pods belong to the system quota: never gated, never evicted. The namespace
    of the process is always one of them."""
    controller_user: str = ""
    """User name of the controller's service account, whose requests the webhook admits unchecked;
    empty: none."""
    accounting: AccountingSection = AccountingSection()
    sharing: Sharing = Sharing()
    default_tree: DefaultTree = DefaultTree()
    rules: Rules = Rules()
    pod_admission: Literal["webhook", "policy"] = "webhook"
    """What adds the gate to new pods: the webhook, or a policy of the API server. The policy reads
    labels of namespaces, which the controller then maintains."""
    compat_annotations: bool = True
    """Whether quotas carry the annotations in which Koordinator publishes its figures."""
    compat_messages: bool = False
    """Whether messages of waiting pods end with `exceedDimensions`, as Koordinator's scheduler
    writes it."""
    compat_metrics: bool = False
    """Whether Koordinator's gauge `scheduler_elastic_quota_status` is exposed too."""
    admission: AdmissionSection = AdmissionSection()
    reclaim: ReclaimSection = ReclaimSection()
    dialects: Dialects = Dialects()
    jobs: JobsSection = JobsSection()
    pod_groups: PodGroups = PodGroups()
    dra: Literal["auto", "off"] = "auto"
    """Whether devices that pods claim (`resource.k8s.io/v1`) count: auto, once the API server
    serves them, or off (docs/devices.md)."""
    provisioning: ProvisioningSection = ProvisioningSection()
    metrics: MetricsSection = MetricsSection()
    lease: LeaseSection = LeaseSection()
    controller: Controller = Controller()
    webhook: WebhookSection = WebhookSection()
    logging: Logging = Logging()
    policies: tuple[PolicySection, ...] = ()
    """The policies of the release: kind, name, name of the binding, actions of the binding. The
    chart writes them; the controller and `elastic-quota doctor` report each that is gone."""

    def what_counts(self, *own_namespaces: str) -> counting.Accounting:
        """The accounting of the core package; the process' own namespace counts as system too."""
        return counting.Accounting(
            max_grace=self.reclaim.max_grace_seconds * 1000,
            unschedulable_timeout=self.admission.unschedulable_timeout_seconds * 1000,
            knows_creators=self._knows_creators(),
            in_parents_refused=self._refused("PD1301"),
            unknown_refused=self._refused("PD1306"),
            external_refused=self._refused("PD1307-unbound"),
            unlisted_refused=self._refused("PD1307-open"),
            terms=SharingTerms(
                sums_refused=self._refused("EQ1104"),
                keys_warned=self._where("EQ1103", ("warn", "deny")),
                observes=self.mode == "observe" or self.beside_koordinator,
                observes_everywhere=self.beside_koordinator,
                default_tree_observes=(self.default_tree.mode or self.mode) == "observe",
                limits_by_max=not self.sharing.runtime,
                scales_min=self.sharing.scale_min,
                guarantees_use=self.guarantee_usage,
                default_tree_guarantees_use=self.default_tree.guarantee_usage
                or self.guarantee_usage,
                system_namespaces=frozenset({*self.system_namespaces, *own_namespaces}),
                default_tree_takes=self._takes(self._home(own_namespaces)),
                home=self._home(own_namespaces),
            ),
            **asdict(self.accounting),
        )

    def policy(self, *own_namespaces: str) -> Policy:
        """The policy of decisions; the process' own namespace counts as system too."""
        return Policy(
            grace=self.reclaim.grace_seconds * 1000,
            delay=self.reclaim.delay_seconds * 1000,
            fair_share=self.reclaim.fair_share,
            fair_share_trees=self.reclaim.fair_share_trees,
            # Without the dialect its mark is guarded by no policy, so every tenant could set it.
            dialects_without_fair_share=self.reclaim.fair_share_dialects.off()
            & self.dialects.followed(),
            head_of_line=self.admission.head_of_line_seconds * 1000,
            min_runtime=self.reclaim.min_runtime_seconds * 1000,
            evictions_per_second=self.reclaim.evictions_per_second,
            brake_percent=self.reclaim.brake_percent,
            paused=self.reclaim.paused,
            label_namespaces=self.pod_admission == "policy",
            exceed_dimensions=self.compat_messages,
            accounting=self.what_counts(*own_namespaces),
        )

    def kinds_of_jobs(self) -> tuple[JobAdapter, ...]:
        """The adapters of all kinds of jobs, whether jobs are queued or not."""
        found = table.table(self.jobs.rows())
        if self.pod_admission == "webhook":
            return found
        return tuple(replace(each, quota_aliases=False) for each in found)

    def adapters(self) -> tuple[JobAdapter, ...]:
        """The adapters of all kinds of jobs; empty when jobs are not queued."""
        return self.kinds_of_jobs() if self.dialects.jobs else ()

    def group_adapters(self) -> tuple[GroupAdapter, ...]:
        """The adapters of the systems whose pod groups are read; empty: of none."""
        return self.pod_groups.rows()

    def installed_policies(self) -> tuple[InstalledPolicy, ...]:
        """The policies that the release made; empty: it made none, or is older than this list."""
        return tuple(each.row() for each in self.policies)

    def validation(self) -> Validation:
        """The levels of the rules that check users' changes."""
        return Validation(**asdict(self.rules))

    def _knows_creators(self) -> bool:
        """Whether admission writes on each pod who created it, and a policy lets no user do so."""
        judged = any(each.name.endswith("-creators") for each in self.policies)
        return self.dialects.yunikorn and judged

    def _home(self, own_namespaces: tuple[str, ...]) -> str | None:
        """The release's namespace, which tools know only from the controller's user name."""
        if own_namespaces:
            return own_namespaces[0]
        prefix, _, account = self.controller_user.rpartition(":")
        return prefix.rpartition(":")[2] if account and prefix else None

    def _takes(self, home: str | None) -> tuple[str, ...] | None:
        listed = self.default_tree.child_namespaces
        if "*" in listed or (home is None and not listed):
            return None
        return listed if home is None else (*listed, home)

    def _refused(self, rule: str) -> TreeSelection:
        return self._where(rule, ("deny",))

    def _where(self, rule: str, levels: Sequence[str]) -> TreeSelection:
        judged = self.validation()
        usually = judged.level(rule, ()) in levels
        others = (
            tree for tree in judged.trees if (judged.level(rule, (tree,)) in levels) != usually
        )
        return TreeSelection(usually, frozenset(others))


def load(path: Path) -> Configuration:
    """Read a configuration file; an empty one means all defaults.

    Raises `UnreadableError`, and `ConfigurationError` with a line for each fault.
    """
    return decode(content(path))


def content(path: Path) -> bytes:
    """Read the bytes of a file; raises `UnreadableError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(Fault("", f"cannot read the configuration: {error}")) from error


def decode(written: bytes) -> Configuration:
    """Read a configuration from the bytes of a file; raises as `load` does."""
    try:
        text = written.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(Fault("", f"cannot read the configuration: {error}")) from error
    return parse(text)


def parse(text: str) -> Configuration:
    """Read a configuration from YAML; raises `ConfigurationError`."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        problem = f"not YAML: {' '.join(str(error).split())}"
        raise ConfigurationError(Fault("", problem)) from error
    return read({} if document is None else document)


def read(document: object) -> Configuration:
    """Read a configuration from a decoded document; raises `ConfigurationError`."""
    try:
        return reading.read(Configuration, document)
    except reading.FaultsError as error:
        raise ConfigurationError(*error.faults) from error
