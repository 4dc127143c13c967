// Removal of an EnvironmentResource: first its dependants, then its target, then itself. The order
// holds however the deletion began, because each resource waits for its own dependants.

import { done, waiting } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Position } from "../../../store/port.ts";
import { environmentLimits } from "../limits.ts";
import { dependencyTerm, replaceAnnotation, resourcesKind } from "../names.ts";
import { targetDocument } from "./target-document.ts";
import { deleteTarget, isOwned } from "./apply-target.ts";
import { kindFound, readTarget, targetKey } from "./run.ts";
import type { ResourceRun } from "./run.ts";
import { waitingForDependants } from "./states.ts";
import type { ResourceState } from "./states.ts";

export async function removeResource(run: ResourceRun): Promise<Outcome> {
  const { resource, context } = run;
  const dependants = await dependantsOf(run);
  if (dependants.length > 0) {
    const [first = ""] = dependants;
    for (const name of dependants) await context.references.get({ kind: resourcesKind, name });
    const more = dependants.length > 1 ? ` and ${dependants.length - 1} more` : "";
    const message = `waits until ${first}${more} is removed`;
    const blockers = dependants.map((name) => ({ kind: resourcesKind, name, isThere: true }));
    return waiting(blockers, { message, status: removing(waitingForDependants, message) });
  }
  const key = await targetOf(run);
  const target = key === undefined ? undefined : await readTarget(run.ports, key);
  const isOurs = target !== undefined && isOwned(target, resource);
  if (key === undefined || !isOurs) return done();
  return await removeTarget(run, key, target);
}

/**
 * Resources that depend on it, by their spec or by the document that they applied last. One that is
 * created again does not wait for those that stay: they wait for it, and are then applied again.
 */
async function dependantsOf({ resource, ports }: ResourceRun): Promise<readonly string[]> {
  const { namespace = "", name, annotations = {} } = resource.metadata;
  const isReplaced = annotations[replaceAnnotation] !== undefined;
  const query = {
    kind: resourcesKind,
    namespace,
    fields: [{ path: dependencyTerm, operator: "in", values: [name] }],
    limit: environmentLimits.maxAwaited,
  } as const;
  const found: string[] = [];
  let from: Position | undefined;
  do {
    const page = await ports.store.list({ ...query, ...(from === undefined ? {} : { from }) });
    const awaited = page.records.filter(({ body, revision }) => {
      if (!isReplaced) return true;
      return decodeDocument(body, revision).metadata.deletionTimestamp !== undefined;
    });
    found.push(...awaited.map(({ key }) => key.name));
    from = page.next;
  } while (from !== undefined && found.length < environmentLimits.maxAwaited);
  return found.slice(0, environmentLimits.maxAwaited);
}

/** Deletes a target, and waits until it is deleted. */
export async function removeTarget(
  { resource, context, ports }: ResourceRun,
  key: ResourceKey,
  target: Resource,
): Promise<Outcome> {
  if (target.metadata.deletionTimestamp === undefined) {
    await deleteTarget(ports, context, resource, key);
  }
  const left = await context.references.get({ kind: key.kind, name: key.name });
  if (left === undefined || left.metadata.uid !== target.metadata.uid) return done();
  const message = `waits until ${key.kind} ${key.name} is removed${failureOf(left)}`;
  const blocker = { kind: key.kind, name: key.name, isThere: true };
  return waiting(blocker, { message, status: removing("RemovingTarget", message) });
}

/**
 * A target that cannot be removed states the reason in its condition Synced. A change that was
 * cancelled before is not such a reason.
 */
function failureOf({ status }: Resource): string {
  const conditions = objectsAt(status, "conditions");
  const synced = conditions.find((each) => textAt(each, "type") === "Synced");
  if (textAt(synced, "status") !== "False" || textAt(synced, "reason") === "Cancelled") return "";
  return `, which fails: ${textAt(synced, "message")}`;
}

/** What was applied, also when the run that applied it could not report it. */
async function targetOf(run: ResourceRun): Promise<ResourceKey | undefined> {
  const { resource, ports } = run;
  const { namespace = "" } = resource.metadata;
  const known = objectAt(resource.status, "target");
  const kind = textAt(known, "resource");
  if (kind !== "") {
    if (ports.intents.kinds.byId(kind) === undefined) return undefined;
    return { kind, namespace, name: textAt(known, "name") };
  }
  const named = await ports.templates.get(namespace, textAt(resource.spec, "template"));
  const entry = named?.compiled.entries.get(textAt(resource.spec, "key"))?.entry;
  if (entry === undefined) return undefined;
  const found = kindFound(ports, entry.apiVersion, entry.kind);
  if (found === undefined) return undefined;
  const ours = await ports.store.list({
    kind: found.served.id,
    namespace,
    owner: resource.metadata.uid,
    limit: 1,
  });
  const [record] = ours.records;
  if (record !== undefined) {
    const document = decodeDocument(record.body, record.revision);
    return { kind: found.served.id, namespace, name: document.metadata.name };
  }
  return targetKey(resource, found, targetDocument({}, resource));
}

function removing(
  reason: string,
  message: string,
): { readonly state: ResourceState; readonly reason: string; readonly message: string } {
  return { state: "Removing", reason, message };
}
