// Writes of targets: applied as the ServiceAccount of the environment, by the write path, under the
// claim of the run. What is removed was created by the same owner, so removal needs no right:
// a ServiceAccount that was deleted must not keep an environment from being destroyed.

import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { serviceAccountUser } from "../../../intents/auth/account-use.ts";
import { accessTo } from "../../../intents/auth/access-to.ts";
import { forbiddenAccess } from "../../../intents/auth/forbidden.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { systemCallerFor } from "../../../intents/bootstrap.ts";
import type { Found } from "../../../intents/kinds/registry.ts";
import type { Intents } from "../../../intents/request.ts";
import { applyResource } from "../../../intents/write/apply.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { resourcesKind } from "../names.ts";

export interface TargetPorts {
  readonly intents: Intents;
  readonly authorizer: Authorizer;
}

export interface TargetWrite {
  readonly context: Context;
  readonly owner: Resource;
  readonly found: Found;
  readonly document: JsonObject;
  /** Whether the target exists. */
  readonly isThere: boolean;
  readonly serviceAccountName: string;
  /** Of a part of the document that is written apart from the rest. */
  readonly part?: string;
}

export async function applyTarget(ports: TargetPorts, write: TargetWrite): Promise<Resource> {
  const { context, owner, found, document, isThere, serviceAccountName } = write;
  const namespace = owner.metadata.namespace ?? "";
  const name = textAt(document, "metadata", "name");
  const user = serviceAccountUser({ namespace, name: serviceAccountName });
  const key = { kind: found.served.id, namespace, name };
  const verb = isThere ? "patch" : "create";
  const access = { ...accessTo(found.served, { ...key, name: isThere ? name : "" }), verb };
  const decision = ports.authorizer.authorize(user, access);
  if (!decision.allowed) throw forbiddenAccess(user, access, decision.reason);
  const value = withOwner(document, owner);
  const fieldManager = `setpoint:${resourcesKind}${write.part ?? ""}`;
  const written = await fencedWrite(
    context,
    async ({ claim, cause }) =>
      await applyResource(ports.intents, {
        caller: { ...systemCallerFor(cause), user },
        target: { ...found, namespace, name, subresource: "" },
        body: () => ({ value, problems: [] }),
        options: { isDryRun: false, fieldManager, fieldValidation: "Strict", claim },
        force: true,
        check: (old) => {
          if (old === undefined || isOwned(old, owner)) return;
          throw notOwned(key, owner);
        },
      }),
  );
  return decodeDocument(written.body, written.revision);
}

/** Whether there was one to delete. One that belongs to another owner is left alone. */
export async function deleteTarget(
  { intents }: Pick<TargetPorts, "intents">,
  context: Context,
  owner: Resource,
  key: ResourceKey,
): Promise<boolean> {
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return false;
  const { namespace, name } = key;
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
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
          if (!isOwned(old, owner)) throw notOwned(key, owner);
        },
      });
    });
    return true;
  } catch (error) {
    const isDone = isSetpointError(error, "resource.not_found");
    if (isDone || isSetpointError(error, "resource.not_owned")) return false;
    throw error;
  }
}

export function isOwned({ metadata }: Resource, owner: Resource): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}

function withOwner(document: JsonObject, { apiVersion, kind, metadata }: Resource): Json {
  const { name, uid } = metadata;
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const own = document["metadata"] as JsonObject;
  return { ...document, metadata: { ...own, ownerReferences: [reference] } };
}

function notOwned({ kind, name }: ResourceKey, owner: Resource): SetpointError {
  const message =
    `${kind} ${JSON.stringify(name)} exists and does not belong to the EnvironmentResource ` +
    `${owner.metadata.name}: delete it, or set metadata.name in the template`;
  return new SetpointError("resource.not_owned", message, { details: { kind, name } });
}
