import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../kernel/limits.ts";
import { collectedPages, streamedPages } from "./page-memory.ts";

const page = limits.pageMemoryBytes;

function recorded(): {
  readonly steps: string[];
  readonly read: number[];
  readonly exchange: Held;
} {
  const steps: string[] = [];
  const read: number[] = [];
  return {
    steps,
    read,
    exchange: {
      reserve: (bytes) => void steps.push(`reserve ${bytes}`),
      hold: (bytes) => void steps.push(`hold ${bytes}`),
      pageTurn: () => undefined,
      pageRead: (bytes) => void read.push(bytes),
    },
  };
}

type Held = Parameters<typeof streamedPages>[0];

test("a streamed list holds one page at a time, and nothing while it waits for the next", () => {
  const { steps, exchange } = recorded();
  const memory = streamedPages(exchange);
  equal(memory.before(), undefined);
  memory.after(1_000);
  equal(memory.before(), undefined);
  memory.after(10);
  deepEqual(steps, [`reserve ${page}`, "hold 2000", "hold 0", `reserve ${page}`, "hold 20"]);
});

test("a list that is collected holds all pages that it has read", () => {
  const { steps, exchange } = recorded();
  const memory = collectedPages(exchange);
  equal(memory.before(), undefined);
  memory.after(1_000);
  equal(memory.before(), undefined);
  memory.after(1_000);
  deepEqual(steps, [`reserve ${page}`, "hold 2000", `reserve ${2_000 + page}`, "hold 4000"]);
});

test("a page is not read when there is no memory for it", () => {
  const refused = new Error("refused");
  const reserve = (): never => {
    throw refused;
  };
  throws(() => streamedPages({ ...recorded().exchange, reserve }).before(), refused);
});

test("pages of documents in another form take a multiple of the memory", () => {
  const { steps, exchange } = recorded();
  const memory = streamedPages(exchange, 2);
  equal(memory.before(), undefined);
  memory.after(1_000);
  deepEqual(steps, [`reserve ${2 * page}`, "hold 4000"]);
});

test("a page with a next one takes a turn of the event loop, although it may be empty", () => {
  for (const pages of [streamedPages, collectedPages]) {
    const { read, exchange } = recorded();
    const memory = pages(exchange);
    memory.after(0, true);
    memory.after(10, false);
    memory.after(10);
    deepEqual(read, [limits.maxPageBytes, 10, 10]);
  }
});
