// Watch events as bytes. The frame of a change is made once for all watches of the same form
// (intents/watch/frame-cache.ts). Threads make Tables, metadata and protobuf of large documents; a
// large document that must be converted is converted between pauses of the event loop.

import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { nextTurn } from "../../kernel/pauses.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import type { ServedVersion } from "../../intents/kinds/served-kind.ts";
import { isShownAsStored, presentBytes, presentResource } from "../../intents/read/present.ts";
import type { Presentable } from "../../intents/read/present.ts";
import type { Frame, FrameCache } from "../../intents/watch/frame-cache.ts";
import type { WatchEvent } from "../../intents/watch/watch-hub.ts";
import type { Change, Store } from "../../store/port.ts";
import type { RequestWork } from "./body.ts";
import { encodeFrame, frameJob, jsonFrame, shapedFrame, splitForColumns } from "./frame-shapes.ts";
import { recordBytes } from "./list.ts";
import { isHeavy } from "./list-stream.ts";
import type { Form } from "./negotiate.ts";
import { columnsOf } from "./shaped-items.ts";
import type { ItemForm } from "./shaped-items.ts";
import type { IncludeObject } from "./table/table.ts";

export interface FrameInput {
  readonly found: Found;
  readonly form: Form;
  readonly includeObject: IncludeObject;
  readonly nowMs: () => number;
  readonly store: Pick<Store, "history">;
  readonly cache: FrameCache;
  /** Whose turns and threads are used. */
  readonly tenant: string;
  readonly work: RequestWork;
}

export interface Frames {
  of(event: WatchEvent): Frame;
  /** Resources that were there when the watch began. */
  added(records: readonly Presentable[]): Promise<Buffer>;
  bookmark(revision: number, isInitialEnd: boolean): Buffer;
  error(status: JsonObject): Buffer;
  /** The first frame of a watch in its parts; the last one shares the memory of the frame. */
  first(frame: Buffer): readonly Buffer[];
  /** Equal for equal frames. */
  readonly formKey: string;
  /** Documents that are made into another form need more memory. */
  readonly memoryFactor: number;
}

export function watchFrames(input: FrameInput): Frames {
  const { found, form, includeObject, nowMs, cache, tenant } = input;
  const item = { ...form, includeObject, columns: columnsOf(found) };
  const isTable = form.as === "table";
  const formNow = (): ItemForm => ({ ...item, nowMs: nowMs() });
  const formKey = [
    versionId(found.version),
    form.as,
    form.metaVersion,
    form.encoding,
    isTable ? includeObject : "",
  ].join("|");
  const of = (event: WatchEvent): Frame => {
    const { type, change, isLeaving } = event;
    // The ages in a Table are those of the second in which it is made.
    const second = isTable ? Math.floor(nowMs() / 1_000) : 0;
    // A frame that takes time is made in the turns of its tenant, and no other tenant waits for it.
    const isQuick = isObjectJson(item) && isShownAsStored(found.served, found.version, change);
    const owner = isQuick ? "" : tenant;
    const key = [isLeaving ? "LEAVING" : type, formKey, second, owner].join("|");
    return cache.share(change, key, () =>
      isLeaving ? leaving(input, change, formNow()) : frameOf(input, type, change, formNow()),
    );
  };
  return {
    of,
    added: (records) => addedFrames(input, records, formNow()),
    bookmark: (revision, isInitialEnd) => bookmark(input, revision, isInitialEnd, formNow()),
    error: (status) => encodeFrame("ERROR", status, form),
    first: (frame) => (isTable ? splitForColumns(frame, item) : [frame]),
    formKey,
    memoryFactor: isObjectJson(item) ? 1 : shapedMemoryFactor,
  };
}

/** The documents as they are shown, as the input of a thread, and as its result. */
const shapedMemoryFactor = 2;

/** A version is another object after each change of its definition. */
const versionIds = new WeakMap<ServedVersion, number>();
let lastVersionId = 0;

function versionId(version: ServedVersion): number {
  const known = versionIds.get(version);
  if (known !== undefined) return known;
  lastVersionId += 1;
  versionIds.set(version, lastVersionId);
  return lastVersionId;
}

function isObjectJson({ as, encoding }: Pick<ItemForm, "as" | "encoding">): boolean {
  return as === "object" && encoding === "json";
}

function frameOf(input: FrameInput, type: string, record: Presentable, form: ItemForm): Frame {
  if (!isObjectJson(form) && !isHeavy(form, record.body.length)) {
    const { served, version } = input.found;
    const object = presentResource(served, version, record);
    if (!(object instanceof Promise)) return shapedFrame(type, object, form);
    return object.then((shown) => shapedFrame(type, shown, form));
  }
  const shown = shownBytes(input, record);
  const encode = (bytes: Buffer): Frame =>
    isObjectJson(form) ? jsonFrame(type, bytes) : shapedByThread(input, type, [bytes], form);
  return shown instanceof Promise ? shown.then(encode) : encode(shown);
}

/** Bytes as a client of the version sees them. */
function shownBytes({ found, tenant }: FrameInput, record: Presentable): Frame {
  const { served, version } = found;
  const isLarge = record.body.length >= limits.minSlicedBytes;
  if (!isLarge || isShownAsStored(served, version, record)) {
    return presentBytes(served, version, record);
  }
  return nextTurn(tenant).then(() => presentBytes(served, version, record));
}

/** The watch has begun, so its work waits for its turn and is not refused. */
async function shapedByThread(
  { work }: FrameInput,
  type: string,
  documents: readonly Buffer[],
  form: ItemForm,
): Promise<Buffer> {
  const parts = documents.flatMap((document, at) => (at === 0 ? [document] : [comma, document]));
  const items = Buffer.concat([openList, ...parts, closeList]);
  return (await work({ ...frameJob(type, items, form), isOwned: true, isContinued: true })).bytes;
}

const [openList, comma, closeList] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];

/** What leaves a selection is shown as it was when it was last selected. */
async function leaving(input: FrameInput, change: Change, form: ItemForm): Promise<Buffer> {
  const { key, revision } = change;
  const [before] = await input.store.history(key, { before: revision, limit: 1 });
  return await frameOf(input, "DELETED", { revision, body: (before ?? change).body }, form);
}

/** A page of records, which is bounded in bytes. */
async function addedFrames(
  input: FrameInput,
  records: readonly Presentable[],
  form: ItemForm,
): Promise<Buffer> {
  const isByThread = !isObjectJson(form) && isHeavy(form, recordBytes(records));
  const parts: Buffer[] = [];
  for (const record of records) {
    const part = isByThread ? shownBytes(input, record) : frameOf(input, "ADDED", record, form);
    parts.push(part instanceof Promise ? await part : part);
  }
  return isByThread ? await shapedByThread(input, "ADDED", parts, form) : Buffer.concat(parts);
}

function bookmark(
  { found }: FrameInput,
  revision: number,
  isInitialEnd: boolean,
  form: ItemForm,
): Buffer {
  const metadata = {
    resourceVersion: String(revision),
    ...(isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const object = {
    kind: found.served.kind.names.kind,
    apiVersion: found.version.apiVersion,
    metadata,
  };
  return shapedFrame("BOOKMARK", object, form);
}
