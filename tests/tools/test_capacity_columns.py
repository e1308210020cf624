"""``kubectl get`` shows the plugin's quotas as its own definition does."""

import integration_definitions


def test_the_columns_are_those_of_the_plugin_and_whether_a_quota_follows_with_wide_output() -> None:
    definition = integration_definitions.definitions()["capacity"]
    (version,) = definition["spec"]["versions"]
    columns = [
        (each["name"], each["jsonPath"], each.get("priority", 0))
        for each in version["additionalPrinterColumns"]
    ]
    assert columns == [
        ("Used", ".status.used", 0),
        ("Max", ".spec.max", 0),
        ("Age", ".metadata.creationTimestamp", 0),
        ("Translated", '.status.conditions[?(@.type=="Translated")].status', 1),
    ]
    assert definition["spec"]["names"]["shortNames"] == ["eq", "eqs"]
