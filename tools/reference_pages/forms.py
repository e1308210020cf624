"""Texts of the code as forms: what is filled in stands in braces."""

import ast
from collections.abc import Iterator, Mapping

from elasticquota import names
from reference_pages.sources import Source, called


Function = ast.FunctionDef | ast.AsyncFunctionDef
_DEEP = 4


class Scope:
    """What names mean inside of one function of a module."""

    def __init__(self, source: Source, function: Function | None) -> None:
        self._source = source
        self._constants = source.constants
        self._function = function

    def form(self, node: ast.expr, before: int) -> str:
        """``node`` as a text with braces; empty when it holds no word of its own."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Name):
            value = self._assigned(node.id, before)
            return self.form(value, value.lineno) if value is not None else ""
        if isinstance(node, ast.JoinedStr):
            return "".join(self._piece(each, before) for each in node.values)
        return ""

    def reasons(self, node: ast.expr, known: Mapping[str, str], deep: int = _DEEP) -> Iterator[str]:
        """Every constant that ``node`` may be; empty where it is computed.

        What is a verdict's reason is any of ``known``.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.IfExp):
            for each in (node.body, node.orelse):
                yield from self.reasons(each, known, deep)
        elif isinstance(node, ast.Attribute) and node.attr == "reason":
            yield from known
        elif isinstance(node, ast.Name) and deep:
            yield from self._named(node, known, deep)
        elif isinstance(node, ast.Call):
            yield ""

    def _named(self, node: ast.Name, known: Mapping[str, str], deep: int) -> Iterator[str]:
        if node.id in self._constants:
            yield self._constants[node.id]
        if self._function is None:
            return
        arguments = [each.arg for each in self._function.args.args]
        if node.id in arguments:
            yield from self._passed(arguments.index(node.id), known, deep)
        for each in ast.walk(self._function):
            if not isinstance(each, ast.Assign):
                continue
            target = each.targets[0]
            if isinstance(target, ast.Name) and target.id == node.id:
                yield from self.reasons(each.value, known, deep - 1)
            elif isinstance(target, ast.Tuple) and _first(target) == node.id:
                yield from self._returned(each.value, deep - 1)

    def _passed(self, place: int, known: Mapping[str, str], deep: int) -> Iterator[str]:
        """What the module passes for that argument."""
        name = self._function.name if self._function else ""
        for call in ast.walk(self._source.tree):
            if isinstance(call, ast.Call) and called(call) == name and len(call.args) > place:
                yield from self.reasons(call.args[place], known, deep - 1)

    def _returned(self, node: ast.expr, deep: int) -> Iterator[str]:
        """The first parts of the tuples that a function of the module returns."""
        name = called(node) if isinstance(node, ast.Call) else ""
        function = self._source.functions.get(name)
        if function is None or not deep:
            return
        for each in ast.walk(function):
            if isinstance(each, ast.Return) and isinstance(each.value, ast.Tuple):
                yield from Scope(self._source, function).reasons(each.value.elts[0], {}, deep - 1)
            elif isinstance(each, ast.Return) and isinstance(each.value, ast.Call):
                yield from self._returned(each.value, deep - 1)

    def _assigned(self, name: str, before: int) -> ast.expr | None:
        """The last text that the function gave ``name`` before that line."""
        found = None
        for each in ast.walk(self._function) if self._function else ():
            if isinstance(each, ast.Assign) and each.lineno <= before:
                target = each.targets[0]
                is_it = isinstance(target, ast.Name) and target.id == name
                if is_it and (found is None or each.lineno > found.lineno):
                    found = each.value
        return found if isinstance(found, ast.JoinedStr | ast.Constant) else None

    def _piece(self, node: ast.expr, before: int) -> str:
        if isinstance(node, ast.Constant):
            return str(node.value)
        inside = node.value if isinstance(node, ast.FormattedValue) else node
        if isinstance(inside, ast.Attribute) and inside.attr.isupper():
            return str(getattr(names, inside.attr, f"{{{inside.attr}}}"))
        if not isinstance(inside, ast.Name):
            return f"{{{_last(inside)}}}"
        value = self._assigned(inside.id, before)
        if value is None or value.lineno >= before + 1:
            return f"{{{inside.id}}}"
        return self.form(value, value.lineno - 1) or f"{{{inside.id}}}"


def _first(target: ast.Tuple) -> str:
    first = target.elts[0]
    return first.id if isinstance(first, ast.Name) else ""


def _last(node: ast.expr) -> str:
    """A word for what is filled in."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute):
            return each.attr.strip("_")
        if isinstance(each, ast.Name):
            return each.id.strip("_")
    return "..."
