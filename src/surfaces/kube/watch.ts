// One watch: perhaps the present state first, then every change after it, exactly once and in
// order, until the time is up, the client leaves, or it reads too slowly to be kept. The changes
// come from the log until the client has those that the hub has delivered, and then from the hub.
// Memory is bounded by what may wait for one client.

import { isSetpointError } from "../../kernel/errors.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { onAbort } from "../../kernel/on-abort.ts";
import type { Random } from "../../kernel/random.ts";
import type { Timers } from "../../kernel/timers.ts";
import { expired } from "../../intents/refusals.ts";
import { changeSelector } from "../../intents/watch/selection.ts";
import type { Selection } from "../../intents/watch/selection.ts";
import type {
  Membership,
  WatchEvent,
  WatchGroup,
  WatchHub,
} from "../../intents/watch/watch-hub.ts";
import type { Store } from "../../store/port.ts";
import type { Exchange } from "../http/exchange.ts";
import type { BodyStream } from "../http/outflow.ts";
import { readPages, recordBytes } from "./list.ts";
import type { IsMissing } from "./list.ts";
import { contentType } from "./negotiate.ts";
import type { Form } from "./negotiate.ts";
import { streamedPages } from "../http/page-memory.ts";
import { kubeError } from "./status.ts";
import type { Frames } from "./watch-frames.ts";

export interface WatchInput {
  readonly exchange: Exchange;
  /** Whose turns the delivery uses. */
  readonly tenant: string;
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
/** Small frames of one batch are sent together. */
const maxJoinedBytes = 64 * 1_024;

export async function serveWatch(input: WatchInput): Promise<void> {
  const { exchange, form, stopping } = input;
  const stream = exchange.begin(200, {
    "content-type": contentType({ ...form, isStream: true }),
    "cache-control": "no-cache, private",
  });
  // The head goes out at once: clients wait for it before they believe the watch stands.
  stream.flush();
  const watch = new Watch(input, stream);
  const cancel = onAbort(stopping, () => watch.close());
  exchange.onClose(() => {
    cancel();
    watch.close();
  });
  await watch.run();
  await watch.ended;
}

/** Has a life cycle, hence a class: reading the log, following the hub, closed. */
class Watch {
  readonly #input: WatchInput;
  readonly #stream: BodyStream;
  readonly #group: WatchGroup;
  readonly #cancels = new Set<() => void>();
  readonly #ended = Promise.withResolvers<void>();
  /** Only for a wait: most watches have none. */
  #closing: AbortController | undefined;
  #membership: Membership | undefined;
  #isClosed = false;
  #hasBegun = false;
  /** The revision up to which everything was sent, while the log is read. */
  #through: number | undefined;

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
    const { after } = this.#input;
    this.#startTimers();
    try {
      const start = after ?? (await this.#sendPresent());
      await this.#untilReached(start);
      if (!this.#isClosed) await this.#follow(start);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The client has everything up to the position of the hub, which delivers the rest. */
  #join(): void {
    const { hub, isAuthorized } = this.#input;
    this.#membership = hub.join(this.#group, {
      deliver: (frames) => this.#deliver(frames),
      fail: (error) => this.#fail(error),
      end: () => this.close(),
      drop: () => this.#cutOff(),
    });
    // From here on the hub ends the watch with its namespace.
    if (!isAuthorized()) this.close();
  }

  /** Waits until the hub is at the revision: a snapshot, or another process, may be ahead of it. */
  async #untilReached(revision: number): Promise<void> {
    const { hub, store } = this.#input;
    if (hub.position >= revision) return;
    this.#closing = new AbortController();
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
    this.#closing?.abort();
    this.#membership?.leave();
    for (const cancel of this.#cancels) cancel();
    this.#stream.end(limits.watchCloseMs);
    this.#ended.resolve();
  }

  /** The state of one snapshot as additions; returns its revision. */
  async #sendPresent(): Promise<number> {
    const { exchange, store, selection, frames, marksInitialEnd } = this.#input;
    let revision = 0;
    const plan = { at: undefined, from: undefined };
    const options = { pageItems: limits.defaultPageItems, countRemaining: false };
    const memory = streamedPages(exchange, frames.memoryFactor);
    for await (const page of readPages(store, selection, plan, { ...options, memory })) {
      revision = page.revision;
      await this.#writeAll([await frames.added(page.records)]);
      if (this.#isClosed) return revision;
    }
    exchange.hold(0);
    if (marksInitialEnd) await this.#writeAll([frames.bookmark(revision, true)]);
    return revision;
  }

  /**
   * Sends what the log has after the revision, up to the position of the hub, and joins the hub
   * there. A client that is slower than the changes keeps reading the log: nothing waits for it.
   */
  async #follow(after: number): Promise<void> {
    const { exchange, store, selection, hub, isMissing } = this.#input;
    const memory = streamedPages(exchange);
    let at = after;
    while (at < hub.position && !this.#isClosed) {
      this.#through = at;
      await memory.before();
      const page = await store.changes(at, limits.eventPageItems, { kinds: [selection.kind] });
      memory.after(recordBytes(page.changes), page.through < hub.position);
      // The hub delivers batches whole, so nothing is sent of one that it has not received.
      const through = Math.min(page.through, hub.position);
      const changes = page.changes.filter(({ revision }) => revision <= through);
      const events = changes.flatMap((change) => this.#group.select(change) ?? []);
      if (events.some(({ change }) => isMissing(change))) throw tooOldWatch(after);
      const isTaken = this.#write(await this.#framesOf(events));
      at = through;
      // After the last page nothing is waited for: the hub would receive more meanwhile.
      if (at < hub.position && !isTaken) await this.#stream.drained();
    }
    exchange.hold(0);
    // In the same step as the last look at the position.
    if (!this.#isClosed) this.#join();
  }

  async #framesOf(events: readonly WatchEvent[]): Promise<readonly Buffer[]> {
    const frames: Buffer[] = [];
    for (const event of events) {
      const frame = this.#group.frame(event);
      frames.push(frame instanceof Promise ? await frame : frame);
    }
    return frames;
  }

  #deliver(frames: readonly Buffer[]): void {
    if (this.#isClosed) return;
    // What waited before counts, as one batch may be large for a client that keeps up.
    if (this.#stream.pendingBytes > limits.maxWatchBacklogBytes) this.#cutOff();
    else this.#write(frames);
  }

  async #writeAll(frames: readonly Buffer[]): Promise<void> {
    if (!this.#isClosed && !this.#write(frames)) await this.#stream.drained();
  }

  /** False: the client does not keep up. Frames are shared with other watches. */
  #write(frames: readonly Buffer[]): boolean {
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    if (bytes === 0) return true;
    const isJoined = frames.length > 1 && bytes <= maxJoinedBytes;
    let isTaken = true;
    for (const frame of isJoined ? [Buffer.concat(frames)] : frames) {
      const parts = this.#hasBegun ? [frame] : this.#input.frames.first(frame);
      this.#hasBegun = true;
      for (const part of parts) {
        // The first part of several is made for this watch alone.
        const isOwn = isJoined || part !== parts.at(-1);
        isTaken = this.#stream.write(part, isOwn ? undefined : frame);
      }
    }
    return isTaken;
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
    const through = this.#membership?.through() ?? this.#through;
    if (this.#isClosed || through === undefined) return;
    this.#stream.write(this.#input.frames.bookmark(through, false));
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

function groupOf({ selection, frames, tenant }: WatchInput): WatchGroup {
  // Everything that decides what is selected, or how it is shown, is part of the key.
  const parts = [frames.formKey, selection];
  return {
    key: JSON.stringify(parts, (_, value: unknown) => value ?? null),
    tenant,
    kind: selection.kind,
    namespace: selection.namespace,
    select: changeSelector(selection),
    frame: (event) => frames.of(event),
  };
}
