/** Writes of the records of the module, under the claim of a run. */
import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { applyMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";

export interface RecordPorts {
  readonly intents: Intents;
  readonly context: Context;
}

type Query = Parameters<Store["list"]>[0];

/** All resources that a query finds, page by page. */
export async function* listAll(
  store: Pick<Store, "list">,
  query: Omit<Query, "limit" | "from">,
): AsyncGenerator<Resource> {
  const limit = limits.defaultPageItems;
  let page = await store.list({ ...query, limit });
  for (;;) {
    for (const { body, revision } of page.records) yield decodeDocument(body, revision);
    if (page.next === undefined) return;
    page = await store.list({ ...query, limit, from: page.next });
  }
}

/** All resources of a kind in a namespace whose field has the value. */
export async function listByField(
  store: Pick<Store, "list">,
  at: { readonly kind: string; readonly namespace: string },
  path: string,
  value: string,
): Promise<readonly Resource[]> {
  const fields = [{ path, operator: "in", values: [value] }] as const;
  const found: Resource[] = [];
  for await (const resource of listAll(store, { ...at, fields })) found.push(resource);
  return found;
}

/** Creates the resource, or gives an existing one the spec. An equal one is not written. */
export async function putRecord(
  { intents, context }: RecordPorts,
  body: JsonObject,
  present: Resource | undefined,
): Promise<void> {
  const spec = objectAt(body, "spec");
  if (present !== undefined && equalJson(objectAt(present, "spec"), spec)) return;
  const { target, name } = targetFor(intents, body);
  await fencedWrite(context, async ({ claim, cause }) => {
    const caller = systemCallerFor(cause);
    const options = { ...systemOptions, claim };
    await updateResource(intents, {
      caller,
      target: { ...target, name },
      options,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: { ...old, spec } }),
      create: async () =>
        await createResource(intents, { caller, target, body, options, decodeProblems: [] }),
      allowsBlind: true,
    });
  });
}

/** A resource that exists is left as it is. */
export async function createRecord(
  { intents, context }: RecordPorts,
  body: JsonObject,
): Promise<void> {
  const { target } = targetFor(intents, body);
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await createResource(intents, {
        caller: systemCallerFor(cause),
        target,
        body,
        options: { ...systemOptions, claim },
        decodeProblems: [],
      });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
  }
}

/** Merges into the status; a null removes. A resource that does not exist is no error. */
export async function patchRecordStatus(
  { intents, context }: RecordPorts,
  key: ResourceKey,
  fields: JsonObject,
): Promise<void> {
  const target = { ...targetAt(intents, key), subresource: "status" };
  await ignoringAbsence(async () => {
    await fencedWrite(context, async ({ claim, cause }) => {
      await updateResource(intents, {
        caller: systemCallerFor(cause),
        target,
        options: { ...systemOptions, claim },
        optionsKind: "UpdateOptions",
        change: (old) => ({
          wanted: { ...old, status: applyMergePatch(objectAt(old, "status"), fields) },
        }),
        allowsBlind: true,
      });
    });
  });
}

/** A resource that does not exist is no error. */
export async function deleteRecord(
  { intents, context }: RecordPorts,
  key: ResourceKey,
  uid?: string,
): Promise<void> {
  const preconditions = uid === undefined ? {} : { uid };
  await ignoringAbsence(async () => {
    await fencedWrite(context, async ({ claim, cause }) => {
      await deleteResource(intents, {
        caller: systemCallerFor(cause),
        target: targetAt(intents, key),
        options: { isDryRun: false, propagation: undefined, preconditions, raw: {}, claim },
      });
    });
  });
}

async function ignoringAbsence(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

function targetAt({ kinds }: Intents, { kind, namespace, name }: ResourceKey): Target {
  const served = kinds.byId(kind);
  if (served === undefined) throw new Error(`the kind ${kind} is not served`);
  return { served, version: served.storage, namespace, name, subresource: "" };
}
