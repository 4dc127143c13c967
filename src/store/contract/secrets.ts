/** Secrets: sealed on disk, whole when read, under keys that can be changed. */
import assert from "node:assert/strict";
import { newSealKey } from "../key-ring.ts";
import type { Change, StoredRecord } from "../port.ts";
import { bytesOnDisk, scenario } from "./harness.ts";
import type { OpenStore, Traits } from "./harness.ts";
import {
  allRows,
  at,
  changesAfter,
  commit,
  del,
  draft,
  exists,
  key,
  listAll,
  put,
  rejectsWith,
  rowsOf,
  widgets,
} from "./samples.ts";
import type { Content } from "./samples.ts";

const a = key("a");
const word = "correct-horse-battery-staple";
const content: Content = {
  spec: { size: 1 },
  secrets: { password: word, token: { deep: [word] } },
};

export function secretsContract(open: OpenStore, traits: Traits): void {
  readings(open);
  if (!traits.sealed) return;
  disk(open);
  keys(open);
}

function readings(open: OpenStore): void {
  scenario(open, "a document with secrets is read as it was written, in every way", async (h) => {
    const { body } = draft(a, content);
    await commit(h.store, put(a, { uid: "u", content }));
    await commit(h.store, put(a, { uid: "u", when: at(1), content: { spec: 2 } }));
    await commit(h.store, put(a, { uid: "u", when: at(2), content }));
    await commit(h.store, put(key("b")));
    await h.reopen();
    assert.deepEqual((await h.store.get(a))?.body, body);
    assert.deepEqual((await h.store.getMany([a]))[0]?.body, body);
    for (const revision of [1, 3, 4]) {
      const [listed] = await listAll(h.store, { kind: widgets, at: revision });
      assert.deepEqual(listed?.body, body);
    }
    const changes = await changesAfter(h.store, 0);
    assert.deepEqual(changes[0]?.body, body);
    assert.deepEqual(changes[2]?.body, body);
    assert.deepEqual((await h.store.history(a))[0]?.body, body);
  });

  scenario(open, "a deletion shows the secrets of the last state", async (h) => {
    await commit(h.store, put(a, { content }));
    await commit(h.store, del(a));
    assert.deepEqual((await h.store.history(a))[0]?.body, draft(a, content).body);
    await commit(h.store, put(a, { uid: "u" }));
    const last = draft(a, { secrets: { password: word, final: true } });
    await rejectsWith("request.invalid", h.store.commit([del(a, { last })]));
    await commit(h.store, del(a, { when: { kind: "exists", uid: "u" }, last }));
    assert.deepEqual((await h.store.history(a))[0]?.body, last.body);
    const revision = await commit(h.store, put(a, { uid: "w" }));
    const named = (uid: string) => ({ kind: "revision", revision, uid }) as const;
    const [other] = await h.store.commit([del(a, { when: named("u"), last })]);
    assert.equal(other?.kind, "refused");
    await commit(h.store, del(a, { when: named("w"), last }));
    assert.deepEqual((await h.store.history(a))[0]?.body, last.body);
  });

  scenario(open, "the same secrets again use no revision, others do", async (h) => {
    await commit(h.store, put(a, { content }));
    const same = await h.store.commit([put(a, { when: exists, content })]);
    assert.deepEqual(same, [{ kind: "unchanged", revision: 1 }]);
    const other = { ...content, secrets: { ...content.secrets, password: "other" } };
    assert.equal(await commit(h.store, put(a, { when: exists, content: other })), 2);
  });

  scenario(open, "values that become secret are a change, though no byte differs", async (h) => {
    const plain = { ...draft(a, content), secrets: [] };
    await commit(h.store, { ...put(a), draft: plain });
    assert.equal(await commit(h.store, put(a, { when: exists, content })), 2);
  });

  scenario(open, "secrets beside odd keys leave every byte in its place", async (h) => {
    const odd: Content = {
      spec: JSON.parse('{"__proto__":{"x":1},"b":1,"2":2,"1":1}') as Content["spec"] & object,
      secrets: { "a~1b": "x", text: 'q"\u0000\ud83d\ude00', none: null, list: [1, { k: "v" }] },
      extra: { 9: "nine", later: true },
    };
    const { body, terms } = draft(a, odd);
    const secrets = ["/data/a~01b", "/data/text", "/data/none", "/data/list/1/k", "/data/absent"];
    await commit(h.store, { ...put(a), draft: { body, terms, secrets } });
    assert.equal((await h.store.get(a))?.body.toString(), body.toString());
  });
}

function disk(open: OpenStore): void {
  scenario(open, "no secret is on disk in the clear, in any form or age", async (h) => {
    await commit(h.store, put(a, { uid: "u", content }));
    await commit(h.store, put(a, { uid: "u", when: exists, content: { spec: 2 } }));
    const last = draft(a, content);
    await commit(h.store, del(a, { when: { kind: "exists", uid: "u" }, last }));
    await commit(h.store, put(key("marker"), { content: { spec: "plain-marker" } }));
    await h.store.compact(1);
    const bytes = await bytesOnDisk(h);
    assert(bytes.includes("plain-marker"), "the bytes are those of the store");
    for (const form of ["utf8", "base64", "hex", "utf16le"] as const) {
      const hidden = Buffer.from(word).toString(form === "utf16le" ? "utf8" : form);
      assert(!bytes.includes(Buffer.from(hidden, form === "utf16le" ? "utf16le" : "utf8")), form);
    }
  });

  scenario(open, "a dump keeps secrets sealed, and a load brings them back", async (h) => {
    const sealKeys = [newSealKey()];
    await h.reopen({ keys: sealKeys });
    await commit(h.store, put(a, { content }));
    const rows = await allRows(h.store);
    const text = rows.map((row) => JSON.stringify(row)).join("\n");
    assert(!text.includes(word) && !text.includes(Buffer.from(word).toString("base64")));
    const documents = rows.flatMap((row) => (row.row === "change" ? [row] : []));
    assert(documents.every((row) => row.sealed !== null && !row.document?.includes(word)));
    await using fresh = await open({ keys: sealKeys });
    await fresh.store.load(rowsOf(rows));
    assert.deepEqual((await fresh.store.get(a))?.body, draft(a, content).body);
  });
}

function keys(open: OpenStore): void {
  const [first, second] = [newSealKey(), newSealKey()];

  scenario(
    open,
    "after a new key is active old secrets still open, and resealing moves them",
    async (h) => {
      const { body } = draft(a, content);
      await commit(h.store, put(a, { content }));
      await commit(h.store, put(key("plain")));
      await h.reopen({ keys: [second, first] });
      assert.deepEqual((await h.store.get(a))?.body, body);
      await commit(h.store, put(key("b"), { content }));
      assert.equal(await h.store.reseal(), 1);
      assert.equal(await h.store.reseal(), 0);
      await h.reopen({ keys: [second] });
      assert.deepEqual((await h.store.get(a))?.body, body);
      assert.deepEqual((await h.store.get(key("b")))?.body, draft(key("b"), content).body);
      const same = await h.store.commit([put(a, { when: exists, content })]);
      assert.deepEqual(same, [{ kind: "unchanged", revision: 1 }]);
    },
    { keys: [first] },
  );

  scenario(
    open,
    "without its key a secret is not readable, and everything else is",
    async (h) => {
      await commit(h.store, put(a, { content }));
      await commit(h.store, put(key("plain")));
      await h.reopen({ keys: [second] });
      await rejectsWith("secret.key_missing", h.store.get(a));
      await rejectsWith("secret.key_missing", h.store.checkKeys());
      assert.notEqual(await h.store.get(key("plain")), undefined);
      assert.equal(await h.store.reseal(), 0);
      await h.reopen({ keys: [first] });
      assert.deepEqual((await h.store.get(a))?.body, draft(a, content).body);
    },
    { keys: [first] },
  );

  scenario(
    open,
    "what cannot be opened hides nothing else, and can be deleted",
    async (h) => {
      await commit(h.store, put(a, { uid: "u", content }));
      await h.reopen({ keys: [second] });
      await commit(h.store, put(key("b"), { content }));
      await h.store.checkKeys();
      const all = async (): Promise<readonly (Change | StoredRecord | undefined)[]> => [
        ...(await listAll(h.store, { kind: widgets })),
        ...(await listAll(h.store, { kind: widgets, at: 2 })),
        ...(await h.store.getMany([a, key("b")])),
        ...(await changesAfter(h.store, 0)),
        ...(await h.store.history(a)),
      ];
      for (const shown of await all()) {
        const isLost = shown?.key.name === "a";
        assert.equal(shown?.unopened?.code, isLost ? "secret.key_missing" : undefined);
        assert.equal(shown?.body.includes(word), !isLost);
        assert(shown?.body.includes('"size":1'), "the rest is there");
      }
      await rejectsWith("secret.key_missing", h.store.get(a));
      assert.deepEqual(
        (await h.store.keyUses()).map(({ id, changes, resources }) => [id, changes, resources]),
        [
          [first.id, 1, [a]],
          [second.id, 1, [key("b")]],
        ],
      );
      await commit(h.store, del(a, { when: { kind: "exists", uid: "u" } }));
      assert.equal(await h.store.get(a), undefined);
      assert.equal((await all()).length, 10);
    },
    { keys: [first] },
  );

  scenario(
    open,
    "a retired key seals nothing any more, and still opens what it sealed",
    async (h) => {
      await commit(h.store, put(a, { content }));
      await h.store.retireKeys([first.id]);
      await h.store.retireKeys([first.id]);
      await rejectsWith("secret.key_retired", h.store.checkKeys());
      await rejectsWith("secret.key_retired", h.store.reseal());
      await rejectsWith("secret.key_retired", h.store.commit([put(key("b"), { content })]));
      // Neighbours in a batch do not suffer for it.
      const [sealed, plain] = await Promise.allSettled([
        h.store.commit([put(key("c"), { content })]),
        h.store.commit([put(key("d"))]),
      ]);
      const answer = sealed.status === "fulfilled" ? sealed.value[0]?.kind : sealed.status;
      assert.match(String(answer), /^(refused|rejected)$/);
      assert.equal(plain.status === "fulfilled" && plain.value[0]?.kind, "committed");
      assert.equal(await h.store.get(key("c")), undefined);
      assert.equal(await h.store.get(key("b")), undefined);
      assert.deepEqual((await h.store.get(a))?.body, draft(a, content).body);
      await h.reopen({ keys: [second, first] });
      await h.store.checkKeys();
      assert.equal(await h.store.reseal(), 1);
      await commit(h.store, put(key("b"), { content }));
      assert.deepEqual(
        (await h.store.keyUses()).map(({ id }) => id),
        [second.id],
      );
    },
    { keys: [first] },
  );

  scenario(
    open,
    "a wrong key under the right id does not open a secret",
    async (h) => {
      await commit(h.store, put(a, { content }));
      await h.reopen({ keys: [{ id: first.id, secret: second.secret }] });
      await rejectsWith("secret.unsealable", h.store.get(a));
      await h.reopen({ keys: [first] });
    },
    { keys: [first] },
  );
}
