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
  {{- with merge dict .values.podLabels .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "elastic-quota.nodeSelector" -}}
{{- with merge dict .values.nodeSelector (.root.Values.global.nodeSelector | default dict) }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "elastic-quota.podPlacement" -}}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- include "elastic-quota.nodeSelector" . }}
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
{{- $selector := include "elastic-quota.selector" . | fromYaml }}
{{- $zones := dict "maxSkew" 1 "topologyKey" "topology.kubernetes.io/zone" "whenUnsatisfiable" "ScheduleAnyway" }}
topologySpreadConstraints:
  {{- range .values.topologySpreadConstraints | default (list $zones) }}
  - {{- merge dict . (dict "labelSelector" (dict "matchLabels" $selector)) | toYaml | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "elastic-quota.podSecurity" -}}
automountServiceAccountToken: true
enableServiceLinks: false
terminationGracePeriodSeconds: 30
{{- with .values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat (.root.Values.global.imagePullSecrets | default list) .root.Values.image.pullSecrets | uniq }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "elastic-quota.podNetwork" -}}
{{- if .values.hostNetwork }}
hostNetwork: true
{{- end }}
dnsPolicy: {{ .values.dnsPolicy | default (ternary "ClusterFirstWithHostNet" "ClusterFirst" .values.hostNetwork) }}
{{- with .values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "elastic-quota.image" -}}
{{- $image := .Values.image -}}
{{- with .Values.global.imageRegistry | default $image.registry }}{{ . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end -}}

{{/* How a Deployment replaces its pods, and how many old ones it remembers. */}}
{{- define "elastic-quota.rollout" -}}
replicas: {{ .values.replicas }}
revisionHistoryLimit: {{ .values.revisionHistoryLimit }}
strategy:
  {{- if eq .values.strategy.type "Recreate" }}
  type: Recreate
  {{- else }}
  {{- toYaml .values.strategy | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "elastic-quota.container" -}}
name: {{ .component }}
image: {{ include "elastic-quota.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: [elastic-quota]
args:
  - run
  - {{ .component }}
  - --config
  - /etc/elastic-quota/config.yaml
  {{- with .values.extraArgs }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
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
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
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
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
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
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Probes over plain HTTP; call with the names of the container's ports ``ready`` and ``alive``. */}}
{{- define "elastic-quota.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: {{ .alive }}}
  {{- toYaml .values.startupProbe | nindent 2 }}
readinessProbe:
  httpGet: {path: /readyz, port: {{ .ready }}}
  {{- toYaml .values.readinessProbe | nindent 2 }}
livenessProbe:
  httpGet: {path: /healthz, port: {{ .alive }}}
  {{- toYaml .values.livenessProbe | nindent 2 }}
{{- end -}}
