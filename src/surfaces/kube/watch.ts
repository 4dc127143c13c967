// One watch: perhaps the present state first, then every change after it, exactly once and in
// order, until the time is up, the client leaves, or it reads too slowly to be kept. Memory is
// bounded by what may wait for one client.

import { isSetpointError } from "../../kernel/errors.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { Random } from "../../kernel/random.ts";
import type { Timers } from "../../kernel/timers.ts";
import { expired } from "../../intents/refusals.ts";
import { changeSelector } from "../../intents/watch/selection.ts";
import type { Selection } from "../../intents/watch/selection.ts";
import type { WatchEvent, WatchGroup, WatchHub } from "../../intents/watch/watch-hub.ts";
import type { Store } from "../../store/port.ts";
import type { Exchange } from "../http/exchange.ts";
import type { BodyStream } from "../http/outflow.ts";
import { readPages } from "./list.ts";
import type { IsMissing } from "./list.ts";
import { contentType } from "./negotiate.ts";
import type { Form } from "./negotiate.ts";
import { streamedPages } from "../http/page-memory.ts";
import { kubeError } from "./status.ts";
import type { Frames } from "./watch-frames.ts";

export interface WatchInput {
  readonly exchange: Exchange;
  readonly store: Store;
  readonly hub: WatchHub;
  readonly timers: Timers;
  readonly random: Random;
  readonly selection: Selection;
  readonly frames: Frames;
  readonly form: Form;
  /** Undefined: begin with the present state. */
  readonly after: number | undefined;
  readonly sendsBookmarks: boolean;
  /** Ends the initial state with a bookmark that says so. */
  readonly marksInitialEnd: boolean;
  readonly timeoutSeconds: number | undefined;
  /** Whether a change of the past lacks what it would have to show. */
  readonly isMissing: IsMissing;
  /** False once the namespace that the caller was authorized for is deleted. */
  readonly isAuthorized: () => boolean;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

const bookmarkMs = 60_000;
const lastBookmarkMs = 2_000;
const minTimeoutMs = 1_800_000;

export async function serveWatch(input: WatchInput): Promise<void> {
  const { exchange, form, stopping } = input;
  const stream = exchange.begin(200, {
    "content-type": contentType({ ...form, isStream: true }),
    "cache-control": "no-cache, private",
  });
  // The head goes out at once: clients wait for it before they believe the watch stands.
  stream.flush();
  const watch = new Watch(input, stream);
  const stop = (): void => watch.close();
  stopping.addEventListener("abort", stop, { once: true });
  exchange.onClose(() => {
    stopping.removeEventListener("abort", stop);
    watch.close();
  });
  await watch.run();
  await watch.ended;
}

/** Has a life cycle, hence a class: catching up, live, closed. */
class Watch {
  readonly #input: WatchInput;
  readonly #stream: BodyStream;
  readonly #group: WatchGroup;
  readonly #cancels = new Set<() => void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  #leave: () => void = () => {};
  #isClosed = false;
  /** Batches that came while the past was still being read. */
  #held: { readonly bytes: Buffer; readonly through: number }[] | undefined = [];
  #heldBytes = 0;
  #through = 0;

  constructor(input: WatchInput, stream: BodyStream) {
    this.#input = input;
    this.#stream = stream;
    this.#group = groupOf(input);
  }

  /** Resolves once the watch is closed, from whichever side. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async run(): Promise<void> {
    if (this.#isClosed) return;
    const { hub, after } = this.#input;
    this.#startTimers();
    try {
      const start = after ?? (await this.#sendPresent());
      await this.#untilReached(start);
      if (this.#isClosed) return;
      const joined = hub.join(this.#group, {
        deliver: (bytes, through) => this.#deliver(bytes, through),
        fail: (error) => this.#fail(error),
        end: () => this.close(),
      });
      this.#leave = () => joined.leave();
      // From here on the hub ends the watch with its namespace.
      if (!this.#input.isAuthorized()) {
        this.close();
        return;
      }
      await this.#catchUp(start, joined.position);
      this.#goLive(joined.position);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Batches are told whole, so the group must not be joined before what the client knows already:
   * a snapshot may be newer than the last batch, and a revision may come from another process.
   */
  async #untilReached(revision: number): Promise<void> {
    const { hub, store } = this.#input;
    if (hub.position >= revision) return;
    try {
      await store.advancedBeyond(revision - 1, this.#closing.signal);
    } catch (error) {
      if (this.#isClosed) return;
      throw error;
    }
    await hub.reached(revision);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closing.abort();
    this.#leave();
    for (const cancel of this.#cancels) cancel();
    this.#held = undefined;
    this.#stream.end(limits.watchCloseMs);
    this.#ended.resolve();
  }

  /** The state of one snapshot as additions; returns its revision. */
  async #sendPresent(): Promise<number> {
    const { exchange, store, selection, frames, marksInitialEnd } = this.#input;
    let revision = 0;
    const plan = { at: undefined, from: undefined };
    const options = { pageItems: limits.defaultPageItems, countRemaining: false };
    const memory = streamedPages(exchange);
    for await (const page of readPages(store, selection, plan, { ...options, memory })) {
      revision = page.revision;
      const parts: Buffer[] = [];
      for (const record of page.records) {
        const frame = frames.added(record);
        parts.push(frame instanceof Promise ? await frame : frame);
      }
      await this.#writeAll(Buffer.concat(parts));
      if (this.#isClosed) return revision;
    }
    exchange.hold(0);
    if (marksInitialEnd) await this.#writeAll(frames.bookmark(revision, true));
    return revision;
  }

  /** Reads the log from `after` to where the group was when this watch joined it. */
  async #catchUp(after: number, position: number): Promise<void> {
    const { exchange, store, selection, isMissing } = this.#input;
    const memory = streamedPages(exchange);
    let at = after;
    while (at < position && !this.#isClosed) {
      await memory.before();
      const page = await store.changes(at, limits.eventPageItems, { kinds: [selection.kind] });
      const changes = page.changes.filter(({ revision }) => revision <= position);
      const events = changes.flatMap((change) => this.#group.select(change) ?? []);
      if (events.some(({ change }) => isMissing(change))) throw tooOldWatch(after);
      if (events.length > 0) {
        const bytes = this.#group.encode(events);
        await this.#writeAll(bytes instanceof Promise ? await bytes : bytes);
      }
      at = page.through;
      exchange.hold(0);
    }
  }

  #goLive(from: number): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#through = from;
    for (const { bytes, through } of held) this.#send(bytes, through);
  }

  #deliver(bytes: Buffer, through: number): void {
    if (this.#isClosed) return;
    if (this.#held === undefined) {
      this.#send(bytes, through);
      return;
    }
    if (this.#heldBytes > limits.maxWatchBacklogBytes) {
      this.#cutOff();
      return;
    }
    // Of batches that do not concern the watch only the newest matters.
    if (bytes.length === 0 && this.#held.at(-1)?.bytes.length === 0) this.#held.pop();
    this.#held.push({ bytes, through });
    this.#heldBytes += bytes.length;
  }

  #send(bytes: Buffer, through: number): void {
    this.#through = through;
    if (bytes.length === 0) return;
    // What waited before counts, as one batch may be large for a client that keeps up.
    if (this.#stream.pendingBytes > limits.maxWatchBacklogBytes) this.#cutOff();
    else this.#stream.write(bytes, bytes);
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || this.#isClosed) return;
    if (!this.#stream.write(bytes)) await this.#stream.drained();
  }

  #startTimers(): void {
    const { timers, random, timeoutSeconds, sendsBookmarks } = this.#input;
    const chosenMs = minTimeoutMs * (1 + random.next());
    const timeoutMs = timeoutSeconds ? Math.max(timeoutSeconds, 0) * 1_000 : chosenMs;
    this.#cancels.add(timers.after(timeoutMs, () => this.close()));
    if (!sendsBookmarks) return;
    const again = (): void => {
      this.#bookmark();
      this.#cancels.add(timers.after(bookmarkMs, again));
    };
    this.#cancels.add(timers.after(bookmarkMs * (0.75 + random.next() / 4), again));
    const lastMs = timeoutMs - lastBookmarkMs;
    if (lastMs > 0) this.#cancels.add(timers.after(lastMs, () => this.#bookmark()));
  }

  #bookmark(): void {
    if (this.#isClosed || this.#held !== undefined) return;
    this.#stream.write(this.#input.frames.bookmark(this.#through, false));
  }

  /** The client must list again or resume from what it has seen: it cannot be served further. */
  #cutOff(): void {
    this.#stream.abort();
    this.close();
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const shown = isSetpointError(error, "history.gone") ? tooOld(this.#input, error) : error;
    this.#stream.write(this.#input.frames.error(kubeError(shown).status));
    this.close();
  }
}

function tooOld({ after }: WatchInput, error: { readonly details: object }): unknown {
  const { compacted } = error.details as { readonly compacted?: unknown };
  return tooOldWatch(after ?? 0, typeof compacted === "number" ? compacted : undefined);
}

export function tooOldWatch(after: number, oldest?: number): SetpointError {
  const bound = oldest === undefined ? "" : ` (${oldest})`;
  return expired(`too old resource version: ${after}${bound}`);
}

let privateGroups = 0;

function groupOf({ selection, frames }: WatchInput): WatchGroup {
  const { formKey } = frames;
  privateGroups += formKey === undefined ? 1 : 0;
  // Everything that decides what is selected, or how it is shown, is part of the key.
  const parts = [formKey ?? privateGroups, selection];
  return {
    key: JSON.stringify(parts, (_, value: unknown) => value ?? null),
    kind: selection.kind,
    namespace: selection.namespace,
    select: changeSelector(selection),
    encode: (events) => joinFrames(frames, events),
  };
}

function joinFrames(frames: Frames, events: readonly WatchEvent[]): Buffer | Promise<Buffer> {
  const parts = events.map((event) => frames.of(event));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  if (parts.every((part) => Buffer.isBuffer(part))) return Buffer.concat(parts);
  return Promise.all(parts.map((part) => Promise.resolve(part))).then((all) => Buffer.concat(all));
}
