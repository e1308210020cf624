"""ACK: ElasticQuotaTree (``scheduling.sigs.k8s.io``), resource flavors, pools."""
