{{/* The name of a policy and of its binding; call with (dict "root" $ "policy" "gate"). */}}
{{- define "elastic-quota.policyName" -}}
{{ include "elastic-quota.fullname" .root }}-{{ .policy }}
{{- end -}}

{{- define "elastic-quota.policyMetadata" -}}
name: {{ include "elastic-quota.policyName" . }}
labels:
  {{- include "elastic-quota.labels" .root | nindent 2 }}
  app.kubernetes.io/component: policy
{{- end -}}

{{/*
What puts a policy into force in the whole cluster. "warns" has it only warn; that binding has a name of
its own, because server-side apply by several managers would add one action to the other.
*/}}
{{- define "elastic-quota.policyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  {{- $named := ternary (dict "root" .root "policy" (printf "%s-warning" .policy)) . (.warns | default false) }}
  {{- include "elastic-quota.policyMetadata" $named | nindent 2 }}
spec:
  policyName: {{ include "elastic-quota.policyName" . }}
  validationActions: [{{ ternary "Warn" "Deny" (.warns | default false) }}]
{{- end -}}

{{/* The namespaces whose pods may be held. */}}
{{- define "elastic-quota.managedNamespaces" -}}
matchExpressions:
  - key: kubernetes.io/metadata.name
    operator: NotIn
    values:
      {{- range include "elastic-quota.excludedNamespaces" . | fromJsonArray }}
      - {{ . | quote }}
      {{- end }}
  {{- with .Values.webhook.pods.onlyNamespaces }}
  - key: kubernetes.io/metadata.name
    operator: In
    values:
      {{- range . }}
      - {{ . | quote }}
      {{- end }}
  {{- end }}
{{- end -}}

{{/* A list of texts in CEL. The schema of the values lets no quote and no backslash in. */}}
{{- define "elastic-quota.texts" -}}
[{{ range $index, $text := . }}{{ if $index }}, {{ end }}{{ $text | squote }}{{ end }}]
{{- end -}}

{{/* The names of schedulers for which pods get the scheduler of the cluster, as a list in JSON. */}}
{{- define "elastic-quota.replacedSchedulers" -}}
{{ ternary .Values.dialects.capacitySchedulers list .Values.dialects.capacity | toJson }}
{{- end -}}

{{- define "elastic-quota.notTheController" -}}
- name: not-the-controller
  expression: request.userInfo.username != {{ include "elastic-quota.controllerUser" . | squote }}
{{- end -}}

{{- define "elastic-quota.notABreakGlassGroup" -}}
{{- with .Values.policy.breakGlassGroups -}}
- name: not-a-break-glass-group
  expression: >-
    !request.userInfo.groups.exists(group, group in {{ include "elastic-quota.texts" . }})
{{- end }}
{{- end -}}

{{/*
A variable that is true for administrators of quotas. It costs a question to the authorizer, so it
is asked last, and only about what would be refused otherwise.
*/}}
{{- define "elastic-quota.administrator" -}}
- name: administrator
  expression: >-
    authorizer.group('scheduling.sigs.k8s.io').resource('elasticquotas')
    .namespace({{ .Release.Namespace | squote }}).check('update').allowed()
{{- end -}}

{{/* Who an administrator is, for the end of a message inside quotes of CEL. */}}
{{- define "elastic-quota.administrators" -}}
those who may update elasticquotas in namespace {{ .Release.Namespace }}
{{- end -}}

{{/* Kinds whose controllers make pods from a template. */}}
{{- define "elastic-quota.workloads" -}}
- apiGroups: [""]
  apiVersions: [v1]
  resources: [replicationcontrollers]
  operations: [CREATE, UPDATE]
  scope: Namespaced
- apiGroups: [apps]
  apiVersions: [v1]
  resources: [deployments, replicasets, statefulsets, daemonsets]
  operations: [CREATE, UPDATE]
  scope: Namespaced
- apiGroups: [batch]
  apiVersions: [v1]
  resources: [jobs, cronjobs]
  operations: [CREATE, UPDATE]
  scope: Namespaced
{{- end -}}

{{/* The controllers of the cluster, which make for others what these asked for. */}}
{{- define "elastic-quota.notAWorkloadController" -}}
- name: not-for-others
  expression: >-
    !request.userInfo.username.startsWith('system:serviceaccount:kube-system:')
    && request.userInfo.username != 'system:kube-controller-manager'
{{- end -}}

{{/*
The policies of the release, as a list in JSON: kind, name, name of the binding and its actions. It is read from what
the files of this folder render, so that what a value switches off is in no list.
*/}}
{{- define "elastic-quota.installedPolicies" -}}
{{- $policies := list }}
{{- $rendered := list (include (print $.Template.BasePath "/policy/gate-mutation.yaml") $) }}
{{- range list "applications" "bound-pods" "controller-pods" "creators" "definitions" "equal-keys" "force" "gate" "job-phases" "kept" "marks" "namespace-labels" "namespaces" "node-name" "object-size" "placing" "pod-labels" "pod-size" "preemption" "reserved" "root-labels" "schedulers" "system-pods" "tree" "units" }}
{{- $rendered = append $rendered (include (printf "%s/policy/%s-policy.yaml" $.Template.BasePath .) $) }}
{{- end }}
{{- range $rendered }}
{{- $policy := dict }}
{{- range splitList "\n---\n" . }}
{{- with fromYaml . }}
{{- if hasSuffix "Binding" .kind }}
{{- $policy = merge $policy (dict "binding" .metadata.name "actions" (.spec.validationActions | default list)) }}
{{- else }}
{{- $policy = merge $policy (dict "kind" .kind "name" .metadata.name) }}
{{- end }}
{{- end }}
{{- end }}
{{- with $policy }}
{{- $policies = append $policies . }}
{{- end }}
{{- end }}
{{- toJson $policies }}
{{- end -}}
