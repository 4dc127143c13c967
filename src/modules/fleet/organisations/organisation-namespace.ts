// The namespace of an Organisation. It is owned by the Organisation, so that it is removed with it.
// A namespace that another user created is refused: its author may have rights in it. An
// administrator can adopt it with a field of the Organisation.

import { systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import type { Caller, Intents } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { ClaimRef } from "../../../store/port.ts";
import { fleetGroup, organisationNamespace } from "../names.ts";

export const organisationLabel = `${fleetGroup}/organisation`;

export interface EnsureNamespaceInput {
  readonly organisation: Resource;
  readonly caller: Caller;
  readonly claim?: ClaimRef;
}

export async function ensureNamespace(
  intents: Intents,
  { organisation, caller, claim }: EnsureNamespaceInput,
): Promise<void> {
  const key = namespaceKey(organisation.metadata.name);
  const known = intents.live.get(key)?.resource;
  if (known !== undefined) {
    checkNamespace(known, organisation);
    return;
  }
  const body = namespaceOf(organisation);
  const { target } = targetFor(intents, body);
  const options = { ...systemOptions, ...(claim === undefined ? {} : { claim }) };
  try {
    await createResource(intents, { caller, target, body, options, decodeProblems: [] });
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
    const record = await intents.store.get(key);
    if (record === undefined) throw error;
    checkNamespace(decodeDocument(record.body, record.revision), organisation);
  }
}

/** Throws fleet.namespace_taken when the namespace does not belong to the Organisation. */
export function checkNamespace(namespace: Resource, organisation: Resource): void {
  const { name } = namespace.metadata;
  const isAdopted = isTrueAt(organisation.spec, "adoptsNamespace");
  if (isAdopted || isOwnNamespace(namespace, organisation)) return;
  const message =
    `the namespace ${name} exists and does not belong to the Organisation: delete the namespace, ` +
    "or set spec.adoptsNamespace of the Organisation to use it";
  throw new SetpointError("fleet.namespace_taken", message, { details: { namespace: name } });
}

export function namespaceKey(organisation: string): ResourceKey {
  return { kind: "namespaces", namespace: "", name: organisationNamespace(organisation) };
}

/** Whether the namespace was created for this Organisation. */
export function isOwnNamespace(namespace: Resource, { metadata }: Resource): boolean {
  const { ownerReferences = [] } = namespace.metadata;
  return ownerReferences.some(({ uid }) => uid === metadata.uid);
}

function namespaceOf({ apiVersion, kind, metadata: { name, uid } }: Resource): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: organisationNamespace(name),
      labels: { [organisationLabel]: name },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
  };
}
