{{- define "elastic-quota.testName" -}}
{{ include "elastic-quota.fullname" . }}-test
{{- end -}}

{{- define "elastic-quota.testHook" -}}
labels:
  {{- include "elastic-quota.labels" . | nindent 2 }}
  app.kubernetes.io/component: test
annotations:
  helm.sh/hook: test
  helm.sh/hook-weight: "-1"
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}
