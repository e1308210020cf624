{{/*
What a write of a pod by the controller keeps, in CEL. dyn() makes maps with all their fields, those of
later versions of Kubernetes too.
*/}}
{{/* Call with (dict "map" "labels" "keys" (list ...)), the keys that may change. */}}
{{- define "elastic-quota.changesOnly" -}}
{{- $keys := include "elastic-quota.texts" .keys -}}
oldObject.metadata.?{{ .map }}.orValue({}).all(key, key in {{ $keys }}
|| key in object.metadata.?{{ .map }}.orValue({})
&& object.metadata.{{ .map }}[key] == oldObject.metadata.{{ .map }}[key])
&& object.metadata.?{{ .map }}.orValue({}).all(key, key in {{ $keys }}
|| key in oldObject.metadata.?{{ .map }}.orValue({}))
{{- end -}}

{{- define "elastic-quota.sameOwners" -}}
object.metadata.?finalizers.orValue([]) == oldObject.metadata.?finalizers.orValue([])
&& object.metadata.?ownerReferences.orValue([]) == oldObject.metadata.?ownerReferences.orValue([])
{{- end -}}

{{- define "elastic-quota.gateAndNodesOnly" -}}
dyn(oldObject.spec).all(key, key in ['schedulingGates', 'affinity']
|| key in dyn(object.spec) && dyn(object.spec)[key] == dyn(oldObject.spec)[key])
&& dyn(object.spec).all(key, key in ['schedulingGates', 'affinity'] || key in dyn(oldObject.spec))
&& object.spec.?schedulingGates.orValue([]).filter(gate, gate.name != 'elasticquota.dev/admission')
== oldObject.spec.?schedulingGates.orValue([]).filter(gate, gate.name != 'elasticquota.dev/admission')
&& object.spec.?affinity.?podAffinity == oldObject.spec.?affinity.?podAffinity
&& object.spec.?affinity.?podAntiAffinity == oldObject.spec.?affinity.?podAntiAffinity
&& object.spec.?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution
== oldObject.spec.?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution
{{- end -}}

{{- define "elastic-quota.messageOnly" -}}
dyn(oldObject.?status.orValue({})).all(key, key == 'conditions'
|| key in dyn(object.?status.orValue({})) && dyn(object.status)[key] == dyn(oldObject.status)[key])
&& dyn(object.?status.orValue({})).all(key, key == 'conditions'
|| key in dyn(oldObject.?status.orValue({})))
&& object.?status.?conditions.orValue([]).map(found,
[found.type, found.status, found.?reason.orValue(''),
found.type == 'PodScheduled' ? '' : found.?message.orValue('')])
== oldObject.?status.?conditions.orValue([]).map(found,
[found.type, found.status, found.?reason.orValue(''),
found.type == 'PodScheduled' ? '' : found.?message.orValue('')])
{{- end -}}
