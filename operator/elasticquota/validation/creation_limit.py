"""The most that a quota takes at creation: Koordinator's gate EnableQuotaAdmission (K 4.5).

What the quota asks for, with the new pod, must stay within the annotation ``admission``, or within
max without one. Only resources of the pod that the limit names are compared, and only this quota:
those above it hold the pod at the gate. The figures are a second old, and nothing is booked here,
so of pods that come together some may pass; they wait at the gate, where the same limit applies.
"""

from elasticquota import names, quantity
from elasticquota.forest import violation, wording
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures


def excess(pod: Pod, quota: str, forest: Forest, published: Figures | None) -> str:
    """Return a sentence with what the pod exceeds, or an empty text where it may be created.

    A pod in observe mode, of no quota or of a reserved quota may always be created.
    """
    if quota not in forest.quotas or quota in names.RESERVED_QUOTAS or forest.observes(quota):
        return ""
    quota_object = forest.quotas[quota]
    limit = quota_object.admission or quota_object.max
    asked = published.request if published is not None else {}
    for key, most in sorted(limit.items()):
        more, before = pod.request.get(key, 0), asked.get(key, 0)
        if more > 0 and before + more > most:
            said = f"its limit of {quantity.shown(key, most)}"
            if quota_object.admission:
                said = f"the {quantity.shown(key, most)} that annotation {names.ADMISSION} allows"
            return (
                f"quota '{quota}' accepts no more pods: this one needs {wording.amount(key, more)},"
                f" and those that exist ask for {quantity.shown(key, before)} of {said}. Wait "
                "until some of them end, or have the limit raised. More: "
                f"{violation.explain(quota)}"
            )
    return ""
