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

export const watchFields: JsonObject = {
  watch: described({ type: "boolean" }, "true: the answer is a stream of events."),
  gt_version: described(
    { type: "integer" },
    "Only with watch: changes after this resource version. Absent: the present state first.",
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
  if (after !== undefined) await checkVersion(ports, request, after);
  const watch = new ResourceWatch(ports, request, watched, found);
  return { kind: "stream", items: watch.items(after) };
}

class ResourceWatch {
  readonly #ports: WatchPorts;
  readonly #request: FleetRequest;
  readonly #watched: WatchedResources;
  readonly #found: Found;
  /** The first change that was signalled and is not read; everything before it is. */
  #unread: number | undefined;
  #wake: () => void = () => undefined;

  constructor(ports: WatchPorts, request: FleetRequest, watched: WatchedResources, found: Found) {
    this.#ports = ports;
    this.#request = request;
    this.#watched = watched;
    this.#found = found;
  }

  async *items(after: number | undefined): AsyncGenerator<StreamItem> {
    const { signals, clock } = this.#ports;
    const { signal } = this.#request;
    const endMs = clock.nowMs() + fleetLimits.maxWatchMs;
    const { served } = this.#found;
    const stop = signals.follow(served.id, this.#watched.namespace, (revision) => {
      this.#unread ??= revision;
      this.#wake();
    });
    try {
      let position = after ?? (yield* this.#present());
      // What was changed before the subscription is read from the log.
      if (position < signals.position) this.#unread = position + 1;
      else yield bookmark(position);
      while (!signal.aborted && clock.nowMs() < endMs) {
        const unread = this.#unread;
        if (unread !== undefined) {
          this.#unread = undefined;
          position = yield* this.#changes(Math.max(position, unread - 1));
        } else if (!(await this.#signalled())) {
          if (this.#unread === undefined) position = Math.max(position, signals.position);
          yield bookmark(position);
        }
      }
    } finally {
      stop();
    }
  }

  /** The present state, as changes; returns its revision. */
  async *#present(): AsyncGenerator<StreamItem, number> {
    const { store } = this.#ports;
    const { pages } = this.#request;
    const { namespace } = this.#watched;
    const query = { kind: this.#found.served.id, limit: fleetLimits.listBatchItems };
    let from: Position | undefined;
    for (;;) {
      await pages.before();
      const page = await store.list({
        ...query,
        ...(namespace === undefined ? {} : { namespace }),
        ...(from === undefined ? {} : { from }),
      });
      pages.after(page.records.reduce((sum, { body }) => sum + body.length, 0));
      for (const record of page.records) {
        if (this.#isWatched(record.key)) yield* this.#event("CHANGE", record);
      }
      pages.drop();
      from = page.next;
      if (from === undefined) return page.revision;
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
      pages.after(page.changes.reduce((sum, { body }) => sum + body.length, 0));
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
  async #signalled(): Promise<boolean> {
    const { timers } = this.#ports;
    const { signal } = this.#request;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const stop = (): void => resolve(false);
    const cancel = timers.after(limits.streamBookmarkMs, stop);
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

function eventType({ type }: Change): string {
  return type === "deleted" ? "DELETED" : "CHANGE";
}

function bookmark(revision: number): StreamItem {
  const type = "BOOKMARK";
  return { revision, type, item: { type, resource_version: String(revision) } };
}

async function checkVersion(
  ports: FleetRoutePorts,
  { signal }: FleetRequest,
  after: number,
): Promise<void> {
  const { revision, compacted } = await ports.store.head();
  if (after < compacted) {
    const message = `gt_version: the changes after ${after} are not kept any more`;
    throw new SetpointError("history.gone", message, {
      suggestion: "watch without gt_version, which begins with the present state",
    });
  }
  if (after <= revision || (await isReached(ports, after, signal))) return;
  const message = `gt_version: ${after} has not been reached; the newest is ${revision}`;
  throw new SetpointError("revision.future", message);
}

/** Another server may be ahead of this one for a short time. */
async function isReached(
  { store, timers }: FleetRoutePorts,
  revision: number,
  signal: AbortSignal,
): Promise<boolean> {
  const stop = new AbortController();
  const cancel = timers.after(limits.futureRevisionWaitMs, () => stop.abort());
  const either = AbortSignal.any([stop.signal, signal]);
  try {
    let head = 0;
    while (head < revision) head = await store.advancedBeyond(head, either);
    return true;
  } catch (error) {
    if (either.aborted) return false;
    throw error;
  } finally {
    cancel();
  }
}
