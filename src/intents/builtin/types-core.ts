// The kinds of the core group that a control plane needs: namespaces, configuration, secrets,
// identities, events, quotas and limits.

import {
  always,
  atomic,
  bool,
  bytes,
  int32,
  mapOf,
  mergedBy,
  message,
  microTime,
  of,
  optional,
  quantity,
  required,
  string,
  time,
} from "./message.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.core.v1";

export const namespaceCondition = message(
  `${prefix}.NamespaceCondition`,
  "A condition of a namespace.",
  {
    type: [1, required(string), "Type of the condition."],
    status: [2, required(string), "True, False or Unknown."],
    lastTransitionTime: [4, always(time), "When the status last changed."],
    reason: [5, string, "Machine-readable reason in CamelCase."],
    message: [6, string, "Human-readable message."],
  },
);

export const namespaceSpec = message(`${prefix}.NamespaceSpec`, "Desired state of a namespace.", {
  finalizers: [
    1,
    atomic(string),
    "Finalizers that must be removed before the namespace is deleted.",
  ],
});

export const namespaceStatus = message(
  `${prefix}.NamespaceStatus`,
  "Observed state of a namespace.",
  {
    phase: [1, string, "Active or Terminating."],
    conditions: [2, mergedBy("type", of(namespaceCondition)), "Current conditions."],
  },
);

export const namespace = message(`${prefix}.Namespace`, "A scope for resource names.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  spec: [2, of(namespaceSpec), "Desired state of the namespace."],
  status: [3, of(namespaceStatus), "Observed state of the namespace."],
});

export const configMap = message(`${prefix}.ConfigMap`, "Configuration as keys and values.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  immutable: [4, optional(bool), "If true, the content can never change."],
  data: [2, mapOf(string), "Text entries. A key is in data or in binaryData, not in both."],
  binaryData: [3, mapOf(bytes), "Binary entries in base64."],
});

export const secret = message(`${prefix}.Secret`, "Sensitive content as keys and values.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  immutable: [5, optional(bool), "If true, the content can never change."],
  data: [2, mapOf(bytes), "Binary entries in base64."],
  stringData: [4, mapOf(string), "Text entries for writing; never returned."],
  type: [3, string, "Type of the secret; immutable."],
});

export const objectReference = message(
  `${prefix}.ObjectReference`,
  "A reference to an object or a field of it.",
  {
    kind: [1, string, "Kind of the object."],
    namespace: [2, string, "Namespace of the object."],
    name: [3, string, "Name of the object."],
    uid: [4, string, "UID of the object."],
    apiVersion: [5, string, "API version of the object."],
    resourceVersion: [6, string, "Resource version of the object."],
    fieldPath: [7, string, "Path of a field in the object."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const localObjectReference = message(
  `${prefix}.LocalObjectReference`,
  "A reference to an object in the same namespace.",
  {
    name: [1, string, "Name of the object."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const serviceAccount = message(`${prefix}.ServiceAccount`, "An identity for programs.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  secrets: [
    2,
    mergedBy("name", of(objectReference)),
    "Secrets that programs with this identity may use.",
  ],
  imagePullSecrets: [3, atomic(of(localObjectReference)), "Secrets for pulling images."],
  automountServiceAccountToken: [4, optional(bool), "Whether a token is mounted automatically."],
});

export const eventSource = message(`${prefix}.EventSource`, "Component that reported an event.", {
  component: [1, string, "Name of the component."],
  host: [2, string, "Node of the component."],
});

export const eventSeries = message(`${prefix}.EventSeries`, "A series of repeated events.", {
  count: [1, int32, "Number of occurrences."],
  lastObservedTime: [2, always(microTime), "Time of the last occurrence."],
});

export const event = message(`${prefix}.Event`, "Something that happened to an object.", {
  metadata: [1, required(of(objectMeta)), "Standard metadata of the resource."],
  involvedObject: [2, required(of(objectReference)), "The object that the event is about."],
  reason: [3, string, "Machine-readable reason in CamelCase."],
  message: [4, string, "Human-readable message."],
  source: [5, of(eventSource), "Component that reported the event."],
  firstTimestamp: [6, always(time), "Time of the first occurrence."],
  lastTimestamp: [7, always(time), "Time of the last occurrence."],
  count: [8, int32, "Number of occurrences."],
  type: [9, string, "Normal or Warning."],
  eventTime: [10, always(microTime), "Time of the first occurrence, in microseconds."],
  series: [11, optional(of(eventSeries)), "Data about repetitions, if any."],
  action: [12, string, "Action that was taken or failed."],
  related: [13, optional(of(objectReference)), "A related object."],
  reportingComponent: [14, always(string), "Name of the reporting controller."],
  reportingInstance: [15, always(string), "Instance of the reporting controller."],
});

export const scopedResourceSelectorRequirement = message(
  `${prefix}.ScopedResourceSelectorRequirement`,
  "A condition on the objects that a quota counts.",
  {
    scopeName: [1, required(string), "Scope of the condition."],
    operator: [2, required(string), "In, NotIn, Exists or DoesNotExist."],
    values: [3, atomic(string), "The values."],
  },
);

export const scopeSelector = message(
  `${prefix}.ScopeSelector`,
  "Conditions on the objects that a quota counts.",
  {
    matchExpressions: [
      1,
      atomic(of(scopedResourceSelectorRequirement)),
      "The conditions, all of which must hold.",
    ],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const resourceQuotaSpec = message(`${prefix}.ResourceQuotaSpec`, "Limits of a quota.", {
  hard: [1, mapOf(quantity), "The limits, by resource."],
  scopes: [2, atomic(string), "Scopes that an object must match to be counted."],
  scopeSelector: [3, optional(of(scopeSelector)), "Additional conditions on counted objects."],
});

export const resourceQuotaStatus = message(
  `${prefix}.ResourceQuotaStatus`,
  "Limits and usage of a quota.",
  {
    hard: [1, mapOf(quantity), "Enforced limits."],
    used: [2, mapOf(quantity), "Current usage."],
  },
);

export const resourceQuota = message(
  `${prefix}.ResourceQuota`,
  "Limits on the resources of a namespace.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(resourceQuotaSpec), "Limits of the quota."],
    status: [3, of(resourceQuotaStatus), "Current usage."],
  },
);

export const limitRangeItem = message(
  `${prefix}.LimitRangeItem`,
  "Limits for one type of object.",
  {
    type: [1, required(string), "Type of object."],
    max: [2, mapOf(quantity), "Maximum of each resource."],
    min: [3, mapOf(quantity), "Minimum of each resource."],
    default: [4, mapOf(quantity), "Default limit of each resource."],
    defaultRequest: [5, mapOf(quantity), "Default request of each resource."],
    maxLimitRequestRatio: [6, mapOf(quantity), "Maximum ratio of limit to request."],
  },
);

export const limitRangeSpec = message(
  `${prefix}.LimitRangeSpec`,
  "Limits for objects of a namespace.",
  {
    limits: [1, required(atomic(of(limitRangeItem))), "The limits, by type of object."],
  },
);

export const limitRange = message(
  `${prefix}.LimitRange`,
  "Limits for each object of a namespace.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(limitRangeSpec), "The limits."],
  },
);
