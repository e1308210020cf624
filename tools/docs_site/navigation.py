"""The navigation of the site by reader: tenants, planners, administrators, on-call, contributors.

Each page of ``docs/`` is listed here once. A page that is not listed, or is listed and does not
exist, fails the build.
"""

from collections.abc import Iterable, Iterator
from typing import Final


Group = tuple[str, tuple[str, ...]]
Nested = str | dict[str, "list[Nested]"]
"""A page, or a titled list, as Zensical reads it."""

HOME: Final = "README.md"

SECTIONS: Final[tuple[tuple[str, tuple[Group, ...]], ...]] = (
    (
        "Start",
        (
            (
                "",
                (
                    "docs/tutorials/first-quota.md",
                    "docs/tutorials/company.md",
                    "docs/tutorials/gpu-pool.md",
                    "docs/tutorials/a-tenant-sees.md",
                    "docs/faq.md",
                    "docs/explanation/comparison.md",
                    "docs/glossary.md",
                ),
            ),
        ),
    ),
    (
        "Tenants",
        (
            (
                "",
                (
                    "docs/tutorials/tenant.md",
                    "docs/how-to/README.md",
                    "docs/how-to/pod-waits.md",
                    "docs/how-to/pod-evicted.md",
                    "docs/wait-estimate.md",
                    "docs/events.md",
                    "docs/explain.md",
                    "docs/job-queues.md",
                    "docs/pod-groups.md",
                ),
            ),
        ),
    ),
    (
        "Planners",
        (
            (
                "",
                (
                    "docs/how-to/plan-quotas.md",
                    "docs/plan.md",
                    "docs/simulate.md",
                    "docs/fairness.md",
                    "docs/reclaim.md",
                    "docs/rights.md",
                    "docs/admission-order.md",
                    "docs/accounting.md",
                    "docs/rules/*",
                ),
            ),
        ),
    ),
    (
        "Administrators",
        (
            (
                "Install",
                (
                    "docs/how-to/install.md",
                    "docs/observe.md",
                    "docs/how-to/operate.md",
                    "docs/how-to/gitops.md",
                    "docs/how-to/command-line.md",
                    "docs/how-to/python.md",
                    "docs/configuration.md",
                    "docs/kubernetes-versions.md",
                ),
            ),
            (
                "Pools and workloads",
                (
                    "docs/pools.md",
                    "docs/capacity.md",
                    "docs/provisioning.md",
                    "docs/devices.md",
                    "docs/pod-admission.md",
                    "docs/certificates.md",
                ),
            ),
            (
                "Other systems",
                (
                    "docs/how-to/from-koordinator.md",
                    "docs/import.md",
                    "docs/dialects.md",
                    "docs/how-to/beside.md",
                    "docs/compat/*",
                ),
            ),
            ("Security and limits", ("docs/threats.md", "docs/reliability.md", "docs/limits.md")),
        ),
    ),
    (
        "On-call",
        (
            (
                "",
                (
                    "docs/how-to/on-call.md",
                    "docs/runbooks/README.md",
                    "docs/doctor.md",
                    "docs/slo.md",
                    "docs/metrics.md",
                ),
            ),
        ),
    ),
    (
        "Reference",
        (
            (
                "",
                (
                    "docs/reference/crds.md",
                    "docs/annotations.md",
                    "docs/reference/reasons.md",
                    "docs/reference/messages.md",
                    "docs/reference/metrics.md",
                    "docs/reference/cli.md",
                ),
            ),
        ),
    ),
)
CONTRIBUTING: Final[tuple[Group, ...]] = (
    ("", ("CONTRIBUTING.md", "docs/contributing/*")),
    (
        "Rules that code cites",
        (
            "docs/reference/README.md",
            "docs/reference/semantics.md",
            "docs/reference/algorithm.md",
            "docs/reference/other-systems.md",
        ),
    ),
    ("Decisions", ("docs/decisions/*",)),
)
"""Pages for who changes the product: last in the navigation, and not in the search."""


def for_contributors(pages: Iterable[str]) -> set[str]:
    """Those of ``pages`` that the search of the site leaves out."""
    listed = [each for _, group in CONTRIBUTING for each in group]
    folders = tuple(each[:-1] for each in listed if each.endswith("/*"))
    return {page for page in pages if page in listed or page.startswith(folders)}


def navigation(pages: Iterable[str]) -> list[Nested]:
    """The navigation for these ``pages``, paths from the root of the repository."""
    there = sorted(pages)
    unused = {page for page in there if page.startswith("docs/")}
    found: list[Nested] = [{"Home": [HOME]}]
    for title, groups in (*SECTIONS, ("Contributing", CONTRIBUTING)):
        entries: list[Nested] = []
        for heading, listed in groups:
            names = [name for each in listed for name in _expanded(each, there)]
            unused.difference_update(names)
            if heading:
                entries.append({heading: list(names)})
            else:
                entries.extend(names)
        found.append({title: entries})
    if unused:
        raise SystemExit(f"not in tools/docs_site/navigation.py: {', '.join(sorted(unused))}")
    return found


def _expanded(listed: str, there: list[str]) -> Iterator[str]:
    """The pages of a folder, its README first, or the page itself."""
    if listed.endswith("/*"):
        inside = [page for page in there if page.startswith(listed[:-1])]
        yield from sorted(inside, key=lambda page: (not page.endswith("README.md"), page))
    elif listed in there:
        yield listed
    else:
        raise SystemExit(f"tools/docs_site/navigation.py: there is no {listed}")
