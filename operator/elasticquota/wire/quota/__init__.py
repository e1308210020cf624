"""Our kinds, those of Koordinator: ElasticQuota, ElasticQuotaProfile and their status."""
