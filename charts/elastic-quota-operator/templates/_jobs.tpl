{{/* The kinds of jobs that are queued, by API group; a test keeps them equal to the table in code. */}}
{{- define "elastic-quota.jobKinds" -}}
{{- $kinds := dict
  "batch" (list "jobs")
  "ray.io" (list "rayjobs" "rayclusters")
  "kubeflow.org" (list "tfjobs" "pytorchjobs" "mpijobs" "xgboostjobs" "paddlejobs")
  "trainer.kubeflow.org" (list "trainjobs")
  "jobset.x-k8s.io" (list "jobsets")
  "sparkoperator.k8s.io" (list "sparkapplications")
  "argoproj.io" (list "workflows")
-}}
{{- range .Values.config.jobs.adapters -}}
{{- $_ := set $kinds .group (append (get $kinds .group | default list) .plural | uniq) -}}
{{- end -}}
{{- toYaml $kinds -}}
{{- end -}}

{{/* The kinds of objects that own pods, by API group; a test keeps them equal to the table in code. */}}
{{- define "elastic-quota.ownerKinds" -}}
{{- $kinds := dict
  "apps" (list "deployments" "replicasets" "statefulsets" "daemonsets")
  "batch" (list "cronjobs")
  "ray.io" (list "rayservices")
  "leaderworkerset.x-k8s.io" (list "leaderworkersets")
-}}
{{- range $group, $resources := include "elastic-quota.jobKinds" . | fromYaml -}}
{{- $_ := set $kinds $group (concat (get $kinds $group | default list) $resources) -}}
{{- end -}}
{{- toYaml $kinds -}}
{{- end -}}
