// This server as the API for the objects of a tenant. Every access is authorized for a
// ServiceAccount, and every write takes the path of a client, with all policies and the guard
// against escalation. Writes are fenced by the claim of the run. A run may read and apply thousands
// of objects, and the embedded store answers at once: other work runs in between, before the
// authorization, which must be that of the moment of the access.

import { KubeError } from "../adapters/kubernetes/port.ts";
import { fencedWrite } from "../engine/run/fenced-write.ts";
import type { Context } from "../engine/reconciler.ts";
import { forbiddenAccess } from "../intents/auth/forbidden.ts";
import type { Authorizer, ResourceAccess } from "../intents/auth/policy.ts";
import { namespaceTenant, userTenant } from "../intents/auth/tenant-name.ts";
import { parseServiceAccountUserName } from "../intents/auth/user.ts";
import type { UserInfo } from "../intents/auth/user.ts";
import type { Found } from "../intents/kinds/registry.ts";
import type { ServedKind } from "../intents/kinds/served-kind.ts";
import type { Caller, Intents, Target } from "../intents/request.ts";
import { applyResource } from "../intents/write/apply.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { readStored } from "../intents/write/stored.ts";
import { decodeDocument } from "../kernel/document.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { textAt } from "../kernel/json-read.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { timedPauses } from "../kernel/pauses.ts";
import type { Pause } from "../kernel/pauses.ts";
import type { Position } from "../store/port.ts";
import { unknownKind } from "./object-api.ts";
import type { ObjectApi, ObjectReference, ObjectType, ServedObjectKind } from "./object-api.ts";
import { writeWithin } from "./request-context.ts";
import type { WriteFence } from "./request-context.ts";

export interface OwnApiInput {
  readonly intents: Intents;
  readonly authorizer: Authorizer;
  readonly context: Context;
  /** The ServiceAccount. */
  readonly user: UserInfo;
  readonly fieldManager: string;
}

export function ownApi(input: OwnApiInput): ObjectApi {
  const { intents, context, fieldManager } = input;
  const pause = timedPauses(tenantOf(input));
  const targetOf = (at: ObjectReference): Target => {
    const served = foundKind(intents, at);
    if (served === undefined) throw unknownKind(at);
    return { ...served, namespace: at.namespace, name: at.name, subresource: "" };
  };
  return {
    findKind: async (kind) => objectKind(foundKind(intents, kind)?.served),
    listLabelled: async (...asked) => await listLabelled({ ...input, pause }, ...asked),
    get: async (at) => {
      await pause();
      if (foundKind(intents, at) === undefined) return undefined;
      const target = targetOf(at);
      authorize(input, target, "get");
      const { served, namespace, name } = target;
      const record = await intents.store.get({ kind: served.id, namespace, name });
      if (record === undefined) return undefined;
      return await readStored(served, target.version, record);
    },
    apply: async (at, object, isDryRun) => {
      await pause();
      // The object may be written in another form of the kind.
      const apiVersion = textAt(object, "apiVersion") || at.apiVersion;
      const target = targetOf({ ...at, apiVersion });
      authorize(input, target, "patch");
      const written = await refusable(at, () =>
        writeWithin(context, isDryRun, (fence) =>
          applyResource(intents, {
            caller: callerFor(input, target, fence),
            target,
            body: () => ({ value: object as Json, problems: [] }),
            options: {
              isDryRun,
              fieldManager,
              fieldValidation: "Strict",
              ...(fence.claim === undefined ? {} : { claim: fence.claim }),
            },
            force: true,
          }),
        ),
      );
      return decodeDocument(written.body, written.revision);
    },
    delete: async (at, uid, propagation = "Background") => {
      const target = targetOf(at);
      authorize(input, target, "delete");
      await refusable(at, () =>
        fencedWrite(context, async (fence) => {
          await deleteResource(intents, {
            caller: callerFor(input, target, fence),
            target,
            options: {
              isDryRun: false,
              propagation,
              preconditions: { uid },
              raw: { propagationPolicy: propagation, preconditions: { uid } },
              claim: fence.claim,
            },
          });
        }),
      );
    },
  };
}

/** The namespace of the ServiceAccount. */
function tenantOf({ user }: OwnApiInput): string {
  const account = parseServiceAccountUserName(user.name);
  return account === undefined ? userTenant(user.name) : namespaceTenant(account.namespace);
}

/** Of all namespaces; objects that the account may not read are left out. */
async function listLabelled(
  input: OwnApiInput & { readonly pause: Pause },
  kind: ObjectType,
  label: string,
  value: string,
): Promise<readonly JsonObject[]> {
  const { intents } = input;
  const found = foundKind(intents, kind);
  if (found === undefined) return [];
  const { served, version } = found;
  const labels = [{ key: label, operator: "in", values: [value] }] as const;
  const objects: JsonObject[] = [];
  let from: Position | undefined;
  do {
    const place = from === undefined ? {} : { from };
    const page = await intents.store.list({ kind: served.id, labels, ...place });
    for (const record of page.records) {
      const { namespace, name } = record.key;
      const at = { served, version, namespace, name, subresource: "" };
      await input.pause();
      if (!mayAccess(input, at, "get").isAllowed) continue;
      objects.push(await readStored(served, version, record));
    }
    from = page.next;
  } while (from !== undefined);
  return objects;
}

/** What holds for the objects of a second form of a kind is what holds for the kind. */
function objectKind(served: ServedKind | undefined): ServedObjectKind | undefined {
  if (served === undefined) return undefined;
  const { own = served } = served.form ?? {};
  const { names, scope } = own.kind;
  const formOf = { apiVersion: own.storage.apiVersion, kind: names.kind };
  return {
    plural: names.plural,
    isNamespaced: scope === "Namespaced",
    isReconciled: own.isReconciled,
    ...(own === served ? {} : { formOf }),
  };
}

function foundKind(
  { kinds }: Pick<Intents, "kinds">,
  { apiVersion, kind }: ObjectType,
): Found | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return kinds.findKind(group, apiVersion.slice(slash + 1), kind);
}

function authorize(input: OwnApiInput, target: Target, verb: string): void {
  const { isAllowed, access, reason } = mayAccess(input, target, verb);
  if (isAllowed) return;
  throw new KubeError(403, "Forbidden", forbiddenAccess(input.user, access, reason).message);
}

interface Answer {
  readonly isAllowed: boolean;
  readonly access: ResourceAccess;
  readonly reason: string;
}

function mayAccess({ authorizer, user }: OwnApiInput, target: Target, verb: string): Answer {
  const { group, names } = target.served.kind;
  const access: ResourceAccess = {
    kind: "resource",
    verb,
    group,
    resource: names.plural,
    subresource: "",
    namespace: target.namespace,
    name: verb === "create" ? "" : target.name,
  };
  const { allowed, reason } = authorizer.authorize(user, access);
  return { isAllowed: allowed, access, reason };
}

/** The ServiceAccount as the caller, in the trace of the run. */
function callerFor(input: OwnApiInput, target: Target, { cause }: WriteFence): Caller {
  return {
    user: input.user,
    tenant: tenantOf(input),
    surface: cause.surface,
    traceId: cause.traceId,
    correlationId: cause.correlationId,
    warn: () => undefined,
    mayCreate: () => authorize(input, target, "create"),
  };
}

/** A refusal of the write path as one of an API server. A lost claim ends the run. */
async function refusable<T>(at: ObjectReference, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isSetpointError(error) || error.code === "claim.lost") throw error;
    const status = statuses[error.code] ?? (error.retry === "backoff" ? 503 : 422);
    throw new KubeError(status, error.code, `${at.kind} ${at.name}: ${error.message}`, {
      cause: error,
    });
  }
}

const statuses: Readonly<Record<string, number>> = {
  "resource.not_found": 404,
  "resource.conflict": 409,
  "request.forbidden": 403,
};
