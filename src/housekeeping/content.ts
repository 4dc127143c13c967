// Deletes all resources of a kind, or those in one namespace, because the kind or the namespace is
// being deleted. Each is deleted by the ordinary write path, so finalizers are honoured and
// watchers receive every deletion. Each write names the claim of the run.

import { isSetpointError } from "../kernel/errors.ts";
import { parseExact } from "../kernel/int64.ts";
import { limits } from "../kernel/limits.ts";
import { systemCaller } from "../intents/bootstrap.ts";
import type { ServedKind } from "../intents/kinds/served-kind.ts";
import type { Intents } from "../intents/request.ts";
import { deleteResource } from "../intents/write/delete.ts";
import type { ClaimRef } from "../store/port.ts";

export interface Remaining {
  readonly count: number;
  /** How many of the remaining wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why some may not be deleted: the words of the first few. */
  readonly refusals: readonly string[];
}

const options = {
  isDryRun: false,
  propagation: "Background",
  preconditions: {},
  raw: { propagationPolicy: "Background" },
} as const;

const deletedAtOnce = 64;
const shownRefusals = 5;

/** The run on whose behalf content is deleted. */
export interface DeletingRun {
  readonly claim: ClaimRef;
  readonly signal: AbortSignal;
}

/** Requests the deletion of everything and returns what still exists. */
export async function deleteContent(
  intents: Intents,
  served: ServedKind,
  namespace: string | undefined,
  run: DeletingRun,
): Promise<Remaining> {
  const finalizers = new Map<string, number>();
  const refusals: string[] = [];
  let count = 0;
  const scope = namespace === undefined ? {} : { namespace };
  let page = await intents.store.list({
    kind: served.id,
    ...scope,
    limit: limits.defaultPageItems,
  });
  for (;;) {
    const { records } = page;
    for (let at = 0; at < records.length; at += deletedAtOnce) {
      run.signal.throwIfAborted();
      const chunk = records.slice(at, at + deletedAtOnce);
      const held = await Promise.all(chunk.map(({ key }) => deleteOne(intents, served, key, run)));
      for (const left of held) {
        if (left === undefined) continue;
        count += 1;
        if (typeof left === "string" && refusals.length < shownRefusals) refusals.push(left);
        if (typeof left === "string") continue;
        for (const name of left) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
      }
    }
    if (page.next === undefined) return { count, finalizers, refusals };
    page = await intents.store.list({
      kind: served.id,
      ...scope,
      limit: limits.defaultPageItems,
      from: page.next,
    });
  }
}

/** The finalizers that keep it, or why it may not be deleted; undefined when it is deleted. */
async function deleteOne(
  intents: Intents,
  served: ServedKind,
  key: { readonly namespace: string; readonly name: string },
  { claim }: DeletingRun,
): Promise<readonly string[] | string | undefined> {
  const { namespace, name } = key;
  const target = { served, version: served.storage, namespace, name, subresource: "" };
  try {
    const deleted = await deleteResource(intents, {
      caller: systemCaller,
      target,
      options: { ...options, claim },
    });
    if (deleted.outcome === "deleted") return undefined;
    const { metadata } = parseExact(deleted.body.toString("utf8")) as {
      readonly metadata: { readonly finalizers?: readonly string[] };
    };
    return metadata.finalizers ?? [];
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return undefined;
    if (isSetpointError(error, "resource.protected")) return error.message;
    throw error;
  }
}
