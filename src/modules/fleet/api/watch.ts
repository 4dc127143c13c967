// A watch of instances: a stream of their changes that resumes by resource version. It begins with
// the present state, or after `gt_version`. A bookmark has the position of the stream, so that a
// client can resume without reading the same part of the log again. Access is checked again with
// each batch of events, and a watch ends after a time, so that the token is checked again, too.

import type { StreamAnswer, StreamItem } from "../../../contract/route.ts";
import type { Found } from "../../../intents/kinds/registry.ts";
import { presentResource } from "../../../intents/read/present.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Change, Position, StoredRecord } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import type { CustomerPorts, FleetRequest, FleetRoutePorts } from "./fleet-route.ts";
import { instanceKind } from "./instance-lookup.ts";
import { resourceVersion } from "./list-route.ts";
import { described } from "./schemas.ts";
import { NamespaceLife } from "./namespace-life.ts";
import { checkWatchVersion } from "./watch-version.ts";

export const watchFields: JsonObject = {
  watch: described({ type: "boolean" }, "true: the answer is a stream of events."),
  gt_version: described(
    { type: "integer" },
    "Only with watch: changes after this resource version. Absent: the present state first.",
  ),
  timeout_seconds: described(
    { type: "integer" },
    `Only with watch: seconds until it ends. Default, and most: ${fleetLimits.maxWatchMs / 1_000}.`,
  ),
};

export interface WatchedResources {
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined for all resources of the namespace. */
  readonly name?: string;
  /** Undefined for a resource that the caller does not see. */
  readonly present: (resource: Resource) => JsonObject | undefined;
  /** Throws when the caller may not see the instances any more. */
  readonly check: () => void;
}

export async function watchInstances(
  ports: CustomerPorts,
  request: FleetRequest,
  watched: WatchedResources,
): Promise<StreamAnswer> {
  return await watchKind(ports, request, watched, instanceKind(ports, request.offering));
}

export type WatchPorts = FleetRoutePorts & Pick<CustomerPorts, "signals">;

export async function watchKind(
  ports: WatchPorts,
  request: FleetRequest,
  watched: WatchedResources,
  found: Found,
): Promise<StreamAnswer> {
  const after = resourceVersion(request.query.get("gt_version"), "gt_version");
  const spanMs = watchSpanMs(request.query.get("timeout_seconds"));
  if (after !== undefined) await checkWatchVersion(ports, request, after);
  const watch = new ResourceWatch(ports, request, watched, found);
  if (after !== undefined) await watch.checkLife(after);
  return { kind: "stream", items: watch.items(after, spanMs) };
}

/**
 * A client that wants to read everything again lets the stream end by itself: its connection can be
 * used again then, and needs no other handshake.
 */
function watchSpanMs(text: string | undefined): number {
  const { maxWatchMs } = fleetLimits;
  if (text === undefined || text === "") return maxWatchMs;
  if (/^[1-9]\d{0,8}$/.test(text)) return Math.min(Number(text) * 1_000, maxWatchMs);
  const message = "timeout_seconds: must be a whole number of seconds, at least 1";
  throw new SetpointError("fleet.field", message, { details: { field: "query.timeout_seconds" } });
}

class ResourceWatch {
  readonly #ports: WatchPorts;
  readonly #request: FleetRequest;
  readonly #watched: WatchedResources;
  readonly #found: Found;
  /** Undefined for all namespaces. */
  readonly #life: NamespaceLife | undefined;
  /** The first change that was signalled and is not read; everything before it is. */
  #unread: number | undefined;
  #wake: () => void = () => undefined;

  constructor(ports: WatchPorts, request: FleetRequest, watched: WatchedResources, found: Found) {
    this.#ports = ports;
    this.#request = request;
    this.#watched = watched;
    this.#found = found;
    const { namespace } = watched;
    this.#life = namespace === undefined ? undefined : new NamespaceLife(ports, namespace);
  }

  /** Throws history.gone when the changes since then are not all of this life of the namespace. */
  async checkLife(since: number): Promise<void> {
    await this.#life?.checkSince(since);
  }

  async *items(after: number | undefined, spanMs: number): AsyncGenerator<StreamItem> {
    const { signals, clock } = this.#ports;
    const { signal } = this.#request;
    const endMs = clock.nowMs() + spanMs;
    const { served } = this.#found;
    const stop = signals.follow(served.id, this.#watched.namespace, (revision) => {
      this.#unread ??= revision;
      this.#wake();
    });
    try {
      let position = after ?? (yield* this.#present());
      // What was changed before the subscription is read from the log.
      if (position < signals.position) this.#unread = position + 1;
      // The first bookmark follows at once, so that the answer begins when nothing has changed.
      let isBegun = false;
      while (!signal.aborted && clock.nowMs() < endMs) {
        const unread = this.#unread;
        if (unread !== undefined) {
          this.#unread = undefined;
          position = yield* this.#changes(Math.max(position, unread - 1));
        } else if (!isBegun || !(await this.#signalled(endMs - clock.nowMs()))) {
          isBegun = true;
          await this.#life?.check(position, position);
          if (this.#unread === undefined) position = Math.max(position, signals.position);
          yield bookmark(position);
        }
      }
    } finally {
      stop();
    }
  }

  /**
   * The present state, as changes in the order of their revisions, so that a client can resume
   * after any of them. A resource that has changed since is left out, because the log shows the
   * change. Returns the revision of the state.
   */
  async *#present(): AsyncGenerator<StreamItem, number> {
    const { store } = this.#ports;
    const { pages, signal } = this.#request;
    const { found, revision } = await this.#snapshot();
    await this.#life?.check(revision, revision);
    for (let from = 0; from < found.length; from += fleetLimits.listBatchItems) {
      signal.throwIfAborted();
      const batch = found.slice(from, from + fleetLimits.listBatchItems);
      await pages.before();
      const records = await store.getMany(batch.map(({ key }) => key));
      pages.after(records.reduce((sum, record) => sum + (record?.body.length ?? 0), 0));
      for (const [at, record] of records.entries()) {
        if (record?.revision === batch[at]?.revision && record !== undefined) {
          yield* this.#event("CHANGE", record);
        }
      }
      pages.drop();
    }
    return revision;
  }

  /** The watched resources of one snapshot, without their documents, by revision. */
  async #snapshot(): Promise<Snapshot> {
    const { store } = this.#ports;
    const { pages } = this.#request;
    const { namespace } = this.#watched;
    const place = namespace === undefined ? {} : { namespace };
    const query = { kind: this.#found.served.id, limit: fleetLimits.listBatchItems, ...place };
    const found: Listed[] = [];
    let from: Position | undefined;
    for (;;) {
      await pages.before();
      const page = await store.list(from === undefined ? query : { ...query, from });
      pages.after(
        page.records.reduce((sum, { body }) => sum + body.length, 0),
        page.next !== undefined,
      );
      for (const { key, revision } of page.records) {
        if (this.#isWatched(key)) found.push({ key, revision });
      }
      pages.drop();
      from = page.next;
      if (from !== undefined) continue;
      found.sort((one, other) => one.revision - other.revision);
      return { found, revision: page.revision };
    }
  }

  /** The changes after a revision; returns how far the log was read. */
  async *#changes(after: number): AsyncGenerator<StreamItem, number> {
    const { store, signals } = this.#ports;
    const { pages, signal } = this.#request;
    const kinds = [this.#found.served.id];
    let position = after;
    for (;;) {
      this.#watched.check();
      await pages.before();
      const page = await store.changes(position, limits.streamPageItems, { kinds });
      pages.after(
        page.changes.reduce((sum, { body }) => sum + body.length, 0),
        page.through < page.revision,
      );
      await this.#life?.check(position, page.through);
      for (const change of page.changes) {
        if (this.#isWatched(change.key)) yield* this.#event(eventType(change), change);
      }
      pages.drop();
      position = Math.max(position, page.through);
      if (signal.aborted || position >= Math.min(page.revision, signals.position)) return position;
    }
  }

  #isWatched({ namespace, name }: ResourceKey): boolean {
    const { namespace: wanted, name: wantedName } = this.#watched;
    if (wanted !== undefined && namespace !== wanted) return false;
    return wantedName === undefined || name === wantedName;
  }

  async *#event(type: string, record: StoredRecord | Change): AsyncGenerator<StreamItem> {
    const { served, version } = this.#found;
    const { revision } = record;
    const resource = await presentResource(served, version, record);
    const object = this.#watched.present(resource);
    if (object === undefined) return;
    yield { revision, type, item: { type, resource_version: String(revision), object } };
  }

  /** Waits for a change; false when it is time for a bookmark, or the watch ends. */
  async #signalled(leftMs: number): Promise<boolean> {
    const { timers } = this.#ports;
    const { signal } = this.#request;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const stop = (): void => resolve(false);
    const cancel = timers.after(Math.min(limits.streamBookmarkMs, leftMs), stop);
    this.#wake = () => resolve(true);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await promise;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
      this.#wake = () => undefined;
    }
  }
}

type Listed = Pick<StoredRecord, "key" | "revision">;

interface Snapshot {
  readonly found: readonly Listed[];
  readonly revision: number;
}

function eventType({ type }: Change): string {
  return type === "deleted" ? "DELETED" : "CHANGE";
}

function bookmark(revision: number): StreamItem {
  const type = "BOOKMARK";
  return { revision, type, item: { type, resource_version: String(revision) } };
}
