/** Documents are opaque: they come back byte for byte, up to the limit, whatever is in them. */
import assert from "node:assert/strict";
import { limits } from "../../kernel/limits.ts";
import type { Json } from "../../kernel/json.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { parseSelector } from "../../kernel/selector.ts";
import type { ListQuery, Store } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  changesAfter,
  commit,
  del,
  draft,
  exists,
  key,
  listAll,
  put,
  rejectsWith,
  widgets,
} from "./samples.ts";
import { systemCause } from "../../kernel/cause.ts";

const a = key("a");

/** The bytes of a resource by every way to read them. */
async function everyReading(store: Store, of: ResourceKey): Promise<readonly Buffer[]> {
  const [one, [many], listed, changes, history] = await Promise.all([
    store.get(of),
    store.getMany([of]),
    listAll(store, { kind: of.kind }),
    changesAfter(store, 0),
    store.history(of),
  ]);
  const readings = [one, many, listed[0], changes.at(-1), history[0]];
  return readings.map((reading) => reading?.body ?? Buffer.alloc(0));
}

export function documentsContract(open: OpenStore): void {
  const proto = JSON.parse('{"__proto__":{"x":1},"constructor":null,"toString":"t"}') as Json;
  const contents: readonly (readonly [string, Json])[] = [
    ["unicode", { text: "żółć 漢字 \u{1f469}\u{200d}\u{1f680} \u2028 \ufeff e\u0301 é" }],
    ["escapes and NUL", { text: 'a\u0000b"\\\b\f\n\r\t\u001f\ud800' }],
    ["prototype names as keys", proto],
    ["keys that look like numbers", { 10: 1, 9: 2, b: 3, a: 4 }],
    ["deep nesting", nested(100)],
    ["numbers at the edges", [0, -1, 1e21, 5e-324, 2 ** 53, 1.7976931348623157e308]],
    ["empty things", { text: "", list: [], map: {}, none: null }],
  ];
  for (const [what, spec] of contents) {
    scenario(open, `${what} in a document come back byte for byte`, async (h) => {
      const { body } = draft(a, { spec });
      await commit(h.store, put(a, { content: { spec } }));
      for (const reading of await everyReading(h.store, a)) assert.deepEqual(reading, body);
      await h.reopen();
      for (const reading of await everyReading(h.store, a)) assert.deepEqual(reading, body);
    });
  }

  scenario(open, "fields that nobody knows survive, in their order", async (h) => {
    const content = { extra: { zeta: [{ new: true }], alpha: "old", 7: "seven" } };
    await commit(h.store, put(a, { content }));
    const { body } = draft(a, content);
    for (const reading of await everyReading(h.store, a)) assert.deepEqual(reading, body);
  });

  scenario(open, "what was last seen of a key is what a lone writer made of it", async (h) => {
    for (const write of [put(a), put(a, { when: exists, content: { spec: 2 } }), del(a), put(a)]) {
      await commit(h.store, write);
      const seen = h.store.lastSeen(a);
      if (seen !== undefined) assert.deepEqual(seen, await h.store.get(a));
    }
    assert.equal(h.store.lastSeen(key("b")), undefined);
  });

  scenario(open, "the bytes kept are those of the call, not of the caller's buffer", async (h) => {
    const write = put(a);
    const before = Buffer.from(write.draft.body);
    const answers = await h.store.commit([write]);
    assert.equal(answers.length, 1);
    write.draft.body.fill(0);
    assert.deepEqual((await h.store.get(a))?.body, before);
  });

  scenario(open, "a document of 5 MiB is stored and read like any other", async (h) => {
    const spec = { blob: "0123456789abcdéf".repeat((5 * 1024 * 1024) / 17 + 1) };
    const { body } = draft(a, { spec });
    assert(body.length > 5 * 1024 * 1024);
    await commit(h.store, put(a, { content: { spec } }));
    for (const reading of await everyReading(h.store, a)) assert(reading.equals(body));
    await commit(h.store, put(a, { when: exists, content: { spec: 1 } }));
    const [old] = await listAll(h.store, { kind: widgets, at: 1 });
    assert(old?.body.equals(body));
  });

  scenario(open, "a document over the limit rejects the call; at the limit it fits", async (h) => {
    const spare = limits.maxDocumentBytes - draft(a, { spec: "" }).body.length;
    const tooLarge = put(a, { content: { spec: "x".repeat(spare + 1) } });
    await rejectsWith("request.too_large", h.store.commit([put(key("b")), tooLarge]));
    assert.equal((await h.store.head()).revision, 0);
    const content = { spec: "x".repeat(spare) };
    await commit(h.store, put(a, { content }));
    assert.equal((await h.store.get(a))?.body.length, limits.maxDocumentBytes);
    const last = tooLarge.draft;
    const late = h.store.commit([
      { kind: "delete", cause: systemCause, key: a, when: exists, last },
    ]);
    await rejectsWith("request.too_large", late);
  });

  scenario(open, "pages of changes are bounded in bytes too, and still complete", async (h) => {
    const content = { spec: "x".repeat(4 * 1024 * 1024) };
    for (let i = 0; i < 6; i += 1) await commit(h.store, put(key(`n${i}`), { content }));
    const page = await h.store.changes(0, 1_000);
    assert(page.changes.length > 0);
    assert.equal((await changesAfter(h.store, 0)).length, 6);
    assert.equal((await listAll(h.store, { kind: widgets })).length, 6);
  });

  scenario(
    open,
    "small and large documents, open and sealed, are whole in every list",
    async (h) => {
      const sizes = [10, 65_500, 65_600, 300_000, 700_000, 700_000, 20, 70_000, 1_200_000, 30];
      const given = sizes.map((size, at) => ({
        labels: { side: String(at % 2) },
        fields: { "spec.at": String(at) },
        ...(at % 3 === 0
          ? { secrets: { word: "s".repeat(size) } }
          : { spec: "é".repeat(size / 2) }),
      }));
      const bodies = given.map((content, at) => draft(key(`n${at}`), content).body);
      for (const [at, content] of given.entries()) {
        await commit(h.store, put(key(`n${at}`), { content }));
      }
      const shows = async (query: Partial<ListQuery>, wanted: readonly Buffer[]): Promise<void> => {
        const found = await listAll(h.store, { kind: widgets, ...query });
        assert.deepEqual(
          found.map(({ key: { name }, body }) => [name, body.length]),
          wanted.map((body) => [`n${bodies.indexOf(body)}`, body.length]),
        );
        assert(found.every(({ body }, at) => wanted[at]?.equals(body)));
      };
      const odd = bodies.filter((_, at) => at % 2 === 1);
      await shows({}, bodies);
      await shows({ limit: 3 }, bodies);
      await shows({ labels: parseSelector("side=1") }, odd);
      await shows({ labels: parseSelector("side!=0") }, odd);
      await commit(h.store, put(key("n4"), { when: exists, content: { spec: 1 } }));
      await shows({ at: sizes.length }, bodies);
      await shows({ at: sizes.length, labels: parseSelector("side=1") }, odd);
    },
  );
}

function nested(depth: number): Json {
  let value: Json = "bottom";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}
