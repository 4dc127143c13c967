// The ends of many operations at once, for those who record them and for those who remove records
// whose time is over.

import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { Put, StoredRecord } from "../../../store/port.ts";
import { dated, derivedProgress, endingWrite } from "./operations.ts";
import { operationOf } from "./record.ts";
import type { OperationEnd, OperationRecord, OperationSpec } from "./record.ts";
import type { ProviderState } from "../provider-state.ts";

export interface EndOf {
  readonly record: StoredRecord;
  readonly about: ResourceKey;
  /** Records the end; undefined when that is recorded, or it goes on. */
  readonly write: Put | undefined;
  readonly isRecorded: boolean;
}

/**
 * How operations ended, in their order: by what their resources show, or showed last by the history
 * of the store, which is not kept for ever. One of which that cannot be told is left out, and does
 * not keep the others from it.
 */
export async function endsOf(
  provider: ProviderState,
  records: readonly StoredRecord[],
  onError: (error: unknown, record: StoredRecord) => void,
): Promise<readonly EndOf[]> {
  const all = records.flatMap((record) => {
    try {
      return [operationOf(record, decodeDocument(record.body, record.revision))];
    } catch (error) {
      if (isOutage(error)) throw error;
      onError(error, record);
      return [];
    }
  });
  const open = all.filter(({ end }) => end === undefined);
  const keys = open.map(({ spec }) => spec.resource);
  const found = open.length === 0 ? [] : await provider.intents.store.getMany(keys);
  const resources = new Map(open.map((operation, at) => [operation, found[at]]));
  const ends: EndOf[] = [];
  for (const operation of all) {
    const { record, spec } = operation;
    const isRecorded = operation.end !== undefined;
    try {
      const write = isRecorded
        ? undefined
        : await writeOf(provider, { ...operation, resource: resources.get(operation) });
      ends.push({ record, about: spec.resource, write, isRecorded });
    } catch (error) {
      if (isOutage(error)) throw error;
      onError(error, record);
    }
  }
  return ends;
}

/** While the store is not there, nothing can be told of any. */
export function isOutage(error: unknown): boolean {
  if (!isSetpointError(error)) return false;
  return error.code.startsWith("store.") && error.code !== "store.corrupt";
}

async function writeOf(
  provider: ProviderState,
  operation: OperationRecord,
): Promise<Put | undefined> {
  const { resource, spec } = operation;
  const isOffered = provider.faces.byKind(spec.resource.kind) !== undefined;
  // What is not offered at this moment may be offered again.
  if (resource?.uid === spec.uid && !isOffered) return undefined;
  const { end } = await derivedProgress(provider, operation);
  return end && endingWrite(provider, operation, dated(provider, end));
}

/**
 * Whether the record may go: its time is over, and has been since it ended. What takes longer than
 * its records are kept can be asked for as long as it goes on.
 */
export async function isExpired(provider: ProviderState, record: StoredRecord): Promise<boolean> {
  const nowMs = provider.intents.clock.nowMs();
  const operation = operationOf(record, decodeDocument(record.body, record.revision));
  if (Date.parse(operation.spec.expiresAt) > nowMs) return false;
  const end = operation.end ?? (await derivedProgress(provider, operation)).end;
  return isOver(operation.spec, end, nowMs);
}

/** From then on it is not told of any more, whenever its record goes. */
export function isOver(
  { startedAt, expiresAt }: Pick<OperationSpec, "startedAt" | "expiresAt">,
  end: OperationEnd | undefined,
  nowMs: number,
): boolean {
  const expiresMs = Date.parse(expiresAt);
  if (end === undefined || expiresMs > nowMs) return false;
  const keptMs = expiresMs - Date.parse(startedAt);
  return !(Date.parse(end.endedAt ?? "") + keptMs > nowMs);
}
