"""Jobs as the documentation of each kind shows them, with what decides what they ask for.

Images, commands, ports and volumes are left out; names, counts and sizes are those of the page that
each comment names. Where a page shows no sizes, the requests are ours.
"""

from typing import Any, Final

import yaml


_WRITTEN: Final = """
# kubernetes.io, "Job with Pod-to-Pod communication" and "Jobs": ten to run, three at a time.
apiVersion: batch/v1
kind: Job
metadata: {name: pi, namespace: devops, uid: u-1, resourceVersion: "7", generation: 1,
           creationTimestamp: "2026-11-22T06:00:00Z"}
spec:
  suspend: true
  parallelism: 3
  completions: 10
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: pi, resources: {requests: {cpu: 500m, memory: 128Mi}}}
---
# ray-project/kuberay, config/samples/ray-job.sample.yaml.
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: rayjob-sample, namespace: video}
spec:
  suspend: true
  entrypoint: python /home/ray/samples/sample_code.py
  rayClusterSpec:
    rayVersion: 2.9.0
    headGroupSpec:
      rayStartParams: {dashboard-host: 0.0.0.0}
      template:
        spec:
          containers:
          - {name: ray-head, resources: {limits: {cpu: "1"}, requests: {cpu: 200m}}}
    workerGroupSpecs:
    - replicas: 1
      minReplicas: 1
      maxReplicas: 5
      groupName: small-group
      rayStartParams: {}
      template:
        spec:
          containers:
          - {name: ray-worker, resources: {limits: {cpu: "1"}, requests: {cpu: 200m}}}
---
# docs.ray.io, "RayCluster Configuration": a group that the autoscaler grows.
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: raycluster-complete, namespace: video}
spec:
  suspend: true
  enableInTreeAutoscaling: true
  headGroupSpec:
    template:
      spec:
        containers:
        - {name: ray-head, resources: {limits: {cpu: 14, memory: 54Gi},
                                       requests: {cpu: 14, memory: 54Gi}}}
  workerGroupSpecs:
  - groupName: small-wg
    replicas: 3
    minReplicas: 1
    maxReplicas: 5
    numOfHosts: 2
    template:
      spec:
        containers:
        - {name: ray-worker, resources: {limits: {cpu: 14, memory: 54Gi},
                                         requests: {cpu: 14, memory: 54Gi}}}
---
# kubeflow/training-operator, examples/tensorflow/dist-mnist/tf_job_mnist.yaml.
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: dist-mnist-for-e2e-test, namespace: text1}
spec:
  runPolicy: {suspend: true}
  tfReplicaSpecs:
    PS:
      replicas: 2
      restartPolicy: Never
      template: {spec: {containers: [{name: tensorflow, resources: {requests: {cpu: 1}}}]}}
    Worker:
      replicas: 4
      restartPolicy: Never
      template: {spec: {containers: [{name: tensorflow, resources: {requests: {cpu: 2}}}]}}
---
# kubeflow/training-operator, examples/pytorch/elastic/imagenet/imagenet.yaml.
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: elastic-example-imagenet, namespace: text1}
spec:
  runPolicy: {suspend: true}
  elasticPolicy: {rdzvBackend: c10d, minReplicas: 1, maxReplicas: 3, maxRestarts: 100}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template: {spec: {containers: [{name: pytorch, resources: {requests: {cpu: 4}}}]}}
---
# kubeflow/mpi-operator, examples/v2beta1/tensorflow-benchmarks.yaml.
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: tensorflow-benchmarks, namespace: text1}
spec:
  slotsPerWorker: 1
  runPolicy: {cleanPodPolicy: Running, suspend: true}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {spec: {containers: [{name: tensorflow-benchmarks}]}}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - {name: tensorflow-benchmarks, resources: {limits: {nvidia.com/gpu: 1}}}
---
# kubeflow/training-operator, examples/mpi/tensorflow-mnist.yaml.
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: tensorflow-mnist, namespace: kubeflow}
spec:
  slotsPerWorker: 1
  runPolicy: {cleanPodPolicy: Running, suspend: true}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {spec: {containers: [{name: mpi, resources: {limits: {cpu: 1, memory: 2Gi}}}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, resources: {limits: {cpu: 2, memory: 4Gi}}}]}}
---
# kubeflow/training-operator, examples/xgboost/xgboostjob.yaml.
apiVersion: kubeflow.org/v1
kind: XGBoostJob
metadata: {name: xgboost-dist-iris-test-train, namespace: text1}
spec:
  runPolicy: {suspend: true}
  xgbReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: xgboostjob, resources: {requests: {cpu: 1}}}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: xgboostjob, resources: {requests: {cpu: 2}}}]}}
---
# kubeflow/training-operator, examples/paddlepaddle/simple-gpu.yaml.
apiVersion: kubeflow.org/v1
kind: PaddleJob
metadata: {name: paddle-simple-gpu, namespace: kubeflow}
spec:
  runPolicy: {suspend: true}
  paddleReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec: {containers: [{name: paddle, resources: {limits: {nvidia.com/gpu: 2}}}]}
---
# www.kubeflow.org, "Kubeflow Trainer", fine-tuning: the sizes are those of the trainer.
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: pytorch-distributed, namespace: text1}
spec:
  suspend: true
  runtimeRef: {name: torch-distributed}
  trainer:
    numNodes: 3
    resourcesPerNode: {requests: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 1}}
---
# jobset.sigs.k8s.io, "Concepts": a driver, and two jobs of workers.
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: driver-worker, namespace: text1}
spec:
  suspend: true
  replicatedJobs:
  - name: driver
    template:
      spec:
        template: {spec: {containers: [{name: driver, resources: {requests: {cpu: 1}}}]}}
  - name: workers
    replicas: 2
    template:
      spec:
        parallelism: 4
        completions: 4
        template: {spec: {containers: [{name: worker, resources: {requests: {cpu: 2}}}]}}
---
# kubeflow/spark-operator, examples/spark-pi.yaml.
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: spark-pi, namespace: devops}
spec:
  suspend: true
  type: Scala
  mode: cluster
  mainClass: org.apache.spark.examples.SparkPi
  sparkVersion: 2.4.0
  restartPolicy: {type: Never}
  driver: {cores: 1, coreLimit: 1200m, memory: 512m, serviceAccount: spark}
  executor: {cores: 1, instances: 1, memory: 512m}
---
# ACK, "Use ack-kube-queue to manage job queues": the annotation of a Workflow.
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: my-workflow
  namespace: devops
  annotations:
    kube-queue/min-resources: |
      cpu: 5
      memory: 5G
spec:
  suspend: true
  entrypoint: main
  templates:
  - {name: main, container: {image: "python:3.9"}}
"""

ALL: Final[tuple[dict[str, Any], ...]] = tuple(yaml.safe_load_all(_WRITTEN))


def of(kind: str, version: str = "") -> dict[str, Any]:
    """The first one of a kind; a copy of the caller's own."""
    for found in yaml.safe_load_all(_WRITTEN):
        if found["kind"] == kind and found["apiVersion"].endswith(version):
            document: dict[str, Any] = found
            return document
    raise LookupError(kind)
