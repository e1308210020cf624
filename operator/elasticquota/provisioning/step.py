"""The next step for a workload that was admitted by its quota, given its ProvisioningRequest.

It starts once the request is provisioned. It goes back into its queue, and its room to others,
when the autoscaler refuses the request, or has answered but not provisioned it in time. When no
autoscaler has answered at all in time, the workload starts without: a cluster in which the kind is
installed and no autoscaler serves it must not hold workloads forever.
"""

from typing import Final, Literal

from elasticquota.jobs import phase
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.provisioning.answer import ProvisioningAnswer
from elasticquota.structs import Struct, replace


class ProvisioningTerms(Struct, frozen=True):
    """What is configured; times in milliseconds."""

    class_name: str
    """The ``provisioningClassName`` of each request."""
    parameters: tuple[tuple[str, str], ...] = ()
    timeout: int = 900_000
    first_backoff: int = 60_000
    """The back-off doubles with each refusal in a row."""

    def chosen(self, choice: ProvisioningChoice | None) -> "ProvisioningTerms | None":
        """Return the terms of a tree whose profile makes this choice; None: nothing is asked.

        The parameters belong to the configured class.
        """
        if choice is None:
            return self
        name = self.class_name if choice.class_name is None else choice.class_name
        if not name:
            return None
        return replace(
            self,
            class_name=name,
            parameters=self.parameters if name == self.class_name else (),
            timeout=self.timeout if choice.timeout is None else choice.timeout,
        )


Verdict = Literal["hold", "start", "back"]


class ProvisioningStep(Struct, frozen=True):
    """What happens to the workload now."""

    verdict: Verdict
    text: str
    due: int
    """When the verdict may change without an event, or until when it stays back; epoch ms."""


def step(
    name: str,
    answer: ProvisioningAnswer | None,
    asked: int,
    attempt: int,
    terms: ProvisioningTerms,
    now: int,
) -> ProvisioningStep:
    """Return the next step.

    ``answer`` is the answer to the request ``name``, None while it is not stored; ``asked`` is when
    it was made and ``attempt`` how often the workload has asked; times in epoch milliseconds.
    """
    what, end = f"ProvisioningRequest {name}", asked + terms.timeout
    waited, back = f"{terms.timeout // 1000} s", phase.backoff(attempt, terms.first_backoff)
    if answer is not None and answer.state == "provisioned":
        return ProvisioningStep("start", f"{what}: {answer.text}", now)
    if answer is not None and answer.state == "refused":
        since = now if answer.at is None else min(answer.at, now)
        return ProvisioningStep("back", f"{what}: {answer.text}", since + back)
    if now < end:
        state = "is being made" if answer is None else answer.text or _SILENT
        said = "admitted, and holds its room until the autoscaler has nodes for it"
        return ProvisioningStep("hold", f"{said}; {what}: {state}; at most {waited}", end)
    if answer is not None and answer.state == "silent":
        return ProvisioningStep("start", f"{what}: no autoscaler answered in {waited}", now)
    state = "does not exist" if answer is None else answer.text or "accepted"
    return ProvisioningStep("back", f"{what}: {state}, after {waited}", now + back)


_SILENT: Final = "no answer yet"
