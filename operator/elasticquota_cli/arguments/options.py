"""Options that several verbs share, named as kubectl names them, and what a verb makes of them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from elasticquota_kube.client.credentials.login import Login


OF_QUOTA: Final = "namespace of the quota, where several have one of its name"
INSTEAD_OF_A_CLUSTER: Final = "manifests instead of a cluster: a file, a folder, or '-'"
CONFIGURATION: Final = "the controller's configuration (YAML)"

_WITH_VALUE: Final = frozenset(
    {
        *("--kubeconfig", "--context", "--cluster", "--user", "--as", "--as-group"),
        *("-n", "--namespace", "-l", "--selector", "-o", "--output"),
    }
)
_WITHOUT_VALUE: Final = frozenset({"-A", "--all-namespaces"})
_OF_LOGIN: Final = ("kubeconfig", "context", "cluster", "user", "namespace", "impersonate")
_TEMPLATES: Final = ("jsonpath", "jsonpath-file", "go-template", "custom-columns", "template")
"""Forms of kubectl that no verb has."""
_FORMS: Final = {
    "wide": "all columns and rows",
    "name": "only the names of the objects, as kubectl takes them",
}
"""Forms whose name does not say what they are."""

Options = TypeVar("Options")


def verb_first(arguments: Sequence[str]) -> list[str]:
    """The arguments with the verb in front: kubectl takes flags before it, too."""
    index = 0
    while index < len(arguments) and (taken := _taken_by(arguments[index])):
        index += taken
    return [*arguments[index : index + 1], *arguments[:index], *arguments[index + 1 :]]


def _taken_by(argument: str) -> int:
    """How many arguments a flag that may stand before the verb is; 0: it is no such flag."""
    if argument in _WITH_VALUE:
        return 2
    flag, equals, _ = argument.partition("=")
    glued = argument[:2] in _WITH_VALUE and len(argument) > 2
    return int(argument in _WITHOUT_VALUE or glued or bool(equals and flag in _WITH_VALUE))


def request(kind: type[Options], given: argparse.Namespace) -> Options:
    """The request of a verb: a class with a field for each argument, of the same name.

    A field ``login`` gets what the options of `add_login` and `add_namespace` say.
    """
    values = {**vars(given), "login": login(given)}
    if values.get("all_namespaces"):
        values["namespace"] = ""
    return kind(**{each: values[each] for each in kind.__annotations__})


def login(given: argparse.Namespace) -> Login:
    """The cluster that the options name; verbs without an option leave its value empty."""
    said = {each: getattr(given, each) for each in _OF_LOGIN if hasattr(given, each)}
    if getattr(given, "all_namespaces", False):
        said["namespace"] = ""
    groups = tuple(getattr(given, "groups", ()))
    return Login(**said, groups=groups, plugins=True)


class Words(argparse.Action):
    """The words that name an object; ``kinds`` are those that the verb takes, for completion."""

    def __init__(self, kinds: Sequence[str], **options: Any) -> None:
        super().__init__(**options)
        self.kinds = kinds

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)


def add_object(
    parser: argparse.ArgumentParser,
    kinds: Sequence[str],
    shown: str = "KIND NAME",
    text: str = "",
) -> None:
    """Add the words that name an object, as ``resource.read`` reads them; the verb's ``words``."""
    text = text or f"{' or '.join(kinds)}, and its name; KIND/NAME and NAMESPACE/NAME will do"
    parser.add_argument("words", nargs="+", action=Words, kinds=kinds, metavar=shown, help=text)


def add_login(parser: argparse.ArgumentParser) -> None:
    """Add the options of verbs that read a cluster."""
    login = parser.add_argument_group("login")
    add_file(login, "--kubeconfig", "instead of $KUBECONFIG")
    login.add_argument("--context", default="", metavar="NAME", help="context of the kubeconfig")
    login.add_argument("--cluster", default="", metavar="NAME", help="cluster of the kubeconfig")
    login.add_argument("--user", default="", metavar="NAME", help="user of the kubeconfig")
    login.add_argument(
        "--as", dest="impersonate", default="", metavar="USER", help="act as this user"
    )
    login.add_argument(
        "--as-group",
        dest="groups",
        action="append",
        default=[],
        metavar="GROUP",
        help="act as a member of this group",
    )


def add_namespace(parser: argparse.ArgumentParser, text: str, default: str = "") -> None:
    """Add ``-n``; ``text`` says what it means for the verb."""
    parser.add_argument("-n", "--namespace", default=default, help=text)


def add_all_namespaces(parser: argparse.ArgumentParser, text: str = "all namespaces") -> None:
    """Add ``-A``."""
    parser.add_argument("-A", "--all-namespaces", action="store_true", help=text)


def add_selector(parser: argparse.ArgumentParser, text: str) -> None:
    """Add ``-l``, a label selector that the API server evaluates."""
    parser.add_argument("-l", "--selector", default="", metavar="SELECTOR", help=text)


class _Form:
    """Reads the value of ``-o``: one of the forms that the verb has."""

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = forms

    def __call__(self, text: str) -> str:
        if text in self._forms:
            return text
        *most, last = self._forms
        hint = "; -o json and jq pick fields" if text.partition("=")[0] in _TEMPLATES else ""
        raise argparse.ArgumentTypeError(
            f"'{text}' is not there for this command; it has {', '.join(most)} and {last}{hint}"
        )


def add_output(parser: argparse.ArgumentParser, default: str, *others: str) -> None:
    """Add ``-o``; the forms are described in ``elasticquota_cli.printers.output``."""
    forms = (default, *others)
    parser.add_argument(
        "-o",
        "--output",
        type=_Form(forms),
        choices=forms,
        default=default,
        help="; ".join(f"{form}: {_FORMS[form]}" for form in forms if form in _FORMS),
    )


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-headers`` and ``-w`` (``elasticquota_cli.printers.watch``)."""
    parser.add_argument("--no-headers", action="store_true", help="the rows without their titles")
    parser.add_argument(
        "-w",
        "--watch",
        action="store_true",
        help="show it again every 2 s, in place; in a pipe when it is another",
    )


def add_edit(parser: argparse.ArgumentParser, namespace: str = OF_QUOTA) -> None:
    """Add the options of verbs that write; ``namespace`` is what ``-n`` means.

    The exit codes too, unless the verb says its own.
    """
    parser.epilog = parser.epilog or (
        "Exit codes: 0 done; 1 refused, or nothing was changed; 2 bad input."
    )
    add_namespace(parser, namespace)
    parser.add_argument("-y", "--yes", action="store_true", help="change it without asking")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the difference and change nothing"
    )
    add_output(parser, "text", "json", "yaml", "name")
    add_login(parser)


def add_overview(parser: argparse.ArgumentParser) -> None:
    """Add the options and exit codes of verbs that list what quotas publish."""
    parser.epilog = (
        "Exit codes: 0 done; 1 you may not list quotas there, or there is no cluster; 2 bad input."
    )
    add_namespace(parser, "quotas of this namespace; that of the context without it")
    add_all_namespaces(parser)
    add_manifests(parser, INSTEAD_OF_A_CLUSTER)
    add_output(parser, "table", "wide", "json", "yaml", "name")
    add_table(parser)
    add_login(parser)


def add_manifests(parser: argparse.ArgumentParser, text: str, *, required: bool = False) -> None:
    """Add ``-f``, which may be given several times; the verb gets them as ``files``."""
    parser.add_argument(
        "-f",
        "--filename",
        dest="files",
        action="append",
        default=None if required else [],
        required=required,
        metavar="FILE",
        help=text,
    )


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Add ``--strict``; the verb's epilog says when it counts."""
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 in the cases that the exit codes name"
    )


def add_file(parser: argparse._ActionsContainer, option: str, text: str) -> None:
    """Add an option that names one file."""
    parser.add_argument(option, type=Path, metavar="FILE", help=text)
