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
  "An object that this one belongs to, in the same namespace or cluster-wide.",
  {
    apiVersion: [5, required(string), "Group and version of the owner."],
    kind: [1, required(string), "Kind of the owner."],
    name: [3, required(string), "Name of the owner."],
    uid: [4, required(string), "Identity of the owner."],
    controller: [6, optional(bool), "True for the one owner that manages the object."],
    blockOwnerDeletion: [
      7,
      optional(bool),
      "The owner waits for this object when deleted in the foreground.",
    ],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const managedFieldsEntry = message(
  `${prefix}.ManagedFieldsEntry`,
  "The fields that one manager set in one way.",
  {
    manager: [1, string, "Who set the fields."],
    operation: [2, string, "Apply or Update."],
    apiVersion: [3, string, "The version in which the fields are named."],
    time: [4, optional(time), "When the entry last changed."],
    fieldsType: [6, string, "The format of the fields: FieldsV1."],
    fieldsV1: [7, optional(fieldsV1), "The set of fields."],
    subresource: [8, string, "The subresource written through, if any."],
  },
);

export const objectMeta = message(`${prefix}.ObjectMeta`, "What every stored object has.", {
  name: [1, string, "Unique in its namespace and kind; never changes."],
  generateName: [2, string, "Prefix of a name that the server completes."],
  namespace: [3, string, "The space the name is unique in; never changes."],
  selfLink: [4, string, "Not used any more."],
  uid: [5, string, "Identity in time and space, given by the server."],
  resourceVersion: [6, string, "Opaque revision of the object, for comparing and watching."],
  generation: [7, int64, "Counts changes of the desired state."],
  creationTimestamp: [8, time, "When the object was created; set by the server."],
  deletionTimestamp: [9, optional(time), "When the object was asked to go; set by the server."],
  deletionGracePeriodSeconds: [10, optional(int64), "Seconds left for a graceful end."],
  labels: [11, mapOf(string), "Keys and values that select the object."],
  annotations: [12, mapOf(string), "Keys and values of any content."],
  ownerReferences: [
    13,
    mergedBy("uid", of(ownerReference)),
    "The objects this one belongs to; it goes when all of them are gone.",
  ],
  finalizers: [
    14,
    merged(setOf(string)),
    "What must be done before the object can go; each name is removed once done.",
  ],
  managedFields: [17, atomic(of(managedFieldsEntry)), "Who set which fields."],
});

export const listMeta = message(`${prefix}.ListMeta`, "What every list has.", {
  selfLink: [1, string, "Not used any more."],
  resourceVersion: [2, string, "Revision the list was read at."],
  continue: [3, string, "Token for the next page; absent on the last."],
  remainingItemCount: [4, optional(int64), "How many items later pages hold, when known."],
});

export const labelSelectorRequirement = message(
  `${prefix}.LabelSelectorRequirement`,
  "One condition on a label.",
  {
    key: [1, required(string), "The label's key."],
    operator: [2, required(string), "In, NotIn, Exists or DoesNotExist."],
    values: [3, atomic(string), "The values for In and NotIn."],
  },
);

export const labelSelector = message(
  `${prefix}.LabelSelector`,
  "Conditions on labels, all of which must hold; none selects everything.",
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
    key: [1, required(string), "The field's path."],
    operator: [2, required(string), "In, NotIn, Exists or DoesNotExist."],
    values: [3, atomic(string), "The values compared with."],
  },
);

export const condition = message(`${prefix}.Condition`, "One aspect of the state of an object.", {
  type: [1, required(string), "Which aspect."],
  status: [2, required(string), "True, False or Unknown."],
  observedGeneration: [3, int64, "Generation that the condition was found for."],
  lastTransitionTime: [4, required(time), "When the status last changed."],
  reason: [5, required(string), "One CamelCase word that says why."],
  message: [6, required(string), "A sentence for people."],
});

export const statusCause = message(`${prefix}.StatusCause`, "One of the reasons for a failure.", {
  reason: [1, string, "A word that programs can read."],
  message: [2, string, "A sentence for people."],
  field: [3, string, "Path of the field at fault."],
});

export const statusDetails = message(`${prefix}.StatusDetails`, "What a status is about.", {
  name: [1, string, "Name of the object."],
  group: [2, string, "Group of the object."],
  kind: [3, string, "Kind or resource of the object."],
  uid: [6, string, "Identity of the object."],
  causes: [4, atomic(of(statusCause)), "All reasons for the failure."],
  retryAfterSeconds: [5, int32, "How long to wait before trying again."],
});

export const status = message(
  `${prefix}.Status`,
  "The answer to a request that returns no object.",
  {
    metadata: [1, of(listMeta), "Metadata of a list."],
    status: [2, string, "Success or Failure."],
    message: [3, string, "A sentence for people."],
    reason: [4, string, "A word that programs can read."],
    details: [5, optional(of(statusDetails)), "What the status is about."],
    code: [6, int32, "The HTTP status code."],
  },
);

export const preconditions = message(
  `${prefix}.Preconditions`,
  "What must be true of an object for its deletion.",
  {
    uid: [1, optional(string), "The identity it must have."],
    resourceVersion: [2, optional(string), "The revision it must have."],
  },
);

export const deleteOptions = message(`${prefix}.DeleteOptions`, "How to delete.", {
  gracePeriodSeconds: [1, optional(int64), "Seconds before the object goes; zero is at once."],
  preconditions: [2, optional(of(preconditions)), "What must be true for the deletion to happen."],
  orphanDependents: [3, optional(bool), "Deprecated: use propagationPolicy."],
  propagationPolicy: [
    4,
    optional(string),
    "Orphan, Background or Foreground: what becomes of dependents.",
  ],
  dryRun: [5, atomic(string), "All: every stage runs, nothing is stored."],
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    6,
    optional(bool),
    "Delete even what cannot be read.",
  ],
});

export const createOptions = message(`${prefix}.CreateOptions`, "How to create.", {
  dryRun: [1, list(string), "All: every stage runs, nothing is stored."],
  fieldManager: [3, string, "Name of the program that makes the change."],
  fieldValidation: [4, string, "Ignore, Warn or Strict: what unknown fields lead to."],
});

export const updateOptions = message(`${prefix}.UpdateOptions`, "How to update.", {
  dryRun: [1, list(string), "All: every stage runs, nothing is stored."],
  fieldManager: [2, string, "Name of the program that makes the change."],
  fieldValidation: [3, string, "Ignore, Warn or Strict: what unknown fields lead to."],
});

export const patchOptions = message(`${prefix}.PatchOptions`, "How to patch.", {
  dryRun: [1, list(string), "All: every stage runs, nothing is stored."],
  force: [2, optional(bool), "Take over fields that other appliers own."],
  fieldManager: [3, string, "Name of the program that makes the change."],
  fieldValidation: [4, string, "Ignore, Warn or Strict: what unknown fields lead to."],
});

export const getOptions = message(`${prefix}.GetOptions`, "How to read.", {
  resourceVersion: [1, string, "How fresh the answer must be."],
});

export const listOptions = message(`${prefix}.ListOptions`, "How to list and watch.", {
  labelSelector: [1, string, "Labels that items must have."],
  fieldSelector: [2, string, "Fields that items must have."],
  watch: [3, bool, "Follow changes instead of listing."],
  allowWatchBookmarks: [9, bool, "Send the revision reached from time to time."],
  resourceVersion: [4, string, "How fresh the answer must be, or where a watch begins."],
  resourceVersionMatch: [10, string, "NotOlderThan or Exact."],
  timeoutSeconds: [5, optional(int64), "How long the request may take."],
  limit: [7, int64, "Items in a page."],
  continue: [8, string, "Token of the next page."],
  sendInitialEvents: [11, optional(bool), "Begin a watch with what exists."],
});

export const partialObjectMetadata = message(
  `${prefix}.PartialObjectMetadata`,
  "An object without anything but its metadata.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  },
);
