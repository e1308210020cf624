// Only the chart of this module is read: nothing is built, and no other module is needed.
module elasticquota.dev/tools/kyverno

go 1.26.0

require github.com/kyverno/kyverno v1.19.1
