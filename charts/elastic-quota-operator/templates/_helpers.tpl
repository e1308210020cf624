{{/* Names begin with the release's name: a cluster has one release of this chart. */}}
{{- define "elastic-quota.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "elastic-quota.controllerName" -}}
{{ include "elastic-quota.fullname" . }}-controller
{{- end -}}

{{- define "elastic-quota.webhookName" -}}
{{ include "elastic-quota.fullname" . }}-webhook
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

{{/* By which cert-manager finds the webhook configurations whose caBundle it fills in. */}}
{{- define "elastic-quota.injection" -}}
{{- if eq .Values.webhook.certificates.mode "certManager" -}}
annotations:
  cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/{{ include "elastic-quota.webhookName" . }}
{{- end -}}
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
system:serviceaccount:{{ .Release.Namespace }}:{{ include "elastic-quota.controllerName" . }}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "elastic-quota.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: {{ .Chart.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* What selects the pods of one process; call with (dict "root" $ "component" "controller"). */}}
{{- define "elastic-quota.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/*
The parts that the pods of both processes share, each called with
(dict "root" $ "component" "controller" "values" .Values.controller).
*/}}
{{- define "elastic-quota.podMetadata" -}}
annotations:
  checksum/config: {{ include (print .root.Template.BasePath "/configmap.yaml") .root | sha256sum }}
  {{- with .values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
labels:
  {{- include "elastic-quota.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/part-of: {{ .root.Chart.Name }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "elastic-quota.podPlacement" -}}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
  {{- if .values.affinity }}
  {{- toYaml .values.affinity | nindent 2 }}
  {{- else }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "elastic-quota.selector" . | nindent 14 }}
  {{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "elastic-quota.selector" . | nindent 8 }}
{{- end -}}

{{- define "elastic-quota.podSecurity" -}}
automountServiceAccountToken: true
enableServiceLinks: false
terminationGracePeriodSeconds: 30
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "elastic-quota.container" -}}
name: {{ .component }}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: [elastic-quota]
args: [run, {{ .component }}, --config, /etc/elastic-quota/config.yaml]
env:
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  - name: POD_NAMESPACE
    valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  {{- if eq .component "controller" }}
  - name: LIVENESS_IP
    valueFrom: {fieldRef: {fieldPath: status.podIP}}
  {{- end }}
  {{- if .certificateSecret }}
  - name: CERTIFICATES_FOLDER
    value: /etc/elastic-quota-certificates
  {{- end }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/elastic-quota
    readOnly: true
  {{- if .certificateSecret }}
  - name: certificates
    mountPath: /etc/elastic-quota-certificates
    readOnly: true
  {{- end }}
{{- end -}}

{{- define "elastic-quota.volumes" -}}
- name: config
  configMap:
    name: {{ include "elastic-quota.configName" .root }}
{{- with .certificateSecret }}
- name: certificates
  secret:
    secretName: {{ . }}
{{- end }}
{{- end -}}

{{/* Probes over plain HTTP; call with the names of the container's ports ``ready`` and ``alive``,
and the seconds that a start may take. */}}
{{- define "elastic-quota.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: {{ .alive }}}
  periodSeconds: 1
  failureThreshold: {{ .startSeconds }}
readinessProbe:
  httpGet: {path: /readyz, port: {{ .ready }}}
  periodSeconds: 2
  failureThreshold: 2
livenessProbe:
  httpGet: {path: /healthz, port: {{ .alive }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}
