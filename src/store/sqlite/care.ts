/**
 * The slow services of a store: dump, load, sealing again and long lists. Each goes on in pieces,
 * so that neither the event loop nor the writer is held for long.
 */
import { assert } from "../../kernel/assert.ts";
import { keyText } from "../../kernel/resource.ts";
import { systemTimers } from "../../kernel/timers.ts";
import type { ErasureParts } from "../erasure.ts";
import { KeyCount } from "../key-care.ts";
import type { KeyUse } from "../key-care.ts";
import type { KeyRing } from "../key-ring.ts";
import type { DumpRow, Head, ListQuery, Page } from "../port.ts";
import { envelopeKeyId, sealDocument, showDocument } from "../seal.ts";
import type { ResealItem } from "./core.ts";
import { dumpRows, pagesOf } from "./dump.ts";
import type { Engine } from "./engine.ts";
import type { OpenedFiles } from "./open.ts";
import { openConnection } from "./schema.ts";
import { bufferOf } from "./sql.ts";

type SealedRow = ReturnType<OpenedFiles["reader"]["sealedAfter"]>[number];

const resealItems = 200;
const loadItems = 200;
const loadBytes = 1_048_576;

export async function* dumpFile(
  { path, clock, reader, isInline }: OpenedFiles,
  closing: AbortSignal,
): AsyncIterable<DumpRow> {
  if (isInline) {
    // All at once: the connection is shared with the writer, so the moment passes.
    const rows = [...dumpRows(reader.db, clock.nowMs())];
    yield* rows;
    return;
  }
  const db = openConnection(path, "reader");
  try {
    db.exec("BEGIN");
    for (const page of pagesOf(dumpRows(db, clock.nowMs()))) {
      closing.throwIfAborted();
      yield* page;
      await systemTimers.sleep(0);
    }
  } finally {
    db.close();
  }
}

/** With the name of a primary, as its secondary. */
export async function loadInto(
  { writer }: Engine,
  rows: AsyncIterable<DumpRow>,
  primary?: string,
): Promise<Head> {
  await writer.loadBegin();
  try {
    let page: DumpRow[] = [];
    let bytes = 0;
    for await (const row of rows) {
      page.push(row);
      if (row.row === "change") bytes += (row.document?.length ?? 0) + (row.sealed?.length ?? 0);
      if (page.length < loadItems && bytes < loadBytes) continue;
      await writer.loadRows(page);
      page = [];
      bytes = 0;
    }
    await writer.loadRows(page);
    return await writer.loadEnd(primary);
  } catch (error) {
    await writer.loadAbort();
    throw error;
  }
}

/** Keys stay on this thread: it reads envelopes, seals them anew, and the writer puts them back. */
export async function resealAll(
  { reader, ring, engine }: OpenedFiles,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  let after = 0;
  for (;;) {
    signal?.throwIfAborted();
    const found = reader.sealedAfter(after, resealItems);
    const activeId = ring.active().id;
    const items = found
      .filter(({ sealed }) => envelopeKeyId(sealed) !== activeId)
      .flatMap((stored) => resealed(ring, stored) ?? []);
    if (items.length > 0) count += await engine.writer.reseal(items);
    else await systemTimers.sleep(0);
    const last = found.at(-1);
    if (last === undefined) return count;
    after = last.revision;
  }
}

export async function countKeys({ reader }: OpenedFiles): Promise<readonly KeyUse[]> {
  const count = new KeyCount();
  let after = 0;
  for (;;) {
    const found = reader.sealedAfter(after, resealItems);
    for (const { key, sealed } of found) count.add(sealed, key);
    const last = found.at(-1);
    if (last === undefined) return count.uses;
    after = last.revision;
    await systemTimers.sleep(0);
  }
}

export function erasureParts({ reader, engine, clock }: OpenedFiles): ErasureParts {
  return {
    deleted: async (after, minAgeMs, namespace) => {
      await systemTimers.sleep(0);
      return reader.sealedOfDeleted(after, clock.nowMs() - minAgeMs, namespace);
    },
    write: (changes) => engine.writer.erase(changes),
  };
}

/**
 * Envelope and digest under the active key. The blanked document is stored already. What cannot be
 * opened stays as it is.
 */
function resealed(ring: KeyRing, stored: SealedRow): ResealItem | undefined {
  const { revision, key, uid, sealed: before } = stored;
  const { body, unopened } = showDocument(ring, stored, { document: before, sealed: before });
  if (unopened !== undefined) return undefined;
  const { sealed, digest } = sealDocument(ring, { key, uid }, { body, secrets: [""] });
  assert(sealed !== null, "a document with secrets has an envelope");
  return { revision, key, before, sealed, digest };
}

export async function longList(engine: Engine, ring: KeyRing, query: ListQuery): Promise<Page> {
  const { page, envelopes } = await engine.background.list(query);
  const records = page.records.map((record) => {
    const document = bufferOf(record.body);
    const sealed = envelopes.get(keyText(record.key));
    if (sealed === undefined) return { ...record, body: document };
    return { ...record, ...showDocument(ring, record, { document, sealed: bufferOf(sealed) }) };
  });
  return { ...page, records };
}
