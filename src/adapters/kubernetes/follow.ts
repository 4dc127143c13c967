// Follows the objects of a collection: a list, and then a watch from its resourceVersion. A watch
// that ends is opened again where it ended; one that is too old starts with a new list. The
// listener always gets the whole list first, so that it can drop what was deleted meanwhile.

import { jsonLines, jsonOf } from "../../kernel/json-lines.ts";
import { numberAt, objectAt, textAt } from "../../kernel/json-read.ts";
import { kubeError, withQuery } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { KubeError } from "./port.ts";
import type { KubeClient, KubeListener, Query } from "./port.ts";

export interface FollowInput {
  readonly connection: KubeConnection;
  readonly list: KubeClient["list"];
  /** Of the collection. */
  readonly path: string;
  readonly query: Query;
  readonly listener: KubeListener;
  readonly signal: AbortSignal;
}

/** A server ends each watch after about this time; bookmarks arrive more often. */
const watchSeconds = 300;
const maxLineChars = 8 * 1_048_576;

/** Follows until a call fails, which is thrown, or the signal aborts. */
export async function followCollection(input: FollowInput): Promise<void> {
  const { list, path, query, listener, signal } = input;
  const listed = await list(path, query, signal);
  listener.listed(listed.items);
  let from = listed.resourceVersion;
  while (!signal.aborted) from = await watchOnce(input, from);
}

/** Resolves with the resourceVersion to go on from. */
async function watchOnce(
  { connection, path, query, listener, signal }: FollowInput,
  from: string,
): Promise<string> {
  const watch = {
    ...query,
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: from,
    timeoutSeconds: String(watchSeconds),
  };
  const prepared = await connection.request("GET", withQuery(path, watch), signal);
  const stream = await connection.http.stream({
    ...prepared,
    timeouts: { connectMs: 10_000, headersMs: 30_000, bodyMs: (watchSeconds + 60) * 1_000 },
    maxBytes: Number.MAX_SAFE_INTEGER,
  });
  if (stream.kind === "failure") {
    signal.throwIfAborted();
    throw new KubeError(0, stream.reason, `watch of ${path}: ${stream.message}`);
  }
  using opened = stream;
  if (opened.status !== 200) throw await refusedWatch(path, opened.status, opened.body);
  let position = from;
  for await (const event of jsonLines(opened.body, maxLineChars)) {
    const type = textAt(event, "type");
    const object = objectAt(event, "object");
    if (type === "ERROR") {
      throw kubeError(`watch of ${path}`, numberAt(object, "code") ?? 500, object);
    }
    position = textAt(object, "metadata", "resourceVersion") || position;
    if (type === "ADDED" || type === "MODIFIED" || type === "DELETED") {
      listener.changed(type, object);
    }
  }
  return position;
}

async function refusedWatch(
  path: string,
  status: number,
  body: AsyncIterable<Buffer>,
): Promise<KubeError> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    if (chunks.length > 16) break;
  }
  return kubeError(`watch of ${path}`, status, jsonOf(Buffer.concat(chunks)));
}
