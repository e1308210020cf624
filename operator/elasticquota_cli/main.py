"""The command line: finds the verb, reads its arguments, runs it, and prints an error as a line.

Exit codes: 0 done, 1 it failed (the reason is on standard error), 2 the command or the
configuration is wrong. Only the module of the verb is loaded; see ``verbs``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from elasticquota import texts
from elasticquota_cli import program_help as usage
from elasticquota_cli import verbs
from elasticquota_cli.arguments import options
from elasticquota_cli.failures import nearest
from elasticquota_cli.failures.failure import BAD_INPUT, Failure
from elasticquota_cli.verbs import Verb


_PLUGIN: Final = "kubectl-elastic_quota"
_COMPLETE: Final = "__complete"
_HELP: Final = ("-h", "--help", "help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the console scripts; returns the exit code."""
    given = options.verb_first(sys.argv[1:] if arguments is None else arguments)
    program = program_name()
    if given[:1] == ["--version"]:
        given = ["version"]
    if given[:1] == ["help"] and len(given) > 1:
        given = [*given[1:], "--help"]
    if not given or given[0] in _HELP:
        print(usage.text(program))
        return 0 if given else BAD_INPUT
    if given[0] == _COMPLETE:
        from elasticquota_cli import candidates  # noqa: PLC0415 - only shells ask

        print("\n".join(candidates.of(given[1:])))
        return 0
    verb = verbs.of(given[0]) or _unknown(program, given[0])
    return _carry_out(program, verb, given[1:])


def program_name() -> str:
    """What the user types before the verb."""
    plugin = Path(sys.argv[0]).name == _PLUGIN
    return "kubectl elastic-quota" if plugin else "elastic-quota"


def _carry_out(program: str, verb: Verb, arguments: Sequence[str]) -> int:
    try:
        return verb.load().run(verb.parser(program).read(arguments))
    except Failure as failure:
        for line in str(failure).splitlines():
            print(texts.printable(f"{program}: {line}"), file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; closing stderr keeps Python from complaining.
        sys.stderr.close()
        return 0


def _unknown(program: str, name: str) -> NoReturn:
    elsewhere = verbs.ELSEWHERE.get(name)
    near = nearest.hint(name, (verb.name for verb in verbs.VERBS))
    hint = f"; {elsewhere}" if elsewhere else near
    what = "flag" if name.startswith("-") else "command"
    print(f"error: unknown {what} '{name}'{hint}", file=sys.stderr)
    print(f"See '{program} --help' for usage.", file=sys.stderr)
    sys.exit(BAD_INPUT)


if __name__ == "__main__":
    sys.exit(main())
