// Reads the use of all instances of an Offering, those that exist and those that were deleted, from
// one snapshot: an instance that is removed meanwhile is counted once.

import type { PageMemory } from "../../../contract/page-memory.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Position, Store } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import { deletedInstancesKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { deletedUse, instanceUse } from "./instance-use.ts";
import type { InstanceUse } from "./instance-use.ts";

export interface ReadUsesInput {
  readonly store: Pick<Store, "list">;
  readonly offering: Offering;
  readonly pages: PageMemory;
  readonly signal: AbortSignal;
}

export async function readUses(input: ReadUsesInput): Promise<readonly InstanceUse[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(input);
    } catch (error) {
      // The snapshot was compacted while it was read: begin again with a newer one.
      if (!isSetpointError(error, "history.gone") || attempt >= maxAttempts) throw error;
    }
  }
}

const maxAttempts = 3;

async function readOnce(input: ReadUsesInput): Promise<readonly InstanceUse[]> {
  const { offering } = input;
  const uses = new Map<string, InstanceUse>();
  const revision = await eachResource(input, instanceKindId(offering), undefined, (resource) => {
    const use = instanceUse(resource);
    if (use !== undefined) uses.set(use.id, use);
  });
  await eachResource(input, deletedInstancesKind, revision, (record) => {
    if (textAt(record.spec, "offering") !== offering.name) return;
    const use = deletedUse(record);
    // The record is written just before the instance is removed.
    if (!uses.has(use.id)) uses.set(use.id, use);
  });
  return [...uses.values()];
}

/** Returns the revision of the snapshot. */
async function eachResource(
  { store, pages, signal }: ReadUsesInput,
  kind: string,
  at: number | undefined,
  visit: (resource: Resource) => void,
): Promise<number> {
  let from: Position | undefined;
  for (;;) {
    signal.throwIfAborted();
    await pages.before();
    const query = { kind, limit: fleetLimits.usagePageItems };
    const snapshot = at === undefined ? {} : { at };
    const page = await store.list({ ...query, ...(from === undefined ? snapshot : { from }) });
    pages.after(
      page.records.reduce((sum, { body }) => sum + body.length, 0),
      page.next !== undefined,
    );
    for (const { body, revision } of page.records) visit(decodeDocument(body, revision));
    pages.drop();
    if (page.next === undefined) return page.revision;
    from = page.next;
  }
}
