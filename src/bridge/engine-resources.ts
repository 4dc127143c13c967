// The write path as the engine uses it. Children go through it like anything that a user writes:
// checked, admitted, counted, and fenced by the claim on their owner. What is in the place of a
// child and belongs to somebody else is never taken over: two owners would undo each other's work
// for ever, and a deletion of one would take what the other needs.

import { unusable } from "../engine/journal/journal.ts";
import type { ChildChange, EngineEvent, Resources } from "../engine/ports.ts";
import { systemCallerFor } from "../intents/bootstrap.ts";
import type { Found } from "../intents/kinds/registry.ts";
import type { ServedKind } from "../intents/kinds/served-kind.ts";
import type { Intents } from "../intents/request.ts";
import { applyResource } from "../intents/write/apply.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { hiddenTexts } from "../intents/write/hidden-fields.ts";
import { draftFor, readStored } from "../intents/write/stored.ts";
import { withoutRevision } from "../intents/write/update.ts";
import { annotations } from "../kernel/annotations.ts";
import { decodeDocument } from "../kernel/document.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";
import { limits } from "../kernel/limits.ts";
import { DroppedStatus } from "./dropped-status.ts";
import type { DroppedStatusInput } from "./dropped-status.ts";
import { checkedStatus } from "./engine-status.ts";
import type { OwnerReference, Resource, ResourceKey } from "../kernel/resource.ts";

export interface EngineResourcesInput {
  readonly intents: Intents;
  /** Kinds of which a change of the status alone wakes no referrer. */
  readonly quietKinds?: readonly string[];
  readonly recordEvent: (event: EngineEvent) => Promise<void>;
  readonly warn?: DroppedStatusInput["warn"];
}

export function engineResources(input: EngineResourcesInput): Resources {
  const { intents, quietKinds = [], recordEvent, warn = () => undefined } = input;
  const dropped = new DroppedStatus({ recordEvent, warn });
  const { kinds, live } = intents;
  const checked = (served: ServedKind, resource: Resource, before?: Resource): Resource =>
    checkedStatus(served, resource, before, (fields) =>
      dropped.report(served.id, resource, fields),
    );
  return {
    read: (record) => {
      const served = servedAs(intents, record.key.kind);
      return readStored(served, served.storage, record);
    },
    draft: (kind, resource, before) => {
      const served = servedAs(intents, kind);
      return draftFor(served, withoutRevision(checked(served, resource, before)));
    },
    stored: (kind, resource, before) => checked(servedAs(intents, kind), resource, before),
    secretsOf: (kind, resource) => {
      const served = kinds.byId(kind);
      return served?.hasHidden === true ? hiddenTexts(served.kind, resource) : [];
    },
    applyChild: (change) => applyChild(intents, change),
    deleteChild: (change) => deleteChild(intents, change),
    kindOf: (apiVersion, kind) => found(intents, apiVersion, kind)?.served.id,
    isNamespaced: (kind) => {
      const scope = kinds.byId(kind)?.kind.scope;
      return scope === undefined ? undefined : scope === "Namespaced";
    },
    quietKinds,
    recordEvent,
    weightOf: (namespace) =>
      weightIn(live.get({ kind: "namespaces", namespace: "", name: namespace })?.resource),
  };
}

/** A whole number from 1 to 100; anything else counts as 1. */
function weightIn(namespace: Resource | undefined): number {
  const text = namespace?.metadata.annotations?.[annotations.weight] ?? "";
  return /^(?:[1-9]\d?|100)$/.test(text) ? Number(text) : 1;
}

async function applyChild(
  intents: Intents,
  change: Parameters<Resources["applyChild"]>[0],
): Promise<Resource> {
  const { document, owner, ownerKey, claim, cause } = change;
  const { apiVersion, kind, metadata } = document;
  const child = found(intents, apiVersion, kind);
  if (child === undefined) {
    const hint = "install its definition, or correct apiVersion and kind of the child";
    throw unusable("UnknownKind", `no kind ${kind} is served in ${apiVersion}; ${hint}`);
  }
  const { name } = metadata;
  const namespace = namespaceOf(change, child.served, metadata.namespace);
  const reference = ownerReference(owner);
  const value = {
    ...document,
    metadata: {
      ...metadata,
      ...(namespace === "" ? {} : { namespace }),
      ownerReferences: [reference],
    },
  } as unknown as Json;
  const fieldManager = managerOf(ownerKey.kind);
  const written = await applyResource(intents, {
    caller: systemCallerFor(cause),
    target: { ...child, namespace, name, subresource: "" },
    body: () => ({ value, problems: [] }),
    options: { isDryRun: false, fieldManager, fieldValidation: "Strict", claim },
    force: true,
    check: (old) => {
      if (old === undefined || mayBeTaken(old, reference, fieldManager)) return;
      throw notOwned({ kind: child.served.id, namespace, name }, old, owner);
    },
  });
  return decodeDocument(written.body, written.revision);
}

async function deleteChild(
  intents: Intents,
  { key, owner, claim, cause }: ChildChange & { readonly key: ResourceKey },
): Promise<boolean> {
  const served = servedAs(intents, key.kind);
  const { namespace, name } = key;
  try {
    await deleteResource(intents, {
      caller: systemCallerFor(cause),
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: {
        isDryRun: false,
        propagation: "Background",
        preconditions: {},
        raw: { propagationPolicy: "Background" },
        claim,
      },
      check: (old) => {
        const owners = old.metadata.ownerReferences ?? [];
        if (!owners.some(({ uid }) => uid === owner.metadata.uid)) throw notOwned(key, old, owner);
      },
    });
    return true;
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return false;
    throw error;
  }
}

/** Owners are looked up by name in the namespace of the child: not all can be where they like. */
function namespaceOf(
  { ownerKey }: ChildChange,
  served: ServedKind,
  named: string | undefined,
): string {
  const isOwnerNamespaced = ownerKey.namespace !== "";
  const what = `a child of kind ${served.id}`;
  if (served.kind.scope === "Cluster") {
    if (!isOwnerNamespaced) return "";
    throw misplaced(`${what} is cluster-scoped and cannot have a namespaced owner`, ownerKey);
  }
  const namespace = named ?? ownerKey.namespace;
  if (namespace === "") throw misplaced(`${what} needs a namespace`, ownerKey);
  if (!isOwnerNamespaced || namespace === ownerKey.namespace) return namespace;
  const where = `in namespace ${namespace} cannot be owned from namespace ${ownerKey.namespace}`;
  throw misplaced(`${what} ${where}`, ownerKey);
}

function misplaced(why: string, owner: ResourceKey): SetpointError {
  return new SetpointError("request.invalid", why, {
    details: { owner: { ...owner } },
    suggestion: "use an owner in the same namespace or a cluster-scoped owner",
  });
}

function ownerReference({ apiVersion, kind, metadata: { name, uid } }: Resource): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Its own child, or one that such an owner made and that was left behind as an orphan. */
function mayBeTaken({ metadata }: Resource, own: OwnerReference, fieldManager: string): boolean {
  const owners = metadata.ownerReferences ?? [];
  const controller = owners.find((each) => each.controller === true);
  if (controller !== undefined) return controller.uid === own.uid;
  if (owners.some(({ uid }) => uid === own.uid)) return true;
  const managers = objectsAt(metadata, "managedFields");
  return owners.length === 0 && managers.some((each) => textAt(each, "manager") === fieldManager);
}

function notOwned(key: ResourceKey, old: Resource, owner: Resource): SetpointError {
  const owners = old.metadata.ownerReferences ?? [];
  const other = owners.find((each) => each.controller === true) ?? owners[0];
  const place = key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
  const whose =
    other === undefined ? "belongs to no owner" : `belongs to ${other.kind} "${other.name}"`;
  const message =
    `${key.kind} "${place}" exists and ${whose}, ` +
    `not to ${owner.kind} "${owner.metadata.name}"`;
  return new SetpointError("resource.not_owned", message, {
    details: { kind: key.kind, namespace: key.namespace, name: key.name },
  });
}

function managerOf(ownerKind: string): string {
  return `setpoint:${ownerKind}`.slice(0, limits.maxFieldManagerLength);
}

function found({ kinds }: Intents, apiVersion: string, kind: string): Found | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return kinds.findKind(group, apiVersion.slice(slash + 1), kind);
}

function servedAs({ kinds }: Intents, kind: string): ServedKind {
  const served = kinds.byId(kind);
  if (served !== undefined) return served;
  throw new SetpointError("request.invalid", `the kind ${kind} is not served`, {
    suggestion: "install its definition",
  });
}
