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
  "One aspect of the state of a namespace.",
  {
    type: [1, required(string), "What is told by this entry."],
    status: [2, required(string), "True, False or Unknown."],
    lastTransitionTime: [4, always(time), "When the status last changed."],
    reason: [5, string, "One CamelCase word that says why."],
    message: [6, string, "A sentence for people."],
  },
);

export const namespaceSpec = message(`${prefix}.NamespaceSpec`, "What is wanted of a namespace.", {
  finalizers: [1, atomic(string), "Who must agree before the namespace is removed."],
});

export const namespaceStatus = message(
  `${prefix}.NamespaceStatus`,
  "What is known of a namespace.",
  {
    phase: [1, string, "Active or Terminating."],
    conditions: [2, mergedBy("type", of(namespaceCondition)), "The latest observations."],
  },
);

export const namespace = message(`${prefix}.Namespace`, "A space for names.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  spec: [2, of(namespaceSpec), "What is wanted of the namespace."],
  status: [3, of(namespaceStatus), "What is known of the namespace."],
});

export const configMap = message(`${prefix}.ConfigMap`, "Configuration as keys and values.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  immutable: [4, optional(bool), "If true, the content can never change."],
  data: [2, mapOf(string), "Entries of text; a key is in one of data and binaryData."],
  binaryData: [3, mapOf(bytes), "Entries of bytes, in base64."],
});

export const secret = message(`${prefix}.Secret`, "Sensitive content as keys and values.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  immutable: [5, optional(bool), "If true, the content can never change."],
  data: [2, mapOf(bytes), "Entries of bytes, in base64."],
  stringData: [4, mapOf(string), "Entries as plain text for writing; never returned."],
  type: [3, string, "Says which keys to expect; never changes."],
});

export const objectReference = message(
  `${prefix}.ObjectReference`,
  "A reference to any object or a part of it.",
  {
    kind: [1, string, "Kind of the object meant."],
    namespace: [2, string, "Namespace of the object meant."],
    name: [3, string, "Name of the object meant."],
    uid: [4, string, "Unique identity of the object meant."],
    apiVersion: [5, string, "Group and version of the object meant."],
    resourceVersion: [6, string, "Revision of the object meant."],
    fieldPath: [7, string, "The part of the object meant."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const localObjectReference = message(
  `${prefix}.LocalObjectReference`,
  "A reference within the same namespace.",
  {
    name: [1, string, "Name of the object meant."],
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
  automountServiceAccountToken: [4, optional(bool), "Whether programs get a token without asking."],
});

export const eventSource = message(`${prefix}.EventSource`, "Who reported an event.", {
  component: [1, string, "The component that reported."],
  host: [2, string, "The machine it ran on."],
});

export const eventSeries = message(`${prefix}.EventSeries`, "Repetitions of an event.", {
  count: [1, int32, "How often it happened."],
  lastObservedTime: [2, always(microTime), "When it was last seen."],
});

export const event = message(`${prefix}.Event`, "Something that happened to an object.", {
  metadata: [1, required(of(objectMeta)), "Standard metadata of the resource."],
  involvedObject: [2, required(of(objectReference)), "The object that the event is about."],
  reason: [3, string, "One CamelCase word that says why."],
  message: [4, string, "A sentence for people."],
  source: [5, of(eventSource), "Who reported it."],
  firstTimestamp: [6, always(time), "When it was first seen."],
  lastTimestamp: [7, always(time), "When it was last seen."],
  count: [8, int32, "How often it happened."],
  type: [9, string, "Normal or Warning."],
  eventTime: [10, always(microTime), "When it was first seen, in microseconds."],
  series: [11, optional(of(eventSeries)), "Facts about repetitions, if there are any."],
  action: [12, string, "What was done or failed."],
  related: [13, optional(of(objectReference)), "A second object that has to do with it."],
  reportingComponent: [14, always(string), "The controller that reported."],
  reportingInstance: [15, always(string), "Which instance of the reporter it was."],
});

export const scopedResourceSelectorRequirement = message(
  `${prefix}.ScopedResourceSelectorRequirement`,
  "A condition on what a quota counts.",
  {
    scopeName: [1, required(string), "The scope that the condition is about."],
    operator: [2, required(string), "In, NotIn, Exists or DoesNotExist."],
    values: [3, atomic(string), "The values compared with."],
  },
);

export const scopeSelector = message(
  `${prefix}.ScopeSelector`,
  "Conditions on what a quota counts.",
  {
    matchExpressions: [
      1,
      atomic(of(scopedResourceSelectorRequirement)),
      "The conditions, all of which must hold.",
    ],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const resourceQuotaSpec = message(`${prefix}.ResourceQuotaSpec`, "What a quota allows.", {
  hard: [1, mapOf(quantity), "The limits, by resource."],
  scopes: [2, atomic(string), "Scopes that an object must match to be counted."],
  scopeSelector: [3, optional(of(scopeSelector)), "Further conditions on what is counted."],
});

export const resourceQuotaStatus = message(
  `${prefix}.ResourceQuotaStatus`,
  "What a quota allows and what is used.",
  {
    hard: [1, mapOf(quantity), "The limits in force."],
    used: [2, mapOf(quantity), "What is in use."],
  },
);

export const resourceQuota = message(
  `${prefix}.ResourceQuota`,
  "A limit on what a namespace may hold.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(resourceQuotaSpec), "What the quota allows."],
    status: [3, of(resourceQuotaStatus), "What is in use."],
  },
);

export const limitRangeItem = message(
  `${prefix}.LimitRangeItem`,
  "Limits for one type of object.",
  {
    type: [1, required(string), "The type of object that the limits are for."],
    max: [2, mapOf(quantity), "The most of each resource."],
    min: [3, mapOf(quantity), "The least of each resource."],
    default: [4, mapOf(quantity), "The limit of each resource when none is given."],
    defaultRequest: [5, mapOf(quantity), "The request for each resource when none is given."],
    maxLimitRequestRatio: [6, mapOf(quantity), "How far a limit may exceed its request."],
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
