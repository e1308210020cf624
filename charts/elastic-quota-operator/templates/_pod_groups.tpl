{{/* The objects that state the size of pod groups, by API group; a test keeps them equal to the table in code. */}}
{{- define "elastic-quota.groupKinds" -}}
{{- $built := dict
  "coscheduling" (list "scheduling.x-k8s.io" "podgroups")
  "koordinator" (list "scheduling.sigs.k8s.io" "podgroups")
  "volcano" (list "scheduling.volcano.sh" "podgroups")
  "kubernetes" (list "scheduling.k8s.io" "podgroups" "compositepodgroups")
  "leaderworkerset" (list "leaderworkerset.x-k8s.io" "leaderworkersets")
-}}
{{- $kinds := dict -}}
{{- range .Values.config.podGroups.kinds -}}
{{- with get $built . -}}
{{- $_ := set $kinds (first .) (concat (get $kinds (first .) | default list) (rest .) | uniq) -}}
{{- end -}}
{{- end -}}
{{- range .Values.config.podGroups.adapters -}}
{{- with .object -}}
{{- $_ := set $kinds .group (append (get $kinds .group | default list) .plural | uniq) -}}
{{- end -}}
{{- end -}}
{{- toYaml $kinds -}}
{{- end -}}
