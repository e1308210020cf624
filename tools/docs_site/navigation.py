"""The navigation of the site: Tutorials, How-to, Reference, Explanation, Evidence (Diataxis).

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
        "Tutorials",
        (
            (
                "",
                (
                    "docs/tutorials/first-quota.md",
                    "docs/tutorials/gpu-pool.md",
                    "docs/tutorials/a-tenant-sees.md",
                ),
            ),
        ),
    ),
    (
        "How-to",
        (
            ("", ("docs/how-to/README.md",)),
            (
                "Tenant",
                (
                    "docs/how-to/pod-waits.md",
                    "docs/how-to/pod-evicted.md",
                    "docs/why.md",
                    "docs/events.md",
                    "docs/wait-estimate.md",
                    "docs/jobs.md",
                    "docs/job-queues.md",
                    "docs/explain.md",
                ),
            ),
            ("Quota planner", ("docs/how-to/plan-quotas.md", "docs/plan.md", "docs/simulate.md")),
            (
                "Cluster admin",
                (
                    "docs/how-to/install.md",
                    "docs/how-to/upgrade.md",
                    "docs/how-to/high-availability.md",
                    "docs/how-to/backup.md",
                    "docs/how-to/release.md",
                    "docs/how-to/command-line.md",
                    "docs/how-to/gitops.md",
                    "docs/how-to/from-koordinator.md",
                    "docs/rollout.md",
                    "docs/capacity.md",
                    "docs/observe.md",
                    "docs/pause.md",
                    "docs/pools.md",
                    "docs/import.md",
                    "docs/dialects.md",
                    "docs/pod-admission.md",
                    "docs/certificates.md",
                    "docs/job-kinds.md",
                    "docs/pod-groups.md",
                    "docs/provisioning.md",
                    "docs/how-to/kueue.md",
                    "docs/how-to/vertical-pod-autoscaler.md",
                    "docs/how-to/python.md",
                    "docs/devices.md",
                    "docs/how-to/uninstall.md",
                ),
            ),
            (
                "On-call",
                (
                    "docs/how-to/on-call.md",
                    "docs/runbooks/README.md",
                    "docs/overview.md",
                    "docs/slo.md",
                    "docs/doctor.md",
                    "docs/reporting.md",
                ),
            ),
        ),
    ),
    (
        "Reference",
        (
            ("", ("docs/reference/README.md", "docs/glossary.md")),
            (
                "Interfaces",
                (
                    "docs/reference/crds.md",
                    "docs/reference/labels.md",
                    "docs/annotations.md",
                    "docs/reference/reasons.md",
                    "docs/reference/messages.md",
                    "docs/reference/metrics.md",
                    "docs/metrics.md",
                    "docs/reference/cli.md",
                    "docs/configuration.md",
                    "docs/accounting.md",
                    "docs/kubernetes-versions.md",
                ),
            ),
            ("Rules", ("docs/rules/*",)),
            (
                "Semantics",
                (
                    "docs/reference/semantics.md",
                    "docs/reference/algorithm.md",
                    "docs/reference/koordinator.md",
                    "docs/reference/ack.md",
                    "docs/reference/capacity-scheduling.md",
                    "docs/reference/yunikorn.md",
                    "docs/reference/rule-clash.md",
                ),
            ),
        ),
    ),
    (
        "Explanation",
        (
            (
                "",
                (
                    "docs/fairness.md",
                    "docs/reclaim.md",
                    "docs/rights.md",
                    "docs/admission-order.md",
                    "docs/no-ping-pong.md",
                    "docs/explanation/comparison.md",
                    "docs/explanation/chart-values.md",
                ),
            ),
            ("Decisions", ("docs/decisions/*",)),
        ),
    ),
    (
        "Evidence",
        (
            (
                "",
                (
                    "docs/reliability.md",
                    "docs/threats.md",
                    "docs/webhook-practices.md",
                    "docs/odd-input.md",
                    "docs/mutants.md",
                    "docs/limits.md",
                    "docs/baselines.md",
                    "docs/small-worlds.md",
                ),
            ),
            ("Compatibility", ("docs/compat/*",)),
        ),
    ),
    ("Contributing", (("", ("CONTRIBUTING.md", "docs/style.md")),)),
)


def navigation(pages: Iterable[str]) -> list[Nested]:
    """The navigation for these ``pages``, paths from the root of the repository."""
    there = sorted(pages)
    unused = {page for page in there if page.startswith("docs/")}
    found: list[Nested] = [{"Home": [HOME]}]
    for title, groups in SECTIONS:
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
