// Which message stands for which apiVersion and kind. Lists of stored kinds are made here, since
// they all look the same; the options of deletions may be sent in any group.

import { list, message, of } from "./message.ts";
import type { Message } from "./message.ts";
import * as authentication from "./types-authentication.ts";
import * as authorization from "./types-authorization.ts";
import { lease } from "./types-coordination.ts";
import * as core from "./types-core.ts";
import { customResourceDefinition } from "./types-definitions.ts";
import { event as newEvent } from "./types-events.ts";
import * as meta from "./types-meta.ts";
import * as policies from "./types-policies.ts";
import * as rbac from "./types-rbac.ts";
import { scale } from "./types-scale.ts";
import * as webhooks from "./types-webhooks.ts";

type Kinds = Readonly<Record<string, Message>>;

const admission: Kinds = {
  MutatingWebhookConfiguration: webhooks.mutatingWebhookConfiguration,
  ValidatingWebhookConfiguration: webhooks.validatingWebhookConfiguration,
  ValidatingAdmissionPolicy: policies.validatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding: policies.validatingAdmissionPolicyBinding,
};

/** Stored kinds by apiVersion; each of them also has a list. */
const stored: Readonly<Record<string, Kinds>> = {
  v1: {
    Namespace: core.namespace,
    ConfigMap: core.configMap,
    Secret: core.secret,
    ServiceAccount: core.serviceAccount,
    Event: core.event,
    ResourceQuota: core.resourceQuota,
    LimitRange: core.limitRange,
  },
  "coordination.k8s.io/v1": { Lease: lease },
  "events.k8s.io/v1": { Event: newEvent },
  "rbac.authorization.k8s.io/v1": {
    Role: rbac.role,
    RoleBinding: rbac.roleBinding,
    ClusterRole: rbac.clusterRole,
    ClusterRoleBinding: rbac.clusterRoleBinding,
  },
  "apiextensions.k8s.io/v1": { CustomResourceDefinition: customResourceDefinition },
  "admissionregistration.k8s.io/v1": admission,
  "meta.k8s.io/v1": { PartialObjectMetadata: meta.partialObjectMetadata },
};

/** Kinds that are sent or answered, but never stored. */
const passing: Readonly<Record<string, Kinds>> = {
  v1: { Status: meta.status },
  "meta.k8s.io/v1": { Status: meta.status },
  "autoscaling/v1": { Scale: scale },
  "authorization.k8s.io/v1": {
    SubjectAccessReview: authorization.subjectAccessReview,
    LocalSubjectAccessReview: authorization.localSubjectAccessReview,
    SelfSubjectAccessReview: authorization.selfSubjectAccessReview,
    SelfSubjectRulesReview: authorization.selfSubjectRulesReview,
  },
  "authentication.k8s.io/v1": {
    TokenReview: authentication.tokenReview,
    TokenRequest: authentication.tokenRequest,
    SelfSubjectReview: authentication.selfSubjectReview,
  },
  "authentication.k8s.io/v1beta1": { SelfSubjectReview: authentication.selfSubjectReview },
};

/** Options come in the group and version of what they are about. */
const options: ReadonlyMap<string, Message> = new Map([
  ["DeleteOptions", meta.deleteOptions],
  ["CreateOptions", meta.createOptions],
  ["UpdateOptions", meta.updateOptions],
  ["PatchOptions", meta.patchOptions],
  ["GetOptions", meta.getOptions],
  ["ListOptions", meta.listOptions],
]);

const catalogue: ReadonlyMap<string, Message> = new Map([
  ...entriesOf(stored),
  ...entriesOf(passing),
  ...entriesOf(stored).map(([id, item]): [string, Message] => [`${id}List`, listOf(item)]),
]);

/** The message of a kind, of its list, or of options; undefined when it is none of ours. */
export function messageOf(apiVersion: string, kind: string): Message | undefined {
  return catalogue.get(`${apiVersion} ${kind}`) ?? options.get(kind);
}

/** Every apiVersion and kind with its message, for those who walk over all. */
export function allMessages(): readonly {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: Message;
}[] {
  return [...catalogue].map(([id, found]) => {
    const [apiVersion = "", kind = ""] = id.split(" ");
    return { apiVersion, kind, message: found };
  });
}

function listOf(item: Message): Message {
  return message(`${item.name}List`, `A list: ${lowered(item.description)}`, {
    metadata: [1, of(meta.listMeta), "Metadata of the list."],
    items: [2, { ...list(of(item)), isAlways: true, isRequired: true }, "The items."],
  });
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function entriesOf(groups: Readonly<Record<string, Kinds>>): readonly [string, Message][] {
  return Object.entries(groups).flatMap(([apiVersion, kinds]) =>
    Object.entries(kinds).map(([kind, found]): [string, Message] => [
      `${apiVersion} ${kind}`,
      found,
    ]),
  );
}
