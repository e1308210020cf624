"""How refusals of the chart's policies begin."""


def refusal(name: str, what: str) -> str:
    """By the policy ``name``, of a write to ``what``, such as ``pods "a"``."""
    return (
        f"{what} is forbidden: ValidatingAdmissionPolicy 'elastic-quota-{name}' with binding "
        f"'elastic-quota-{name}' denied request: "
    )


def on_quota(name: str, quota: str) -> str:
    """By the policy ``name``, of a write to the quota ``quota``."""
    return refusal(name, f'elasticquotas.scheduling.sigs.k8s.io "{quota}"')
