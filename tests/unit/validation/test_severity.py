"""The table of validation profiles, every cell of it through the real chains."""

from collections.abc import Callable, Mapping

import pytest

import changes
import forests
from elasticquota import names, pool_keys
from elasticquota.forest.membership import Membership
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Figures
from elasticquota.structs import replace
from elasticquota.validation import chains, object_size, severity, tree_identity
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.severity import Findings, Validation


Breach = Callable[[Validation], Findings]
DEVICE = forests.DEVICE
A100 = pool_keys.key("a100", "nvidia.com/gpu")


def edit(before: str, entry: str, **facts: object) -> Breach:
    """A creation or an edit of a quota."""
    return lambda chosen: chains.judge(
        changes.change(before, entry, **facts), forests.forest(before), chosen
    )


def reading(fault: Fault) -> Breach:
    """A quota of which the reading found this."""
    change = changes.change("", "a 1..2")
    broken = replace(change, new=replace(change.quota, faults=(fault,)))
    return lambda chosen: chains.judge(broken, forests.forest(""), chosen)


def removal(before: str, name: str) -> Breach:
    return lambda chosen: chains.judge(
        changes.removal(before, name), forests.forest(before), chosen
    )


def pod(quotas: str, label: str) -> Breach:
    """A pod of the namespace elsewhere."""
    made = Pod(Key("elsewhere", "p"), "uid", "", quota_label=label)
    members = Membership(forests.forest(quotas))
    return lambda chosen: chains.judge_pod(made, members, chosen)


def profile(**said: object) -> Breach:
    """A second profile beside gpu, which selects node-1."""
    first = Profile(Key("ns", "first"), "1", "2026", "gpu")
    made = replace(Profile(Key("ns", "second"), "2", "2027", "cpu"), **said)
    change = ProfileChange(None, made, (first,), {first.key: ["node-1"]})
    return lambda chosen: chains.judge_profile(change, forests.forest(""), chosen)


def pools_gone() -> Breach:
    """An edit that takes away the pool which quota a bounds."""
    stored = forests.forest(f"cpu ..9 root=blue parent; a<cpu {A100}=..1")
    pools = Pools((Pool("a100", (("gpu.model", "a100"),)),))
    old = Profile(Key("ns", "cpu"), "1", "2026", "cpu", tree_id="blue", pools=pools)
    change = ProfileChange(old, replace(old, pools=None))
    return lambda chosen: chains.judge_profile(change, stored, chosen)


def profile_removal(before: str) -> Breach:
    """The deletion of the profile of the root gpu."""
    gone = Profile(Key("ns", "first"), "1", "2026", "gpu")
    return lambda chosen: chains.judge_profile_removal(
        gone, forests.forest(before), chosen, namespace_leaves=False
    )


def capacity_lowered() -> Breach:
    """A capacity below the min of quota a."""
    stored = forests.forest("cpu 5..9 root=blue parent; a<cpu 5..9")
    mode = CapacityMode("Declared", total={DEVICE: 4})
    change = ProfileChange(
        None, Profile(Key("ns", "cpu"), "1", "2026", "cpu", tree_id="blue", capacity=mode)
    )
    return lambda chosen: chains.judge_profile(change, stored, chosen)


def growth(published: Mapping[str, Figures]) -> Breach:
    forest = forests.forest("a ..5")
    return lambda chosen: chains.judge_growth({DEVICE: 9}, "a", forest, published, chosen)


FIRM = "pool 10..20 root=blue firm; a<pool 1..20; b<pool 1..20"
ANNOTATION = "metadata.annotations[quota.scheduling.koordinator.sh"

BREACHES: dict[str, Breach] = {
    "EQ1001": edit("", "a ..4 bad"),
    "EQ1001-switch": edit("", "a ..4 doubt"),
    "EQ1002": reading(Fault("spec.min.device", "5 is above 4", rule="EQ1002")),
    "EQ1003": edit("", "a ..4 w.gpu=1"),
    "EQ1004": edit("a ..4 binds=x", "b ..4 binds=x"),
    "EQ1004-unbound": edit("", "a ..4"),
    "EQ1101": edit("a ..4", "b<a ..4"),
    "EQ1101-missing": edit("", "a<ghost ..4"),
    "EQ1102": edit("a ..4 ns=one", "a ..4 ns=two"),
    "EQ1102-namespace": edit("", "elsewhere ..4", name_of_namespace=True),
    "EQ1103": edit("dept ..4 parent", "a<dept ..4 gpu=..1"),
    "EQ1103-equal": edit("dept ..4 gpu=..1 parent", "a<dept ..4"),
    "EQ1103-nodes": edit("cpu ..9 root=blue of=cpu parent", "a<cpu ..4 gpu=..1 ns=a"),
    "EQ1103-pool": edit("pool ..9 root=blue parent", f"a<pool {A100}=..1"),
    "EQ1104": edit("dept 2..4 parent", "a<dept 3..4"),
    "EQ1104-forced": edit("dept 2..4 parent", "a<dept 3..4 forced"),
    "EQ1104-nodes": edit("pool 4..9 root=blue parent offers=4", "a<pool 5..9"),
    "EQ1104-guarantee": edit(FIRM, "a<pool 5..20", used_by=forests.devices(pool=9, b=9)),
    "EQ1105": edit("dept 2..4 parent", "a<dept 2..5"),
    "EQ1105-unlimited": edit("", "a"),
    "EQ1106": edit("dept ..4; a<dept ..4", "dept ..4 leaf"),
    "EQ1107": edit("dept ..4 parent", "a<dept ..4 tree=red"),
    "EQ1110": edit("", f"{names.SYSTEM_QUOTA} ..4"),
    "EQ1111": removal("dept ..4; a<dept ..4", "dept"),
    "EQ1112": edit("a ..9", "a ..4", used={DEVICE: 6}),
    "EQ1112-strict": edit("a ..9 strict=device", "a ..4 strict=device", used={DEVICE: 6}),
    "EQ1113": edit("dept ..4 parent adopts=", "a<dept ..4 ns=x"),
    "EQ1113-children": edit("dept ..4; a<dept ..4 ns=x", "dept ..4 parent adopts="),
    "EQ1114": edit("dept ..4 parent", "a<dept ..4 label=gpu"),
    "EQ1115": edit("", "a ..4", size=2 * object_size.LARGEST),
    "EP1201": profile(faults=(Fault("spec.resourceRatio", "must be a decimal"),)),
    "EP1201-capacity": capacity_lowered(),
    "EP1201-pools": pools_gone(),
    "EP1202": profile(quota_name="gpu"),
    "EP1202-overlap": profile(),
    "EP1203": profile_removal("gpu root=blue of=first parent; a<gpu"),
    "PD1301": pod("dept parent allows=*", "dept"),
    "PD1305": growth({"a": Figures()}),
    "PD1305-unknown": growth({}),
    "PD1306": pod("", "ghost"),
    "PD1307": pod("a allows=x", "a"),
    "PD1307-unbound": pod("a binds=x", "a"),
    "PD1307-open": pod("a", "a"),
}


def test_every_row_of_the_table_has_its_breach() -> None:
    assert BREACHES.keys() == severity.TABLE.keys()


@pytest.mark.parametrize("chosen", severity.PROFILES)
@pytest.mark.parametrize("rule", BREACHES)
def test_every_rule_counts_in_every_profile_as_the_table_says(
    rule: str, chosen: severity.Profile
) -> None:
    found = BREACHES[rule](Validation(chosen))
    level = severity.TABLE[rule][chosen]
    where = {violation.rule: "deny" for violation in found.refused} | {
        violation.rule: "warn" for violation in found.warned
    }
    assert where.get(rule, "off") == level


@pytest.mark.parametrize("rule", sorted(BREACHES.keys() - severity.ALWAYS))
@pytest.mark.parametrize("level", severity.LEVELS)
def test_an_exception_comes_before_every_profile(rule: str, level: severity.Level) -> None:
    found = BREACHES[rule](Validation("strict", overrides={rule: level}))
    assert (rule in {each.rule for each in found.refused}) is (level == "deny")
    if not found.refused:
        assert (rule in {each.rule for each in found.warned}) is (level == "warn")


def test_the_table_says_something_about_every_profile_and_nothing_else() -> None:
    for rule, row in severity.TABLE.items():
        assert set(row) == set(severity.PROFILES)
        assert set(row.values()) <= set(severity.LEVELS), rule


def test_what_takes_from_others_or_cannot_be_read_is_refused_everywhere() -> None:
    always = {rule for rule in severity.ALWAYS if "deny" in severity.TABLE[rule].values()}
    assert always == {
        *("EQ1001", "EQ1002", "EQ1004", "EQ1102", "EQ1107", "EQ1110", "EQ1113"),
        *("EQ1114", "EQ1115", "EP1201", "EP1202", "PD1307"),
    }


def test_strict_is_nowhere_milder_than_the_others_and_permissive_nowhere_stricter() -> None:
    for rule, row in severity.TABLE.items():
        if rule == "EQ1105-unlimited":
            continue
        levels = [severity.LEVELS.index(row[each]) for each in severity.PROFILES]
        strict = severity.LEVELS.index(row["strict"])
        assert strict == max(levels), rule
        assert severity.LEVELS.index(row["permissive"]) <= max(1, min(levels)), rule


def test_a_tree_is_judged_by_its_own_profile_and_the_others_by_the_usual_one() -> None:
    chosen = Validation("strict", trees={"blue": "permissive"})
    trees = "pool 2..9 root=blue parent; dept 2..9 parent; inner<pool 2..9 parent"
    mild = edit(trees, "a<inner 3..9 ns=a")(chosen)
    assert ([each.rule for each in mild.warned], mild.refused) == (["EQ1104"], ())
    assert [each.rule for each in edit(trees, "a<dept 3..9")(chosen).refused] == ["EQ1104"]


def test_a_move_between_trees_is_judged_by_the_stricter_of_both() -> None:
    chosen = Validation("permissive", trees={"blue": "strict"})
    trees = "pool ..9 root=blue; inner<pool ..9; a<inner ..9; dept ..9 parent"
    for before in (trees, trees.replace("a<inner ..9", "a<dept ..9")):
        for parent in ("inner", "dept"):
            found = edit(before, f"a<{parent} ..12")(chosen)
            stays = f"a<{parent}" in before
            refused = {each.rule for each in found.refused}
            assert ("EQ1107" in refused) is not stays
            assert ("EQ1105" in refused) is (stays and parent == "inner")


def test_of_two_trees_the_stricter_level_counts() -> None:
    chosen = Validation("permissive", trees={"blue": "strict", "red": "ack"})
    assert chosen.level("EQ1104", ("", "blue")) == "deny"
    assert chosen.level("EQ1104", ("", "red")) == "warn"
    assert chosen.level("EQ1103", ("red", "")) == "warn"
    assert chosen.level("EQ1103", ("red",)) == "off"
    assert chosen.level("EQ1104", ()) == "warn"


def test_the_trees_of_an_edit_are_those_of_the_old_and_the_new_parent() -> None:
    trees = "pool root=blue; inner<pool; a<inner; dept parent"
    forest = forests.forest(trees)

    def concerned(entry: str) -> frozenset[str]:
        return tree_identity.concerned(changes.change(trees, entry), forest)

    assert concerned("a<dept") == {"", "blue"}
    assert concerned("a<pool") == {"blue"}
    assert concerned("b<dept") == {""}
    assert concerned("b<ghost tree=red") == {"red"}
    assert tree_identity.concerned(changes.removal(trees, "a"), forest) == {"blue"}
    assert concerned("other root=green") == {"green"}


def test_a_quota_without_a_parent_is_judged_by_the_tree_that_it_claims() -> None:
    chosen = Validation("strict", trees={"blue": "permissive"})
    assert edit("", "a<ghost ..4 tree=blue")(chosen).refused == ()
    assert edit("", "a<ghost ..4")(chosen).refused != ()


def test_a_pod_is_judged_by_the_tree_in_which_it_would_be() -> None:
    chosen = Validation("koordinator", trees={"blue": "permissive"})
    quotas = "pool root=blue; dept<pool parent; other parent"
    assert pod(quotas, "dept")(chosen).refused == ()
    assert pod(quotas, "other")(chosen).refused != ()


def test_no_pod_is_refused_for_a_tree_that_only_observes() -> None:
    chosen = Validation()
    found = pod("pool root=blue observes; dept<pool parent", "dept")(chosen)
    assert (found.refused, [breach.rule for breach in found.warned]) == ((), ["PD1301"])
    closed = pod("pool root=blue observes; a<pool allows=", "a")(chosen)
    assert (closed.refused, [breach.rule for breach in closed.warned]) == ((), ["PD1307"])
    assert pod("pool root=blue observes; dept parent", "dept")(chosen).refused


def test_no_growth_is_refused_for_a_tree_that_only_observes() -> None:
    forest = forests.forest("pool ..5 root=blue observes; a<pool ..5")
    known = {name: Figures() for name in ("a", "pool")}
    found = chains.judge_growth({DEVICE: 9}, "a", forest, known, Validation())
    assert (found.refused, {breach.rule for breach in found.warned}) == ((), {"PD1305"})
