"""Our kinds, which are Koordinator's: ElasticQuota, ElasticQuotaProfile, their status."""
