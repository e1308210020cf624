"""Finds the quota of a pod and the rule that assigns it (``forest.membership``)."""

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.model.key import Key
from elasticquota.model.workload import Counted
from elasticquota.structs import replace
from elasticquota_cli.why.parts import belonging
from elasticquota_cli.why.parts.belonging import Belonging
from elasticquota_cli.why.parts.report import Rule


def of(pod: Counted, members: Membership) -> Belonging:
    """The quota of ``pod``, with the rule and a sentence about it."""
    if system := belonging.to_the_system(pod, members.system_namespaces):
        return system
    quota = members.quota_of(pod)
    rule, why = _rule(pod, quota, members)
    if members.unknown_label(pod):
        why = f"its label names '{pod.quota_label}', which takes no pods by name; {why}"
    bare = members.quota_of(replace(pod, quota_label="")) if pod.quota_label else quota
    return Belonging(quota, rule, why, "" if bare == quota else bare)


def _rule(pod: Counted, quota: str, members: Membership) -> tuple[Rule, str]:
    namespace = pod.key.namespace
    if quota == NO_QUOTA:
        return "none", "neither a label nor its namespace assigns it to a quota"
    if quota == pod.quota_label:
        return "label", f"its label {names.QUOTA_NAME} names it"
    home = members.forest.quotas[quota]
    if home.key == Key(namespace, namespace):
        return "namespace", "the quota has the name of the pod's namespace, and is in it"
    if namespace in home.namespaces:
        return (
            "annotation",
            f"the quota binds namespace {namespace} (spec.namespaces)",
        )
    return "default", "neither a label nor its namespace assigns it to another quota"
