// Which frames are made at once, which take a turn of the event loop or a thread, and who shares
// them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { servedKind } from "../../intents/kinds/served-kind.ts";
import { FrameCache } from "../../intents/watch/frame-cache.ts";
import type { WatchEvent } from "../../intents/watch/watch-hub.ts";
import { encodeDocument } from "../../kernel/document.ts";
import { inlineWork } from "../../kernel/heavy-work.ts";
import { defineKind } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Change } from "../../store/port.ts";
import { frameFunctions } from "./frame-shapes.ts";
import type { Form } from "./negotiate.ts";
import { watchFrames } from "./watch-frames.ts";
import type { FrameInput, Frames } from "./watch-frames.ts";

const version = (name: string, isStorage: boolean): object => ({
  name,
  served: true,
  storage: isStorage,
  schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  selectableFields: [],
  printerColumns: [],
  subresources: { status: false },
});

const kind = defineKind({
  group: "shop.example",
  names: { plural: "databases", singular: "database", kind: "Database", listKind: "DatabaseList" },
  scope: "Namespaced",
  versions: [version("v1", true), version("v2", false)],
  origin: "definition",
} as unknown as Parameters<typeof defineKind>[0]);

function change(revision: number, bytes: number): Change {
  const key = { kind: "databases.shop.example", namespace: "a", name: "x" };
  const document = {
    apiVersion: "shop.example/v1",
    kind: "Database",
    metadata: { name: "x", namespace: "a" },
    spec: { text: "x".repeat(bytes) },
  } as unknown as Resource;
  const body = encodeDocument(document);
  return { revision, key, type: "updated", body, terms: [] } as unknown as Change;
}

const modified = (of: Change): WatchEvent => ({ type: "MODIFIED", change: of, isLeaving: false });

interface Rig {
  readonly cache: FrameCache;
  /** Names of the jobs that threads were given. */
  readonly jobs: string[];
  readonly histories: () => number;
  readonly frames: (input?: Partial<FrameInput> & { readonly version?: string }) => Frames;
}

function rig(): Rig {
  const served = servedKind({ kind });
  const cache = new FrameCache();
  const jobs: string[] = [];
  const threads = inlineWork(frameFunctions);
  let histories = 0;
  return {
    cache,
    jobs,
    histories: () => histories,
    frames: ({ version: name = "v1", ...own } = {}) => {
      const shown = served.versions.get(name);
      assert.ok(shown !== undefined);
      return watchFrames({
        found: { served, version: shown },
        form: object,
        includeObject: "Object",
        nowMs: () => 0,
        store: {
          history: async () => {
            histories += 1;
            return [change(1, 10)];
          },
        },
        cache,
        tenant: "a",
        work: async (job) => {
          jobs.push(`${job.name} of ${own.tenant ?? "a"}`);
          return await threads.run({ ...job, tenant: "a" });
        },
        ...own,
      });
    },
  };
}

const object: Form = {
  as: "object",
  encoding: "json",
  metaVersion: "v1",
  isPretty: false,
  isStream: false,
};
const table: Form = { ...object, as: "table" };

describe("the frame of a change", () => {
  it("in the storage version is made at once, and shared by all tenants", () => {
    const { frames, cache } = rig();
    const event = modified(change(2, limits.minHeavyBytes));
    const one = frames().of(event);
    assert.ok(Buffer.isBuffer(one));
    assert.equal(frames({ tenant: "b" }).of(event), one);
    assert.equal(cache.made, 1);
  });

  it("of a large document in another version waits for a turn, once for each tenant", async () => {
    const { frames, cache } = rig();
    const event = modified(change(2, limits.minSlicedBytes));
    const waiting = ["a", "a", "b"].map((tenant) => frames({ version: "v2", tenant }).of(event));
    assert.ok(waiting.every((frame) => frame instanceof Promise));
    assert.equal(cache.made, 2);
    for (const frame of waiting) {
      const text = (await frame).toString();
      assert.match(text, /^\{"type":"MODIFIED","object":\{"apiVersion":"shop.example\/v2"/);
    }
  });

  it("is a Table made by a thread of the tenant, if the document is large", async () => {
    const { frames, jobs } = rig();
    const event = modified(change(2, limits.minHeavyBytes));
    const waiting = ["a", "a", "b"].map((tenant) => frames({ form: table, tenant }).of(event));
    await Promise.all(waiting.map(async (frame) => await frame));
    assert.deepEqual(jobs, ["shape-frames of a", "shape-frames of b"]);
    assert.ok(Buffer.isBuffer(frames({ form: table }).of(modified(change(3, 10)))));
    assert.equal(jobs.length, 2);
  });

  it("is a Table of the current second, whose ages are right", () => {
    const { frames, cache } = rig();
    const event = modified(change(2, 10));
    for (const nowMs of [0, 900, 1_000, 1_900]) {
      void frames({ form: table, nowMs: () => nowMs }).of(event);
    }
    assert.equal(cache.made, 2);
  });

  it("that leaves selections reads the state before once", async () => {
    const { frames, histories } = rig();
    const event: WatchEvent = { type: "DELETED", change: change(2, 50), isLeaving: true };
    const texts = await Promise.all(
      [frames(), frames()].map(async (each) => (await each.of(event)).toString()),
    );
    assert.equal(texts[0], texts[1]);
    assert.match(texts[0] ?? "", /"DELETED".*"resourceVersion":"2".*"text":"x{10}"/);
    assert.equal(histories(), 1);
  });
});

describe("the first Table of a watch", () => {
  it("has the columns in a part of its own, and shares the memory of the rest", async () => {
    const { frames } = rig();
    const own = frames({ form: table });
    const frame = await own.of(modified(change(2, 1_000)));
    const [head, rest, ...more] = own.first(frame);
    assert.ok(head !== undefined && rest !== undefined && more.length === 0);
    assert.equal(rest.buffer, frame.buffer);
    const shown = JSON.parse(Buffer.concat([head, rest]).toString()) as {
      readonly object: { readonly columnDefinitions: readonly { readonly name: string }[] };
    };
    assert.deepEqual(
      shown.object.columnDefinitions.map(({ name }) => name),
      ["Name", "Age"],
    );
    const plain = JSON.parse(frame.toString()) as typeof shown;
    assert.deepEqual({ ...shown.object, columnDefinitions: null }, plain.object);
  });

  it("has them at the right place if texts of the resource contain their mark", async () => {
    const { frames } = rig();
    const trap = { ...change(2, 10) };
    const text = trap.body.toString().replace('"x"', '"\\"columnDefinitions\\":null"');
    const own = frames({ form: table });
    const frame = await own.of(modified({ ...trap, body: Buffer.from(text) }));
    const joined = Buffer.concat([...own.first(frame)]).toString();
    assert.match(
      joined,
      /^\{"type":"MODIFIED","object":\{"kind":"Table"[^[]*"columnDefinitions":\[/,
    );
  });
});
