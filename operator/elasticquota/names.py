"""Every key, name and API group that appears in a manifest, defined once.

Keys that Koordinator defines keep its spelling (K 1); our own keys are
below ``elasticquota.dev/``. Nothing here computes.
"""

from typing import Final


QUOTA_GROUP: Final = "scheduling.sigs.k8s.io"
QUOTA_VERSION: Final = "v1alpha1"
QUOTA_API: Final = f"{QUOTA_GROUP}/{QUOTA_VERSION}"
QUOTA_KIND: Final = "ElasticQuota"
QUOTA_PLURAL: Final = "elasticquotas"

PROFILE_GROUP: Final = "quota.koordinator.sh"
PROFILE_VERSION: Final = "v1alpha1"
PROFILE_API: Final = f"{PROFILE_GROUP}/{PROFILE_VERSION}"
PROFILE_KIND: Final = "ElasticQuotaProfile"
PROFILE_PLURAL: Final = "elasticquotaprofiles"

# Kinds of external systems that the integrations translate.
TREE_GROUP: Final = QUOTA_GROUP
TREE_VERSION: Final = "v1beta1"
TREE_API: Final = f"{TREE_GROUP}/{TREE_VERSION}"
TREE_KIND: Final = "ElasticQuotaTree"
TREE_PLURAL: Final = "elasticquotatrees"
CAPACITY_GROUP: Final = "scheduling.x-k8s.io"
CAPACITY_VERSION: Final = "v1alpha1"
CAPACITY_API: Final = f"{CAPACITY_GROUP}/{CAPACITY_VERSION}"
CAPACITY_KIND: Final = "ElasticQuota"
CAPACITY_PLURAL: Final = "elasticquotas"
JOB_QUEUE_GROUP: Final = CAPACITY_GROUP
JOB_QUEUE_VERSION: Final = "v1alpha1"
JOB_QUEUE_API: Final = f"{JOB_QUEUE_GROUP}/{JOB_QUEUE_VERSION}"
JOB_QUEUE_KIND: Final = "Queue"
JOB_QUEUE_PLURAL: Final = "queues"
QUEUE_UNIT_KIND: Final = "QueueUnit"
QUEUE_UNIT_PLURAL: Final = "queueunits"

# The kind by which Cluster Autoscaler is asked for nodes, and its annotations of pods that use
# them; the second spelling of each is the one of before Cluster Autoscaler 1.31.
DEVICE_GROUP: Final = "resource.k8s.io"
DEVICE_VERSION: Final = "v1"
DEVICE_API: Final = f"{DEVICE_GROUP}/{DEVICE_VERSION}"

PROVISIONING_GROUP: Final = "autoscaling.x-k8s.io"
PROVISIONING_VERSION: Final = "v1"
PROVISIONING_API: Final = f"{PROVISIONING_GROUP}/{PROVISIONING_VERSION}"
PROVISIONING_KIND: Final = "ProvisioningRequest"
PROVISIONING_PLURAL: Final = "provisioningrequests"
CONSUME_PROVISIONING: Final = (
    "autoscaling.x-k8s.io/consume-provisioning-request",
    "cluster-autoscaler.kubernetes.io/consume-provisioning-request",
)
PROVISIONING_CLASS: Final = (
    "autoscaling.x-k8s.io/provisioning-class-name",
    "cluster-autoscaler.kubernetes.io/provisioning-class-name",
)
# Annotation of a ProvisioningRequest of ours: the group or the job that it is for.
PROVISIONING_FOR: Final = "elasticquota.dev/provisioning-for"

_PREFIX: Final = "quota.scheduling.koordinator.sh/"

# Labels of an ElasticQuota.
PARENT: Final = _PREFIX + "parent"
IS_PARENT: Final = _PREFIX + "is-parent"
ALLOW_LENT: Final = _PREFIX + "allow-lent-resource"
TREE_ID: Final = _PREFIX + "tree-id"
IS_ROOT: Final = _PREFIX + "is-root"
PROFILE: Final = _PREFIX + "profile"
IGNORE_DEFAULT_TREE: Final = _PREFIX + "ignore-default-tree"
ALLOW_FORCE_UPDATE: Final = _PREFIX + "allow-force-update"
# Annotation of an ElasticQuotaTree: the profile, NAMESPACE/NAME, whose tree gets its quotas.
TREE_PROFILE: Final = "elasticquota.dev/profile"
# The external system whose objects the controller keeps this quota equal to.
DIALECT: Final = "elasticquota.dev/dialect"
# Labels of a root quota that follow from its profile; quotaLabels cannot set them.
LABELS_OF_ROOTS: Final = frozenset(
    {PARENT, PROFILE, IS_PARENT, IS_ROOT, TREE_ID, ALLOW_FORCE_UPDATE, DIALECT}
)

# Annotations of an ElasticQuota or a profile.
SHARED_WEIGHT: Final = _PREFIX + "shared-weight"
ADMISSION: Final = _PREFIX + "admission"
NAMESPACES: Final = _PREFIX + "namespaces"
TOTAL_RESOURCE: Final = _PREFIX + "total-resource"
UNSCHEDULABLE_RESOURCE: Final = _PREFIX + "unschedulable-resource"
RESOURCE_KEYS: Final = _PREFIX + "resource-keys"
# By field of a spec, the label or annotation that says the same: of a quota, and of a profile.
EQUAL_LABELS: Final = {"parent": PARENT, "isParent": IS_PARENT, "lends": ALLOW_LENT}
EQUAL_ANNOTATIONS: Final = {"namespaces": NAMESPACES, "weight": SHARED_WEIGHT}
EQUAL_KEYS: Final = {**EQUAL_LABELS, **EQUAL_ANNOTATIONS}
EQUAL_KEYS_OF_PROFILES: Final = {"resourceKeys": RESOURCE_KEYS}
# Of a root quota: what the present nodes offer, where they may become more.
PRESENT_RESOURCE: Final = "elasticquota.dev/present-resource"
STRICT_KEYS: Final = _PREFIX + "max-strict-check-resource-keys"
ENFORCE: Final = "Enforce"
OBSERVE: Final = "Observe"
# Of a quota: the parent whose list leaves its namespace out and below which it was permitted.
PLACED_BELOW: Final = "elasticquota.dev/placed-below"
# The verb of RBAC on a quota that lets users place quotas below it.
ADD_CHILD: Final = "add-child"
EVERY_NAMESPACE: Final = "*"
STRICT: Final = "Strict"
DEFAULT: Final = "Default"
FENCE: Final = "Fence"
DISABLED: Final = "Disabled"
FIFO: Final = "Fifo"
FAIR: Final = "Fair"
BY_AGE: Final = "Age"
NEVER: Final = "Never"
# Where a quota was imported from, for people. The YuniKorn integration reads it: the queue.
SOURCE: Final = "elasticquota.dev/source"

# Annotations in which Koordinator publishes a quota's figures; no input of shares (semantics 7).
RUNTIME: Final = _PREFIX + "runtime"
REQUEST: Final = _PREFIX + "request"
CHILD_REQUEST: Final = _PREFIX + "child-request"
GUARANTEED: Final = _PREFIX + "guaranteed"
ALLOCATED: Final = _PREFIX + "allocated"
NON_PREEMPTIBLE_REQUEST: Final = _PREFIX + "non-preemptible-request"
NON_PREEMPTIBLE_USED: Final = _PREFIX + "non-preemptible-used"

# Labels of a pod.
QUOTA_NAME: Final = _PREFIX + "name"
QUOTA_ALIASES: Final = ("quota.scheduling.alibabacloud.com/name", "alibabacloud.com/quota-name")
"""What ACK and Koord-Queue also call the label ``QUOTA_NAME``."""
PREEMPTIBLE: Final = _PREFIX + "preemptible"
POD_GROUP: Final = "scheduling.x-k8s.io/pod-group"

# Label of a pod, written when it is ungated: the time, in seconds since the epoch.
ADMITTED_AT: Final = "elasticquota.dev/admitted-at"

# What ``spec.schedulerName`` of a pod is unless it is set.
STOCK_SCHEDULER: Final = "default-scheduler"

YUNIKORN_PREFIX: Final = "yunikorn.apache.org/"
"""Of the labels and annotations that YuniKorn reads."""

# Annotations of a namespace, from which YuniKorn makes its queue: its max, what it is guaranteed,
# the number of its applications, and the older form of max for two resources.
QUEUE_AMOUNTS: Final = (
    YUNIKORN_PREFIX + "namespace.quota",
    YUNIKORN_PREFIX + "namespace.guaranteed",
    YUNIKORN_PREFIX + "namespace.maxApps",
    YUNIKORN_PREFIX + "namespace.max.cpu",
    YUNIKORN_PREFIX + "namespace.max.memory",
)
PARENT_QUEUE: Final = YUNIKORN_PREFIX + "parentqueue"

# Annotations of a pod. The second is YuniKorn's, and means the same when it is ``"false"``.
EVICT_LAST: Final = "elasticquota.dev/evict-last"
ALLOW_PREEMPTION: Final = YUNIKORN_PREFIX + "allow-preemption"

# Annotations or labels of a pod.
POD_GROUP_SIZE: Final = "elasticquota.dev/pod-group-size"
ALL_OR_NOTHING: Final = "elasticquota.dev/all-or-nothing"

# Annotations of a job: the suspend switch, for kinds without one of their own (Q21), and the
# resources of the whole job, in the spellings of ACK and of Koordinator.
SUSPEND: Final = "scheduling.x-k8s.io/suspend"
# The queue that a job chooses: annotation or label of the job. And an annotation of a namespace:
# the quotas that its jobs may name.
QUEUE_NAME: Final = "kube-queue/queue-name"
AVAILABLE_QUOTA: Final = ("kube-queue/available-quota", "kube-queue/available-quota-in-namespace")
MIN_RESOURCES: Final = ("kube-queue/min-resources", "koord-queue/min-resources")

# Label of a namespace, written by the controller: the quota of its pods that name none.
NAMESPACE_QUOTA: Final = "elasticquota.dev/quota"

# Annotation of a job: its phase in the queue of its quota. Only the controller writes it.
JOB_PHASE: Final = "elasticquota.dev/job-phase"

# Annotation, only in the file of /debug/ledger: the writes that the cache does not show yet;
# ``withheld`` means that a disruption budget protects the pod for now.
EXPECTED: Final = "elasticquota.dev/expected"

# Quotas that exist whether they have an object or not; the controller keeps one of each.
ROOT_QUOTA: Final = "koordinator-root-quota"
SYSTEM_QUOTA: Final = "koordinator-system-quota"
DEFAULT_QUOTA: Final = "koordinator-default-quota"
RESERVED_QUOTAS: Final = frozenset({ROOT_QUOTA, SYSTEM_QUOTA, DEFAULT_QUOTA})
DEFAULT_TREE: Final = ""

# The scheduling gate that holds a pod until it is admitted.
CAPACITY: Final = "capacity"
"""Value of ``DIALECT`` for quotas that follow those of capacity scheduling."""
YUNIKORN: Final = "yunikorn"
"""Value of ``DIALECT`` for quotas that follow YuniKorn's queues."""
GATE: Final = "elasticquota.dev/admission"

# Annotation of static pods, which no API write can hold back.
MIRROR_POD: Final = "kubernetes.io/config.mirror"

CPU: Final = "cpu"
MEMORY: Final = "memory"
PODS: Final = "pods"
# The domain of the keys in min and max that count a resource of one pool of nodes (``pool_keys``).
POOL_DOMAIN: Final = "pool.elasticquota.dev"
# Resources that Kubernetes itself knows; all others have a domain in their name.
NATIVE: Final = (CPU, MEMORY, PODS, "ephemeral-storage")
_NATIVE_PREFIXES: Final = ("hugepages-", "attachable-volumes-")
# Each job asks for one, so a max of it limits how many jobs are admitted. No node offers it.
MAX_JOBS: Final = "kube-queue/max-jobs"


def is_native(resource: str) -> bool:
    """Whether a resource is one of those that Kubernetes itself knows."""
    return resource in NATIVE or resource.startswith(_NATIVE_PREFIXES)
