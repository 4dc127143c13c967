// Follows the objects of a collection: a list, and then a watch from its resourceVersion. A watch
// that ends is opened again where it ended; one that is too old starts with a new list. The
// listener always gets the whole list first, so that it can drop what was deleted meanwhile.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { KubeError, jsonOf, kubeError, withQuery } from "./kube-client.ts";
import type { KubeClient, Query } from "./kube-client.ts";
import { jsonLines } from "./json-lines.ts";

export interface KubeListener {
  /** Everything that exists. */
  listed(items: readonly JsonObject[]): void;
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: JsonObject): void;
}

export interface KubeWatchInput {
  readonly client: KubeClient;
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
export async function followKube(input: KubeWatchInput): Promise<void> {
  const { client, path, query, listener, signal } = input;
  const list = await client.list(path, query, signal);
  listener.listed(list.items);
  let from = list.resourceVersion;
  while (!signal.aborted) from = await watchOnce(input, from);
}

/** Resolves with the resourceVersion to go on from. */
async function watchOnce(
  { client, path, query, listener, signal }: KubeWatchInput,
  from: string,
): Promise<string> {
  const watch = {
    ...query,
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: from,
    timeoutSeconds: String(watchSeconds),
  };
  const prepared = await client.request("GET", withQuery(path, watch), signal);
  const stream = await client.http.stream({
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
