"""Law: what is exported to ACK and imported again has the same min, max, parents and namespaces.

The imported quotas have the paths of the nodes as names; the last part is the name of before. Where
a quota leaves a resource unlimited, import may write the number that stands for no limit.
"""

from hypothesis import given
from hypothesis import strategies as st

import quota_generator
import translations
import tree_generator
from elasticquota import names, resources
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest
from elasticquota.integrations.ack import tree_rules, trees
from elasticquota.model.quota import Quota
from elasticquota_import.translators import ack_export as export


_NO_LIMIT = 4611686018427387
FORESTS = st.builds(lambda case: acceptance.build(case.quotas), tree_generator.tree_cases())


@given(FORESTS)
def test_what_is_exported_and_imported_says_the_same(forest: Forest) -> None:
    found = export.export(forest)
    read = [translations.ack_tree(each) for each in found.documents]
    assert [fault for each in read for fault in map(str, tree_rules.faults(each))] == []
    made = trees.translate(read)
    short = {name: path.rpartition("/")[2] for name, path in made.origins.items()}
    before = {
        name: quota
        for name, quota in forest.quotas.items()
        if name not in names.RESERVED_QUOTAS and all(map(forest.accepted, forest.path(name)))
    }
    assert sorted(short.values()) == sorted(before)
    for quota in made.quotas:
        own = before[short[quota.name]]
        assert resources.positive(quota.min) == resources.positive(own.min)
        assert resources.masked(quota.max, own.max.keys()) == own.max
        assert all(quota.max[key] >= _NO_LIMIT for key in quota.max.keys() - own.max.keys())
        assert short.get(quota.parent, names.ROOT_QUOTA) == own.parent
        assert quota.namespaces == own.namespaces
        assert quota.is_parent == any(each.parent == own.name for each in before.values())


@given(quota_generator.garbage())
def test_any_objects_can_be_exported(objects: list[Quota]) -> None:
    """What could not be read, such as a min above max, is not accepted; here it was never read."""
    found = export.export(acceptance.build(objects))
    for document in found.documents:
        faults = tree_rules.faults(translations.ack_tree(document))
        assert [fault for fault in faults if "the max of the node" not in fault.message] == []
