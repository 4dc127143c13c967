// The body of an answer between the connection, which delivers when it likes, and its reader, which
// takes one piece at a time. The connection is paused while more is waiting than the limit.

import type { HttpFailure, HttpStreamError } from "./port.ts";

export interface BodyQueue extends AsyncIterable<Buffer> {
  push(chunk: Buffer): void;
  end(): void;
  fail(failure: HttpFailure): void;
}

export interface BodyFlow {
  readonly maxUnreadBytes: number;
  readonly pause: () => void;
  readonly resume: () => void;
  /** The reader left before the end. */
  readonly left: () => void;
}

/** The implementation of the error that port.ts describes. */
export class StreamError extends Error implements HttpStreamError {
  readonly failure: HttpFailure;

  constructor(failure: HttpFailure) {
    super(failure.message, { cause: failure.cause });
    this.name = "HttpStreamError";
    this.failure = failure;
  }
}

export function bodyQueue({ maxUnreadBytes, pause, resume, left }: BodyFlow): BodyQueue {
  const chunks: Buffer[] = [];
  let unread = 0;
  let isPaused = false;
  let end: "open" | "complete" | HttpFailure = "open";
  let wake = (): void => undefined;
  async function* read(): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) {
          unread -= chunk.length;
          if (isPaused && unread <= maxUnreadBytes / 2) {
            isPaused = false;
            resume();
          }
          yield chunk;
          continue;
        }
        if (end === "complete") return;
        if (end !== "open") throw new StreamError(end);
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    } finally {
      if (end === "open") left();
    }
  }
  const reading = read();
  return {
    push: (chunk) => {
      chunks.push(chunk);
      unread += chunk.length;
      if (unread > maxUnreadBytes && !isPaused) {
        isPaused = true;
        pause();
      }
      wake();
    },
    end: () => {
      end = "complete";
      wake();
    },
    fail: (failure) => {
      if (end === "open") end = failure;
      wake();
    },
    [Symbol.asyncIterator]: () => reading,
  };
}
