"""The workflows of GitHub Actions are valid, and a release publishes what ``make dist`` writes."""

import re
from pathlib import Path

import pytest
import yaml

import workflow_check


ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yaml"))

pytestmark = pytest.mark.cluster  # needs Go, as the control plane does


def test_actionlint_finds_nothing() -> None:
    assert len(WORKFLOWS) == 3
    assert workflow_check.check(WORKFLOWS) == []


def test_a_step_that_reads_an_output_that_does_not_exist_is_found(tmp_path: Path) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yaml").read_text())
    workflow["jobs"]["image"]["outputs"]["digest"] = "${{ steps.built.outputs.digest }}"
    wrong = tmp_path / "release.yaml"
    wrong.write_text(yaml.safe_dump(workflow))
    assert any('"built" is not defined' in line for line in workflow_check.check([wrong]))


def test_a_release_is_signed_and_has_provenance_and_a_bill_of_materials() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yaml").read_text())["jobs"]
    image, files = (jobs[name]["steps"] for name in ("image", "files"))
    (build,) = [
        step["with"] for step in image if "docker/build-push-action" in step.get("uses", "")
    ]
    assert (build["sbom"], build["provenance"]) == (True, "mode=max")
    for steps in (image, files):
        assert any("cosign sign" in step.get("run", "") for step in steps)
        assert any("attest-build-provenance" in step.get("uses", "") for step in steps)
    assert any("make dist" in step.get("run", "") for step in files), "writes the bill of materials"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_no_job_may_write_more_than_it_says(workflow: Path) -> None:
    assert yaml.safe_load(workflow.read_text())["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit(workflow: Path) -> None:
    """A tag can be moved to other code, and a release is signed with what its actions do."""
    used = re.findall(r"uses: (\S+)(.*)", workflow.read_text())
    assert used
    for action, said in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+(\.\d+)*", said), "dependabot reads the version there"
