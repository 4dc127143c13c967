// Watch events as bytes. A change looks the same to everybody who watches it in the same form, so
// its frame is made once and kept for as long as the change itself is remembered.

import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import { presentBytes, presentResource } from "../../intents/read/present.ts";
import type { Presentable } from "../../intents/read/present.ts";
import type { WatchEvent } from "../../intents/watch/watch-hub.ts";
import type { Change, Store } from "../../store/port.ts";
import type { Form } from "./negotiate.ts";
import { encodeWatchFrame } from "./protobuf/envelope.ts";
import { partialObjectMetadata } from "./table/partial-metadata.ts";
import { tableFor } from "./table/table.ts";
import type { IncludeObject } from "./table/table.ts";

export interface FrameInput {
  readonly found: Found;
  readonly form: Form;
  readonly includeObject: IncludeObject;
  readonly nowMs: () => number;
  readonly store: Pick<Store, "history">;
}

export interface Frames {
  of(event: WatchEvent): Buffer | Promise<Buffer>;
  /** A resource that was there when the watch began. */
  added(record: Presentable): Buffer | Promise<Buffer>;
  bookmark(revision: number, isInitialEnd: boolean): Buffer;
  error(status: JsonObject): Buffer;
  /** Equal for equal frames; undefined when the frames of a watch are its own. */
  readonly formKey: string | undefined;
}

const remembered = new WeakMap<Change, Map<string, Buffer>>();

export function watchFrames(input: FrameInput): Frames {
  const { found, form } = input;
  const formKey =
    form.as === "table"
      ? undefined
      : [
          found.version.apiVersion,
          // The same kind is shown differently once its definition has changed.
          found.served.definition?.uid,
          found.served.cleanSince,
          form.as,
          form.metaVersion,
          form.encoding,
        ].join("|");
  const object = objectFrames(input);
  const of = (event: WatchEvent): Buffer | Promise<Buffer> => {
    if (event.isLeaving) return leaving(input, event, object);
    if (formKey === undefined) return object(event.type, event.change);
    const key = `${event.type}|${formKey}`;
    const known = remembered.get(event.change)?.get(key);
    if (known !== undefined) return known;
    const bytes = object(event.type, event.change);
    if (!(bytes instanceof Promise)) remember(event.change, key, bytes);
    return bytes;
  };
  return {
    of,
    added: (record) => object("ADDED", record),
    bookmark: (revision, isInitialEnd) =>
      encodeFrame(form, "BOOKMARK", bookmarkObject(input, revision, isInitialEnd)),
    error: (status) => encodeFrame(form, "ERROR", status),
    formKey,
  };
}

function remember(change: Change, key: string, bytes: Buffer): void {
  const frames = remembered.get(change) ?? new Map<string, Buffer>();
  frames.set(key, bytes);
  remembered.set(change, frames);
}

type ObjectFrame = (type: string, record: Presentable) => Buffer | Promise<Buffer>;

function objectFrames({ found, form, includeObject, nowMs }: FrameInput): ObjectFrame {
  const { served, version } = found;
  if (form.as === "object" && form.encoding === "json") {
    return (type, record) => {
      const bytes = presentBytes(served, version, record);
      return bytes instanceof Promise
        ? bytes.then((shown) => jsonFrame(type, shown))
        : jsonFrame(type, bytes);
    };
  }
  let isFirst = true;
  const shaped = (object: JsonObject): Json => {
    if (form.as === "metadata") return partialObjectMetadata(object, form.metaVersion);
    if (form.as === "object") return object;
    const table = tableFor(served.kind, version.definition, [object], {
      nowMs: nowMs(),
      includeObject,
      withoutColumns: !isFirst,
      version: form.metaVersion,
    });
    isFirst = false;
    return table;
  };
  return (type, record) => {
    const resource = presentResource(served, version, record);
    return resource instanceof Promise
      ? resource.then((shown) => encodeFrame(form, type, shaped(shown)))
      : encodeFrame(form, type, shaped(resource));
  };
}

/** What leaves a selection is shown as it was when it was last selected. */
async function leaving(
  { store }: FrameInput,
  { change }: WatchEvent,
  object: ObjectFrame,
): Promise<Buffer> {
  const [before] = await store.history(change.key, { before: change.revision, limit: 1 });
  return await object("DELETED", { revision: change.revision, body: (before ?? change).body });
}

function bookmarkObject(
  { found, form, includeObject, nowMs }: FrameInput,
  revision: number,
  isInitialEnd: boolean,
): JsonObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const bookmark = {
    kind: found.served.kind.names.kind,
    apiVersion: found.version.apiVersion,
    metadata,
  };
  if (form.as === "object") return bookmark;
  if (form.as === "metadata") return partialObjectMetadata(bookmark, form.metaVersion);
  return tableFor(found.served.kind, found.version.definition, [bookmark], {
    nowMs: nowMs(),
    includeObject,
    withoutColumns: true,
    version: form.metaVersion,
  });
}

const frameTail = Buffer.from("}\n");

function jsonFrame(type: string, object: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, frameTail]);
}

function encodeFrame(form: Form, type: string, object: Json): Buffer {
  if (form.encoding === "protobuf") {
    return Buffer.from(encodeWatchFrame(type, object as JsonObject));
  }
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}
