// The namespace of an Organisation. It is owned by the Organisation, so that it is removed with it.
// A namespace that an administrator created is used as it is.

import { systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import type { Caller, Intents } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
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
  if (intents.live.get(namespaceKey(organisation.metadata.name)) !== undefined) return;
  const body = namespaceOf(organisation);
  const { target } = targetFor(intents, body);
  const options = { ...systemOptions, ...(claim === undefined ? {} : { claim }) };
  try {
    await createResource(intents, { caller, target, body, options, decodeProblems: [] });
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
  }
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
