// The parts that objects of all kinds have in common, and the options of requests.

import {
  atomic,
  bool,
  fieldsV1,
  int32,
  int64,
  list,
  mapOf,
  merged,
  mergedBy,
  message,
  of,
  optional,
  required,
  setOf,
  string,
  time,
} from "./message.ts";

const prefix = "io.k8s.apimachinery.pkg.apis.meta.v1";

export const ownerReference = message(
  `${prefix}.OwnerReference`,
  "An owner of the object, in the same namespace or cluster-scoped.",
  {
    apiVersion: [5, required(string), "API version of the owner."],
    kind: [1, required(string), "Kind of the owner."],
    name: [3, required(string), "Name of the owner."],
    uid: [4, required(string), "UID of the owner."],
    controller: [6, optional(bool), "Whether the owner is the managing controller."],
    blockOwnerDeletion: [
      7,
      optional(bool),
      "Whether foreground deletion of the owner waits for this object.",
    ],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const managedFieldsEntry = message(
  `${prefix}.ManagedFieldsEntry`,
  "Fields set by one manager with one operation.",
  {
    manager: [1, string, "Name of the field manager."],
    operation: [2, string, "Apply or Update."],
    apiVersion: [3, string, "API version of the fields."],
    time: [4, optional(time), "When the entry last changed."],
    fieldsType: [6, string, "The format of the fields: FieldsV1."],
    fieldsV1: [7, optional(fieldsV1), "The set of fields."],
    subresource: [8, string, "Subresource that was written, if any."],
  },
);

export const objectMeta = message(`${prefix}.ObjectMeta`, "Metadata of every stored object.", {
  name: [1, string, "Name, unique for its kind and namespace; immutable."],
  generateName: [2, string, "Prefix of a name that the server completes."],
  namespace: [3, string, "Namespace of the object; immutable."],
  selfLink: [4, string, "Deprecated: not used."],
  uid: [5, string, "Unique id, set by the server."],
  resourceVersion: [6, string, "Opaque version of the object, for preconditions and watches."],
  generation: [7, int64, "Number of changes of the desired state."],
  creationTimestamp: [8, time, "When the object was created; set by the server."],
  deletionTimestamp: [9, optional(time), "When deletion was requested; set by the server."],
  deletionGracePeriodSeconds: [10, optional(int64), "Seconds until the object may be deleted."],
  labels: [11, mapOf(string), "Keys and values that select the object."],
  annotations: [12, mapOf(string), "Keys and values without restriction on their content."],
  ownerReferences: [
    13,
    mergedBy("uid", of(ownerReference)),
    "Owners of the object. It is deleted when all of them are deleted.",
  ],
  finalizers: [
    14,
    merged(setOf(string)),
    "Finalizers. The object is deleted after all of them are removed.",
  ],
  managedFields: [17, atomic(of(managedFieldsEntry)), "Fields by field manager."],
});

export const listMeta = message(`${prefix}.ListMeta`, "Metadata of every list.", {
  selfLink: [1, string, "Deprecated: not used."],
  resourceVersion: [2, string, "Resource version of the list."],
  continue: [3, string, "Token for the next page; absent on the last."],
  remainingItemCount: [4, optional(int64), "Number of items on later pages, if known."],
});

export const labelSelectorRequirement = message(
  `${prefix}.LabelSelectorRequirement`,
  "One condition on a label.",
  {
    key: [1, required(string), "Key of the label."],
    operator: [2, required(string), "In, NotIn, Exists or DoesNotExist."],
    values: [3, atomic(string), "The values for In and NotIn."],
  },
);

export const labelSelector = message(
  `${prefix}.LabelSelector`,
  "Conditions on labels. All must hold. Empty selects everything.",
  {
    matchLabels: [1, mapOf(string), "Labels that must have exactly these values."],
    matchExpressions: [2, atomic(of(labelSelectorRequirement)), "Further conditions."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const fieldSelectorRequirement = message(
  `${prefix}.FieldSelectorRequirement`,
  "One condition on a field.",
  {
    key: [1, required(string), "Path of the field."],
    operator: [2, required(string), "In, NotIn, Exists or DoesNotExist."],
    values: [3, atomic(string), "The values."],
  },
);

export const condition = message(`${prefix}.Condition`, "A condition of an object.", {
  type: [1, required(string), "Type of the condition."],
  status: [2, required(string), "True, False or Unknown."],
  observedGeneration: [3, int64, "Generation that the condition is about."],
  lastTransitionTime: [4, required(time), "When the status last changed."],
  reason: [5, required(string), "Machine-readable reason in CamelCase."],
  message: [6, required(string), "Human-readable message."],
});

export const statusCause = message(`${prefix}.StatusCause`, "A cause of a failure.", {
  reason: [1, string, "Machine-readable reason."],
  message: [2, string, "Human-readable message."],
  field: [3, string, "Path of the field that caused the error."],
});

export const statusDetails = message(`${prefix}.StatusDetails`, "Details of a status.", {
  name: [1, string, "Name of the object."],
  group: [2, string, "Group of the object."],
  kind: [3, string, "Kind or resource of the object."],
  uid: [6, string, "UID of the object."],
  causes: [4, atomic(of(statusCause)), "Causes of the failure."],
  retryAfterSeconds: [5, int32, "Seconds to wait before a retry."],
});

export const status = message(
  `${prefix}.Status`,
  "Result of a request that does not return an object.",
  {
    metadata: [1, of(listMeta), "Metadata of a list."],
    status: [2, string, "Success or Failure."],
    message: [3, string, "Human-readable message."],
    reason: [4, string, "Machine-readable reason."],
    details: [5, optional(of(statusDetails)), "Details of the status."],
    code: [6, int32, "The HTTP status code."],
  },
);

export const preconditions = message(`${prefix}.Preconditions`, "Preconditions of a deletion.", {
  uid: [1, optional(string), "UID that the object must have."],
  resourceVersion: [2, optional(string), "Resource version that the object must have."],
});

export const deleteOptions = message(`${prefix}.DeleteOptions`, "Options of a delete request.", {
  gracePeriodSeconds: [
    1,
    optional(int64),
    "Seconds before the object is deleted; 0 deletes it immediately.",
  ],
  preconditions: [2, optional(of(preconditions)), "Preconditions of the deletion."],
  orphanDependents: [3, optional(bool), "Deprecated: use propagationPolicy."],
  propagationPolicy: [
    4,
    optional(string),
    "How dependents are handled: Orphan, Background or Foreground.",
  ],
  dryRun: [5, atomic(string), "All: process the request without storing the result."],
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    6,
    optional(bool),
    "Whether to delete an object that cannot be read.",
  ],
});

export const createOptions = message(`${prefix}.CreateOptions`, "Options of a create request.", {
  dryRun: [1, list(string), "All: process the request without storing the result."],
  fieldManager: [3, string, "Name of the field manager."],
  fieldValidation: [4, string, "How unknown fields are handled: Ignore, Warn or Strict."],
});

export const updateOptions = message(`${prefix}.UpdateOptions`, "Options of an update request.", {
  dryRun: [1, list(string), "All: process the request without storing the result."],
  fieldManager: [2, string, "Name of the field manager."],
  fieldValidation: [3, string, "How unknown fields are handled: Ignore, Warn or Strict."],
});

export const patchOptions = message(`${prefix}.PatchOptions`, "Options of a patch request.", {
  dryRun: [1, list(string), "All: process the request without storing the result."],
  force: [2, optional(bool), "Take over fields that other appliers own."],
  fieldManager: [3, string, "Name of the field manager."],
  fieldValidation: [4, string, "How unknown fields are handled: Ignore, Warn or Strict."],
});

export const getOptions = message(`${prefix}.GetOptions`, "Options of a get request.", {
  resourceVersion: [1, string, "Minimum resource version of the response."],
});

export const listOptions = message(`${prefix}.ListOptions`, "Options of a list or watch request.", {
  labelSelector: [1, string, "Label selector."],
  fieldSelector: [2, string, "Field selector."],
  watch: [3, bool, "Whether to watch for changes instead of listing."],
  allowWatchBookmarks: [9, bool, "Whether to send bookmarks with the current resource version."],
  resourceVersion: [4, string, "Minimum resource version of a list, or start of a watch."],
  resourceVersionMatch: [10, string, "NotOlderThan or Exact."],
  timeoutSeconds: [5, optional(int64), "Time limit of the request in seconds."],
  limit: [7, int64, "Maximum number of items in a page."],
  continue: [8, string, "Token of the next page."],
  sendInitialEvents: [11, optional(bool), "Whether a watch starts with the existing objects."],
});

export const partialObjectMetadata = message(
  `${prefix}.PartialObjectMetadata`,
  "An object with only its metadata.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  },
);
