// Lists: one snapshot, in pages when the client asks for them, in one streamed answer when it does
// not. The usual list joins stored bytes; Tables and metadata are made item by item.

import type { PageMemory } from "../../contract/page-memory.ts";
import { appendAll } from "../../kernel/append.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { parseRevision } from "../../kernel/revision.ts";
import { matchesSelector } from "../../kernel/selector.ts";
import { fieldValue } from "../../kernel/terms.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import { presentBytes, presentParts, presentResource } from "../../intents/read/present.ts";
import { badRequest, expired } from "../../intents/refusals.ts";
import { selectsKey } from "../../intents/watch/selection.ts";
import type { Selection } from "../../intents/watch/selection.ts";
import type { ListQuery, Page, Position, Store, StoredRecord } from "../../store/port.ts";
import type { BodySink } from "../http/body-sink.ts";
import { decodeContinue, encodeContinue, inconsistentContinue } from "./continue-token.ts";
import type { ListedNamespace } from "./continue-token.ts";
import type { ListOptions } from "./options.ts";

export interface ListPlan {
  readonly at: number | undefined;
  readonly from: Position | undefined;
}

export interface ListWait {
  /** Resolves once the revision is there, rejects with revision.future when it takes too long. */
  untilRevision(revision: number): Promise<void>;
}

/** Which snapshot a list reads, after waiting for it where need be. */
export async function planList(
  store: Pick<Store, "head">,
  options: ListOptions,
  listed: ListedNamespace,
  wait: ListWait,
): Promise<ListPlan> {
  const { continueToken, resourceVersion, resourceVersionMatch, limit } = options;
  const { revision: head } = await store.head();
  if (continueToken !== "") {
    const from = decodeContinue(continueToken, listed, head);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    if (from.revision > head) await wait.untilRevision(from.revision);
    return { at: undefined, from };
  }
  const wanted = listRevision(resourceVersion);
  if (wanted === 0) return { at: undefined, from: undefined };
  if (wanted > head) await wait.untilRevision(wanted);
  // A page of an old state was the first meaning of a limit with a revision.
  const isExact = resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit > 0);
  return { at: isExact ? wanted : undefined, from: undefined };
}

export function listRevision(text: string): number {
  if (text === "") return 0;
  try {
    return parseRevision(text);
  } catch (cause) {
    const quoted = JSON.stringify(text);
    const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${quoted}: ` +
        `strconv.ParseUint: parsing ${quoted}: ${why}`,
      cause,
    );
  }
}

export interface PageOptions {
  readonly pageItems: number;
  readonly countRemaining: boolean;
  readonly memory: PageMemory;
  /** Whether a state lacks what it would have to show; current states never do. */
  readonly isMissing?: IsMissing;
}

export type IsMissing = (state: Pick<StoredRecord, "unopened">) => boolean;

/** The pages of a selection on one snapshot; every record in them is wanted. */
export async function* readPages(
  store: Pick<Store, "list" | "get" | "head">,
  selection: Selection,
  { at, from }: ListPlan,
  { pageItems, countRemaining, memory, isMissing = () => false }: PageOptions,
): AsyncGenerator<Page> {
  const { kind, namespace, name, labels, fields, isEmpty } = selection;
  if (isEmpty) {
    yield { revision: (await store.head()).revision, records: [] };
    return;
  }
  if (name !== undefined && namespace !== undefined && at === undefined && from === undefined) {
    yield await readOne(store, selection, { kind, namespace, name });
    return;
  }
  const query: ListQuery = {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(fields.length === 0 ? {} : { fields }),
    limit: pageItems,
    ...(countRemaining ? { countRemaining } : {}),
  };
  const start: Partial<ListQuery> = {
    ...(at === undefined ? {} : { at }),
    ...(from === undefined ? {} : { from }),
  };
  const place: { next: Partial<ListQuery> | undefined } = { next: start };
  const bounds = labels.filter(({ bound }) => bound !== undefined);
  const filters = name !== undefined || selection.excluded.length > 0 || bounds.length > 0;
  // No page is kept here while the client takes its time with it.
  const read = async (): Promise<Page> => {
    const waiting = memory.before();
    if (waiting !== undefined) await waiting;
    const page = await readPage(store, { ...query, ...place.next }, namespace);
    // An old snapshot without its secrets is not the list that the client asked for.
    if (page.records.some(isMissing)) {
      throw tooOldList({ ...query, ...place.next }, namespace, erasedNote);
    }
    memory.after(recordBytes(page.records), page.next !== undefined);
    place.next = page.next === undefined ? undefined : { from: page.next };
    if (!filters) return page;
    const records = page.records.filter(
      (record) => selectsKey(selection, record.key) && hasLabels(bounds, record),
    );
    return { ...page, records };
  };
  while (place.next !== undefined) yield await read();
}

/** What no index knows of is looked for in the document. */
function hasLabels(labels: Selection["labels"], { body }: StoredRecord): boolean {
  if (labels.length === 0) return true;
  const document = parseExact(body.toString("utf8")) as Parameters<typeof fieldValue>[0];
  return matchesSelector(labels, document.metadata.labels);
}

const maxAttempts = 3;

/**
 * The newest state of one name, and a revision after which a watch misses nothing of it and sees
 * nothing twice: that of the state itself may be newer than the one read before it.
 */
async function readOne(
  store: Pick<Store, "get" | "head">,
  selection: Selection,
  key: StoredRecord["key"],
): Promise<Page> {
  let { revision } = await store.head();
  for (let attempt = 1; ; attempt++) {
    const record = await store.get(key);
    if (record !== undefined) {
      const isWanted = matchesDocument(selection, record);
      return { revision: Math.max(revision, record.revision), records: isWanted ? [record] : [] };
    }
    // It may have gone since the revision was read; then its going would be told of nothing.
    const { revision: now } = await store.head();
    if (now === revision || attempt === maxAttempts) return { revision, records: [] };
    revision = now;
  }
}

function matchesDocument({ labels, fields, excluded }: Selection, record: StoredRecord): boolean {
  if (excluded.some(({ part, value }) => record.key[part] === value)) return false;
  if (labels.length === 0 && fields.length === 0) return true;
  const document = parseExact(record.body.toString("utf8")) as Parameters<typeof fieldValue>[0];
  if (!matchesSelector(labels, document.metadata.labels)) return false;
  return fields.every(({ path, operator, values }) => {
    const isIn = values.includes(String(fieldValue(document, path) ?? ""));
    return operator === "in" ? isIn : !isIn;
  });
}

async function readPage(
  store: Pick<Store, "list">,
  query: ListQuery,
  listed: ListedNamespace,
): Promise<Page> {
  try {
    return await store.list(query);
  } catch (error) {
    if (!isSetpointError(error, "history.gone")) throw error;
    throw tooOldList(query, listed);
  }
}

/** The answer to a list of a state that cannot be shown any more. */
export function tooOldList(
  { at, from }: { readonly at?: number | undefined; readonly from?: Position | undefined },
  listed: ListedNamespace,
  note = "",
): SetpointError {
  if (from === undefined) return expired(`${tooOld(at ?? 0)}${note}`);
  return expired(expiredContinue, inconsistentContinue(from, listed));
}

function tooOld(revision: number): string {
  return `The resourceVersion for the provided list is too old: ${revision}`;
}

const erasedNote = " (a state in it was erased)";

const expiredContinue =
  "The provided continue parameter is too old to display a consistent list result. " +
  "You can start a new list without the continue parameter, or use the continue token " +
  "in this response to retrieve the remainder of the results. Continuing with the provided token " +
  "results in an inconsistent list - objects that were created, modified, or deleted between the " +
  "time the first chunk was returned and now may show up in the list.";

export interface CollectedList {
  readonly records: readonly StoredRecord[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/**
 * One page as the client asked for it, which may take several of the store's. Memory is bounded: a
 * page may be shorter than its limit when its documents are large, and a whole list is refused.
 */
export async function collectPage(
  pages: AsyncGenerator<Page>,
  limit: number,
  listed: ListedNamespace,
): Promise<CollectedList> {
  const records: StoredRecord[] = [];
  let revision = 0;
  let bytes = 0;
  for await (const page of pages) {
    revision = page.revision;
    const room = limit - records.length;
    const taken = page.records.slice(0, room);
    appendAll(records, taken);
    for (const { body } of taken) bytes += body.length;
    const last = records.at(-1);
    const isCut = taken.length < page.records.length || page.next !== undefined;
    const isFull = records.length >= limit || bytes > limits.maxCollectedBytes;
    if (isFull && isCut && limit === Number.POSITIVE_INFINITY) throw tooMuch();
    if (isFull && isCut && last !== undefined) {
      const { namespace, name } = last.key;
      const token = encodeContinue({ revision, namespace, name }, listed);
      const remaining = page.remaining === undefined ? {} : { remainingItemCount: page.remaining };
      const resourceVersion = String(revision);
      return { records, metadata: { resourceVersion, continue: token, ...remaining } };
    }
    if (page.next === undefined) break;
  }
  return { records, metadata: { resourceVersion: String(revision) } };
}

function tooMuch(): SetpointError {
  const mib = limits.maxCollectedBytes / 2 ** 20;
  return new SetpointError(
    "request.too_large",
    `the list is larger than ${mib} MiB: only a plain JSON list can be larger`,
    { suggestion: "request pages, for example with limit=500" },
  );
}

export function recordBytes(records: readonly Pick<StoredRecord, "body">[]): number {
  return records.reduce((sum, { body }) => sum + body.length, 0);
}

const comma = Buffer.from(",");

/** The items of a list as they are between its brackets. */
export async function itemBytes(
  found: Found,
  records: readonly StoredRecord[],
  options: ItemOptions = {},
): Promise<Buffer> {
  return Buffer.concat(await itemParts(found, records, options));
}

export interface ItemOptions {
  readonly hasType?: boolean;
}

/** As `itemBytes`, in parts: large ones share the memory of their records. */
export async function itemParts(
  found: Found,
  records: readonly StoredRecord[],
  { hasType = false }: ItemOptions = {},
): Promise<readonly Buffer[]> {
  const { served, version } = found;
  const type = hasType ? noType : itemType(found);
  const parts: Buffer[] = [];
  for (const record of records) {
    if (parts.length > 0) parts.push(comma);
    if (record.body.length < limits.minSharedBytes) {
      const bytes = presentBytes(served, version, record);
      pushUntyped(parts, bytes instanceof Promise ? await bytes : bytes, type);
    } else {
      const [first, ...others] = await presentParts(served, version, record);
      if (first !== undefined) pushUntyped(parts, first, type);
      parts.push(...others);
    }
  }
  return parts;
}

/** Writes parts, small ones together. */
export async function writeParts(sink: BodySink, parts: readonly Buffer[]): Promise<void> {
  let small: Buffer[] = [];
  const writeSmall = async (): Promise<void> => {
    if (small.length > 0) await sink.write(Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.length < limits.minSharedBytes) small.push(part);
    else {
      await writeSmall();
      await sink.write(part);
    }
  }
  await writeSmall();
}

/** No document begins like this. */
const noType = Buffer.from("none");

/** In a list of a built-in kind the items do not repeat what the list says of them. */
function itemType({ served, version }: Found): Buffer {
  if (served.kind.origin !== "built-in") return noType;
  const { apiVersion } = version;
  const { kind } = served.kind.names;
  return Buffer.from(`${JSON.stringify({ apiVersion, kind }).slice(0, -1)},`);
}

const brace = Buffer.from("{");

function pushUntyped(parts: Buffer[], bytes: Buffer, type: Buffer): void {
  if (bytes.subarray(0, type.length).equals(type)) parts.push(brace, bytes.subarray(type.length));
  else parts.push(bytes);
}

export async function itemObjects(
  { served, version }: Found,
  records: readonly StoredRecord[],
): Promise<readonly JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const record of records) {
    const resource = presentResource(served, version, record);
    objects.push(resource instanceof Promise ? await resource : resource);
  }
  return objects;
}

/** The first bytes of a list, up to and with the bracket of its items. */
export function listHead(found: Found, metadata: JsonObject): Buffer {
  return Buffer.from(`${JSON.stringify(listFields(found, metadata)).slice(0, -1)},"items":[`);
}

/** What a list has besides its items. */
export function listFields(found: Found, metadata: JsonObject): JsonObject {
  const { names } = found.served.kind;
  // Lists of defined kinds always have the field, those of built-in kinds only when it says more.
  const hasToken = metadata["continue"] !== undefined || found.served.kind.origin === "built-in";
  return {
    kind: names.listKind,
    apiVersion: found.version.apiVersion,
    metadata: hasToken ? metadata : { continue: "", ...metadata },
  };
}

export const listTail = Buffer.from("]}\n");
