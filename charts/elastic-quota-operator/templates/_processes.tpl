{{/*
Objects that both processes have, each called with
(dict "root" $ "component" "controller" "values" .Values.controller).
*/}}
{{- define "elastic-quota.serviceAccount" -}}
{{- $account := .values.serviceAccount -}}
{{- if $account.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include (printf "elastic-quota.%sAccount" .component) .root }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "elastic-quota.labelsWith" (dict "root" .root "labels" $account.labels) | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with $account.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{- define "elastic-quota.disruptionBudget" -}}
{{- $budget := .values.podDisruptionBudget -}}
{{- if and $budget.enabled (gt (int .values.replicas) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include (printf "elastic-quota.%sName" .component) .root }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "elastic-quota.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if ne (toString $budget.maxUnavailable) "" }}
  maxUnavailable: {{ $budget.maxUnavailable }}
  {{- else }}
  minAvailable: {{ $budget.minAvailable }}
  {{- end }}
  # A replica that is not ready serves nothing: it must not hold up the drain of its node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "elastic-quota.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "elastic-quota.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}
