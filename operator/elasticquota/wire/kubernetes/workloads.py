"""Deployments, Jobs and similar kinds: where the annotations of their pods are written."""

from typing import Final

import msgspec


_TEMPLATE: Final = "/spec/template"
_IN_CRON_JOB: Final = "/spec/jobTemplate" + _TEMPLATE


class TemplateMetadata(msgspec.Struct, gc=False):
    """The metadata of a pod template."""

    annotations: dict[str, str] | None = None


class TemplateManifest(msgspec.Struct, gc=False):
    """A pod template, of which only the metadata is read."""

    metadata: TemplateMetadata | None = None


class _JobSpec(msgspec.Struct, gc=False):
    template: TemplateManifest | None = None


class _JobTemplate(msgspec.Struct, gc=False):
    spec: _JobSpec | None = None


class _TemplateHolderSpec(msgspec.Struct, rename="camel", gc=False):
    template: TemplateManifest | None = None
    job_template: _JobTemplate | None = None


class WorkloadManifest(msgspec.Struct, gc=False):
    """An object of apps/v1 or batch/v1; the API server guarantees its shape."""

    spec: _TemplateHolderSpec | None = None

    @property
    def template(self) -> tuple[str, TemplateManifest] | None:
        """The path of the pod template in a JSON patch, and the template."""
        spec = self.spec or _TemplateHolderSpec()
        if spec.template is not None:
            return _TEMPLATE, spec.template
        job = spec.job_template.spec if spec.job_template is not None else None
        return (_IN_CRON_JOB, job.template) if job is not None and job.template else None

    def annotation(self, key: str) -> str:
        """Return the value of an annotation of its pods; empty if absent."""
        found = self.template
        metadata = found[1].metadata if found is not None else None
        return ((metadata and metadata.annotations) or {}).get(key, "")
