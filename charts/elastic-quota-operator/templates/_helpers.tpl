{{/* Names begin with the release's name: a cluster has one release of this chart. */}}
{{- define "elastic-quota.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "elastic-quota.name" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{- define "elastic-quota.controllerName" -}}
{{ include "elastic-quota.fullname" . }}-controller
{{- end -}}

{{- define "elastic-quota.webhookName" -}}
{{ include "elastic-quota.fullname" . }}-webhook
{{- end -}}

{{- define "elastic-quota.controllerAccount" -}}
{{- .Values.controller.serviceAccount.name | default (include "elastic-quota.controllerName" .) -}}
{{- end -}}

{{- define "elastic-quota.webhookAccount" -}}
{{- .Values.webhook.serviceAccount.name | default (include "elastic-quota.webhookName" .) -}}
{{- end -}}

{{/* Of the rights to read the queues of YuniKorn, which may be in the release's own namespace. */}}
{{- define "elastic-quota.queuesName" -}}
{{ include "elastic-quota.fullname" . }}-queues
{{- end -}}

{{- define "elastic-quota.caSecretName" -}}
{{ include "elastic-quota.webhookName" . }}-ca
{{- end -}}

{{/* The Secret from which the webhook reads its certificate; empty when it makes its own. */}}
{{- define "elastic-quota.certificateSecretName" -}}
{{- if eq .Values.webhook.certificates.mode "certManager" -}}
{{ include "elastic-quota.webhookName" . }}-tls
{{- else -}}
{{ .Values.webhook.certificates.secretName }}
{{- end -}}
{{- end -}}

{{/* Whether the webhook itself fills in caBundle: "true" or nothing. */}}
{{- define "elastic-quota.publishesBundle" -}}
{{- with .Values.webhook.certificates -}}
{{- if not (or (eq .mode "certManager") .caBundle) }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/* Those of the values, and that by which cert-manager finds whose caBundle it fills in. */}}
{{- define "elastic-quota.configurationAnnotations" -}}
{{- $own := dict -}}
{{- if eq .Values.webhook.certificates.mode "certManager" -}}
{{- $certificate := printf "%s/%s" .Release.Namespace (include "elastic-quota.webhookName" .) -}}
{{- $_ := set $own "cert-manager.io/inject-ca-from" $certificate -}}
{{- end -}}
{{- merge $own .Values.webhook.configurationAnnotations | toYaml -}}
{{- end -}}

{{/* Only when the values set it: an upgrade would remove what another tool has filled in. */}}
{{- define "elastic-quota.caBundle" -}}
{{- with .Values.webhook.certificates.caBundle -}}
caBundle: {{ b64enc . }}
{{- end -}}
{{- end -}}

{{/*
Who holds new pods at the gate: webhook or policy. A cluster is asked what it serves; offline, as in
`helm template`, nothing is known of it. A policy cannot ask the placement rules of YuniKorn.
*/}}
{{- define "elastic-quota.podAdmission" -}}
{{- if ne .Values.podAdmission "auto" -}}
{{- .Values.podAdmission -}}
{{- else if and (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy") (not .Values.dialects.yunikorn) -}}
policy
{{- else -}}
webhook
{{- end -}}
{{- end -}}

{{/* Namespaces whose pods are never held. */}}
{{- define "elastic-quota.excludedNamespaces" -}}
{{- concat .Values.config.systemNamespaces .Values.webhook.pods.excludedNamespaces (list .Release.Namespace) | uniq | toJson -}}
{{- end -}}

{{- define "elastic-quota.configName" -}}
{{ include "elastic-quota.fullname" . }}-config
{{- end -}}

{{/* The name by which the API server knows the controller. */}}
{{- define "elastic-quota.controllerUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "elastic-quota.controllerAccount" . }}
{{- end -}}

{{/* Labels of an object that has some of its own; call with (dict "root" $ "labels" .Values.podLabels). */}}
{{- define "elastic-quota.labelsWith" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ include "elastic-quota.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: {{ .root.Chart.Name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with merge dict .labels .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of every other object. */}}
{{- define "elastic-quota.labels" -}}
{{- include "elastic-quota.labelsWith" (dict "root" . "labels" dict) -}}
{{- end -}}

{{/* What selects the pods of one process; call with (dict "root" $ "component" "controller"). */}}
{{- define "elastic-quota.selector" -}}
app.kubernetes.io/name: {{ include "elastic-quota.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}
