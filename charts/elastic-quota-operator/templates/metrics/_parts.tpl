{{/*
Metadata of an object that another program looks for; call with
(dict "root" $ "values" .Values.metrics.podMonitor "name" "...").
*/}}
{{- define "elastic-quota.metricsMetadata" -}}
name: {{ .name | quote }}
namespace: {{ .values.namespace | default .root.Release.Namespace }}
labels:
  {{- include "elastic-quota.labelsWith" (dict "root" .root "labels" .values.labels) | nindent 2 }}
  app.kubernetes.io/component: metrics
{{- with .values.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What a monitor selects, and where; call with (dict "root" $ "values" .Values.metrics.podMonitor). */}}
{{- define "elastic-quota.metricsTargets" -}}
namespaceSelector:
  matchNames: [{{ .root.Release.Namespace }}]
selector:
  matchLabels:
    app.kubernetes.io/name: {{ include "elastic-quota.name" .root | quote }}
    app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
  matchExpressions:
    - {key: app.kubernetes.io/component, operator: In, values: [controller, webhook]}
{{- end -}}

{{/* How a monitor reads one port; call with (dict "root" $ "values" .Values.metrics.podMonitor). */}}
{{- define "elastic-quota.metricsEndpoint" -}}
{{- $metrics := .root.Values.metrics -}}
path: /metrics
{{- if and $metrics.authorization.enabled $metrics.authorization.credentials }}
authorization:
  type: Bearer
  credentials:
    {{- toYaml $metrics.authorization.credentials | nindent 4 }}
{{- end }}
{{- with .values }}
honorLabels: {{ .honorLabels }}
{{- with .interval }}
interval: {{ . }}
{{- end }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- with .relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
