"""The verbs of the command line: the table of their names, and a module for the arguments of each.

A module here has ``add(parser)``, which declares the arguments, and ``run(given)``, which carries
the verb out and returns the exit code. It imports at its top only what the arguments need; ``run``
imports the rest. So each verb starts fast, and the list of all verbs loads none of them. The module
of a verb may be in another distribution, which names it by an entry point.
"""

import argparse
import importlib
from typing import Final, NamedTuple, Protocol, cast

from elasticquota_cli.arguments import examples
from elasticquota_cli.arguments.parser import Parser
from elasticquota_cli.failures.failure import BAD_INPUT, Failure


PLUGINS: Final = "elastic_quota.verbs"
"""The group of entry points by which another distribution names the module of a verb."""


class Module(Protocol):
    """What a module of a verb has."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the description, the arguments and the exit codes."""

    def run(self, given: argparse.Namespace) -> int:
        """Carry the verb out; returns the exit code, raises `Failure`."""


class Verb(NamedTuple):
    """A verb in the list of verbs."""

    name: str
    does: str
    """What it does, for the list: an imperative without a full stop."""
    module: str = ""
    """The module below this package, if its name differs from that of the verb."""
    distribution: str = ""
    """The Python distribution that has the verb, if it is not ours."""

    def load(self) -> Module:
        """Import its module; raises `Failure` without the distribution that has it."""
        if self.distribution:
            return self._plugged_in()
        name = self.module or self.name.replace("-", "_")
        return cast("Module", importlib.import_module(f"{__name__}.{name}"))

    def _plugged_in(self) -> Module:
        from importlib import metadata

        found = metadata.entry_points(group=PLUGINS, name=self.name)
        if not found:
            text = (
                f"{self.name} is in the Python distribution {self.distribution}, which is not "
                "installed; from the source: pip install ./importers"
            )
            raise Failure(text, BAD_INPUT)
        return cast("Module", next(iter(found)).load())

    def parser(self, program: str) -> Parser:
        """Its parser with all its arguments; ``program`` is what the user types before it."""
        parser = Parser(prog=f"{program} {self.name}")
        self.load().add(parser)
        parser.examples = [f"{program} {each}" for each in examples.OF_VERB[self.name]]
        parser.description = parser.description or f"{self.does[:1].upper()}{self.does[1:]}."
        return parser


_IMPORT: Final = "elastic-quota-import"
VERBS: Final = (
    Verb("tree", "show the quota trees with what they use and may use"),
    Verb("explain", "say what why says, with the sums of each level (why -o wide)"),
    Verb("why", "say why a pod or a workload waits and what to do, or what a quota may use"),
    Verb("pending", "list the quotas in which pods wait, and why"),
    Verb("top", "show who borrows, who lends, and whose pods were evicted"),
    Verb("history", "list who took what from whom in the last 24 hours"),
    Verb("usage", "show what quotas borrowed and lent, in resource-hours"),
    Verb("doctor", "check an installation and report what is wrong"),
    Verb("pause", "start no more pods of a quota or a tree"),
    Verb("resume", "start the pods of a paused quota or tree again"),
    Verb("observe", "switch observe mode of a tree on or off"),
    Verb("release", "ungate waiting pods after an uninstall"),
    Verb("simulate", "make decisions on manifests, without a cluster"),
    Verb("plan", "show what an edit or a new workload would do"),
    Verb("import", "translate other systems' quotas to ElasticQuotas", distribution=_IMPORT),
    Verb("export", "translate ElasticQuotas to ElasticQuotaTrees", distribution=_IMPORT),
    Verb("config", "check a configuration file, or show all keys"),
    Verb("completion", "print the completion script of a shell"),
    Verb("version", "print the version"),
    Verb("run", "run a process of the operator"),
)
"""In the order of the help."""
_ALL: Final = "'tree' shows all quotas, and 'explain quota NAME' one of them"
_WRITE: Final = "'kubectl {}' does it, and 'plan -f FILE' says what would happen"
ELSEWHERE: Final = {
    "get": _ALL,
    "list": _ALL,
    "describe": "'explain quota NAME' does it, and 'why NAME' for a pod or a workload",
    "create": _WRITE.format("apply -f FILE"),
    "apply": _WRITE.format("apply -f FILE"),
    "delete": "'kubectl delete elasticquota NAME' does it",
    "edit": _WRITE.format("edit elasticquota NAME"),
    "set": _WRITE.format("edit elasticquota NAME"),
    "move": _WRITE.format("edit elasticquota NAME"),
}
"""What does it, by verbs of kubectl that are none here, and verbs that are gone."""


def of(name: str) -> Verb | None:
    """The verb of this name."""
    return next((verb for verb in VERBS if verb.name == name), None)
