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
