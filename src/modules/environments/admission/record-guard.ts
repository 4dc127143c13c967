// Kinds that the server alone writes, the graph of a ResourceGroup, and targets of environments: a
// target is deleted by its EnvironmentResource only, so that the order of removal holds.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { accessTo } from "../../../intents/auth/access-to.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectsAt, presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import {
  destroyedKind,
  environmentKey,
  environmentsVersion,
  externalsKind,
  groupsKind,
  resourcesKind,
} from "../names.ts";
import { kindFound } from "../resource/run.ts";
import { cycleIn } from "../templates/graph.ts";
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
      if (isWriteOf(request, groupsKind)) {
        refuse(request, [...groupNameErrors(request), ...groupErrors(request.object)]);
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

/** The server names the groups of an Environment ENVIRONMENT.ID. */
function groupNameErrors(request: AdmissionRequest): readonly FieldError[] {
  const { object, operation } = request;
  const name = object?.metadata.name ?? "";
  if (operation !== "CREATE" || isServer(request) || !name.includes(".")) return [];
  const detail = "must not contain a dot: such names are those of groups of Environments";
  return [invalidField("metadata.name", name, detail)];
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

/** The graph of the links of a group. */
function groupErrors(group: Resource | undefined): readonly FieldError[] {
  const links = objectsAt(group?.spec, "resources");
  const ids = new Set(links.map((link) => textAt(link, "id")));
  const suggest = suggester();
  const errors = links.flatMap((link, at) =>
    textsAt(link, "dependsOn").flatMap((other, index) => {
      if (ids.has(other)) return [];
      const detail = `the group has no resource ${other}${suggest(other, ids)}`;
      return [invalidField(`spec.resources[${at}].dependsOn[${index}]`, other, detail)];
    }),
  );
  if (errors.length > 0) return errors;
  const graph = new Map(links.map((link) => [textAt(link, "id"), textsAt(link, "dependsOn")]));
  const cycle = cycleIn(graph);
  if (cycle === undefined) return [];
  const detail = `the resources of the group have a cycle: ${cycle.join(" -> ")}`;
  return [invalidField("spec.resources", cycle[0] ?? "", detail)];
}
