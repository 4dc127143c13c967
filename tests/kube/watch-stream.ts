// The client's end of a watch: frames as they come, one JSON object per line, and how it ended.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { parseExact } from "../../src/kernel/int64.ts";

export interface WatchFrame {
  readonly type: string;
  readonly object: unknown;
}

export interface WatchStream extends Disposable {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next frame; undefined when the stream has ended. */
  next(withinMs?: number): Promise<WatchFrame | undefined>;
  /** The next frames; fails when fewer come. */
  take(count: number, withinMs?: number): Promise<readonly WatchFrame[]>;
  /** Everything until the server ends the stream. */
  rest(withinMs?: number): Promise<readonly WatchFrame[]>;
  /** Everything that comes within a time that is long enough for what should not come. */
  during(ms: number): Promise<readonly WatchFrame[]>;
  /** How the server ended it: cleanly, or by breaking the connection off. */
  readonly end: Promise<"ended" | "broken">;
  close(): void;
}

const patienceMs = 120_000;

export function openWatch(response: IncomingMessage): WatchStream {
  const frames: WatchFrame[] = [];
  let unread = "";
  let isOver = false;
  let wake: () => void = () => {};
  const ended = Promise.withResolvers<"ended" | "broken">();
  const finish = (how: "ended" | "broken"): void => {
    isOver = true;
    ended.resolve(how);
    wake();
  };
  response.setEncoding("utf8");
  response.on("data", (text: string) => {
    // A refusal is no stream of frames.
    if (response.statusCode !== 200) return;
    const lines = `${unread}${text}`.split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) if (line !== "") frames.push(parseExact(line) as WatchFrame);
    wake();
  });
  response.once("end", () => finish("ended"));
  response.once("error", () => finish("broken"));
  response.once("close", () => finish("broken"));

  // Events change it while `next` waits, which only a function shows to the linter.
  const hasEnded = (): boolean => isOver;
  const next = async (withinMs = patienceMs): Promise<WatchFrame | undefined> => {
    const late = AbortSignal.timeout(withinMs);
    while (frames.length === 0 && !hasEnded()) {
      late.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      late.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    return frames.shift();
  };
  const close = (): void => {
    response.destroy();
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    take: async (count, withinMs) => {
      const taken: WatchFrame[] = [];
      while (taken.length < count) {
        const frame = await next(withinMs);
        if (frame === undefined) throw new Error(`the watch ended after ${taken.length} frames`);
        taken.push(frame);
      }
      return taken;
    },
    rest: async (withinMs) => {
      const taken: WatchFrame[] = [];
      for (;;) {
        const frame = await next(withinMs);
        if (frame === undefined) return taken;
        taken.push(frame);
      }
    },
    during: async (ms) => {
      await delay(ms);
      return frames.splice(0);
    },
    end: ended.promise,
    close,
    [Symbol.dispose]: close,
  };
}
