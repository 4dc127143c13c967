// Kinds that the server alone writes, and targets of environments: a target is deleted by its
// EnvironmentResource only, so that the order of removal holds.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { accessTo } from "../../../intents/auth/access-to.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import {
  destroyedKind,
  environmentKey,
  environmentsVersion,
  externalsKind,
  resourcesKind,
} from "../names.ts";
import { kindFound } from "../resource/run.ts";
import { isServer, isWriteOf, refuse } from "./writes.ts";

export interface RecordGuardPorts {
  readonly store: Pick<Store, "get">;
  readonly authorizer: Authorizer;
  readonly kinds: Pick<KindRegistry, "findKind">;
}

export function recordGuard({ store, authorizer, kinds }: RecordGuardPorts): AdmissionPlugin {
  return {
    name: "EnvironmentRecords",
    validate: (request) => {
      const { operation, target, old } = request;
      if (operation === "DELETE" && old !== undefined) {
        return target.served.id === resourcesKind
          ? checkRemoval(request, old, store)
          : checkTarget(request, old, store);
      }
      if (isWriteOf(request, externalsKind)) {
        checkSecret(request, authorizer);
        checkReferred(request, authorizer, kinds);
      }
      const isRecord = [resourcesKind, destroyedKind].some((kind) => isWriteOf(request, kind));
      if (!isRecord || isServer(request)) return undefined;
      if (equalJson(request.object?.spec ?? null, old?.spec ?? null)) return undefined;
      throw forbidden(target.served.storedKind, target.name, "only this server writes its spec");
    },
  };
}

/** A template can send the Secret anywhere, so the user must be allowed to read it. */
function checkSecret(request: AdmissionRequest, authorizer: Authorizer): void {
  const { object, old, target, caller } = request;
  const name = textAt(object?.spec, "secretRef", "name");
  if (name === "" || name === textAt(old?.spec, "secretRef", "name")) return;
  const reference = { field: "spec.secretRef", namespace: target.namespace, name };
  checkReferences(authorizer, caller.user, target, [reference]);
}

/** Its outputs are shown in the status, so the user must be allowed to read the resource. */
function checkReferred(
  request: AdmissionRequest,
  authorizer: Authorizer,
  kinds: Pick<KindRegistry, "findKind">,
): void {
  const { object, old, target, caller } = request;
  const reference = presentObjectAt(object?.spec, "resource");
  const before = presentObjectAt(old?.spec, "resource");
  if (reference === undefined || equalJson(reference, before ?? null)) return;
  const apiVersion = textAt(reference, "apiVersion");
  const kind = textAt(reference, "kind");
  const found = kindFound({ intents: { kinds } }, apiVersion, kind);
  if (found === undefined) {
    const detail = `no kind ${kind} is served in ${apiVersion}: install its definition first`;
    refuse(request, [invalidField("spec.resource.kind", kind, detail)]);
    return;
  }
  const name = textAt(reference, "name");
  const access = accessTo(found.served, {
    kind: found.served.id,
    namespace: target.namespace,
    name,
  });
  if (authorizer.authorize(caller.user, access).allowed) return;
  const who = `User ${JSON.stringify(caller.user.name)}`;
  const why = `spec.resource: ${who} cannot get the ${kind} ${JSON.stringify(name)}`;
  throw forbidden(target.served.storedKind, target.name, why);
}

/**
 * An EnvironmentResource is removed by its Environment. Deleted by hand it would wait for its
 * dependants, which are not deleted, and the Environment would miss it.
 */
function checkRemoval(
  request: AdmissionRequest,
  old: Resource,
  store: Pick<Store, "get">,
): Promise<void> | undefined {
  const { target } = request;
  const isLeaving = old.metadata.deletionTimestamp !== undefined;
  if (isServer(request) || isLeaving || target.subresource !== "") return undefined;
  const owner = old.metadata.ownerReferences?.find(({ kind }) => kind === "Environment");
  if (owner === undefined) return undefined;
  return store.get(environmentKey(target.namespace, owner.name)).then((record) => {
    if (record === undefined || record.uid !== owner.uid) return;
    const environment = decodeDocument(record.body, record.revision);
    if (environment.metadata.deletionTimestamp !== undefined) return;
    // The deletion of a namespace reports this code and repeats the deletion.
    const message =
      `the EnvironmentResource ${target.name} belongs to the Environment ${owner.name}: ` +
      "delete the Environment, or change its Template or parameters";
    throw new SetpointError("resource.protected", message, { details: { name: target.name } });
  });
}

/** The EnvironmentResource that a resource belongs to. */
function ownerOf({
  metadata,
}: Resource): { readonly name: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(({ apiVersion, kind, controller }) => {
    return (
      controller === true && kind === "EnvironmentResource" && apiVersion === environmentsVersion
    );
  });
}

function checkTarget(
  { caller, target }: AdmissionRequest,
  old: Resource,
  store: Pick<Store, "get">,
): Promise<void> | undefined {
  const owner = ownerOf(old);
  if (owner === undefined || target.subresource !== "") return undefined;
  // Its owner deletes it, or a reconciler that it belongs to as well.
  if (caller.surface === "engine" || old.metadata.deletionTimestamp !== undefined) return undefined;
  const key = { kind: resourcesKind, namespace: target.namespace, name: owner.name };
  return store.get(key).then((record) => {
    if (record === undefined || record.uid !== owner.uid) return;
    // The deletion of a namespace reports this code and repeats the deletion.
    const message =
      `${target.served.id} ${JSON.stringify(target.name)} belongs to the EnvironmentResource ` +
      `${owner.name}, which removes it after its dependants: delete the Environment, or change ` +
      "its Template or parameters";
    throw new SetpointError("resource.protected", message, { details: { name: target.name } });
  });
}
