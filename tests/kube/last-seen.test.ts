// Writes begin with the state that the server saw last. When that is old, because another server
// has written since, no client may notice: here the memory of a server is made to be old.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { SetpointError } from "../../src/kernel/errors.ts";
import type { StoredRecord } from "../../src/store/port.ts";
import { startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const key = { kind: "configmaps", namespace: "default", name: "one" };

let server: KubeServer;
let old: StoredRecord | undefined;
let looked = 0;

before(async () => {
  server = await startKubeServer();
  Object.assign(server.store, {
    lastSeen: () => {
      looked += 1;
      return old;
    },
  });
});
after(async () => await server.stop());

const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "one", ...metadata },
  data,
});

async function ask(method: string, body?: unknown, type?: string): Promise<Reply> {
  const headers = type === undefined ? {} : { "content-type": type };
  const place = method === "POST" ? path : `${path}/one`;
  return await server.request(method, place, body, headers);
}

async function expect(status: number, reply: Promise<Reply>): Promise<unknown> {
  const { status: found, text, json } = await reply;
  assert.equal(found, status, text);
  return json;
}

async function current(): Promise<{ data: object; metadata: { resourceVersion: string } }> {
  return (await expect(200, ask("GET"))) as Awaited<ReturnType<typeof current>>;
}

/** The server remembers { v: "1" } and the store has { v: "2" }. */
beforeEach(async () => {
  old = undefined;
  await ask("DELETE");
  await expect(201, ask("POST", configMap({ v: "1" })));
  const remembered = await server.store.get(key);
  await expect(200, ask("PUT", configMap({ v: "2" })));
  old = remembered;
  looked = 0;
});

describe("a server whose memory of an object is old", () => {
  it("accepts the revision that is true and refuses the remembered one", async () => {
    const { metadata } = await current();
    const resourceVersion = String(old?.revision);
    await expect(409, ask("PUT", configMap({ v: "3" }, { resourceVersion })));
    await expect(409, ask("DELETE", { preconditions: { resourceVersion } }));
    await expect(200, ask("PUT", configMap({ v: "3" }, metadata)));
    assert.deepEqual((await current()).data, { v: "3" });
    assert.equal(looked, 3, "each write looked into the memory first");
  });

  it("patches what is there", async () => {
    const test = (value: string) => [
      { op: "test", path: "/data/v", value },
      { op: "add", path: "/data/w", value },
    ];
    await expect(422, ask("PATCH", test("1"), "application/json-patch+json"));
    await expect(200, ask("PATCH", test("2"), "application/json-patch+json"));
    assert.deepEqual((await current()).data, { v: "2", w: "2" });
  });

  it("writes what would be no change of the remembered state", async () => {
    const earlier = await current();
    await expect(200, ask("PATCH", { data: { v: "1" } }));
    const { data, metadata } = await current();
    assert.deepEqual(data, { v: "1" });
    assert.notEqual(metadata.resourceVersion, earlier.metadata.resourceVersion);
  });

  it("answers that nothing changes only of what is there", async () => {
    const earlier = await current();
    assert.deepEqual(await expect(200, ask("PATCH", { data: { v: "2" } })), earlier);
  });

  it("shows a dry run of what is there", async () => {
    const reply = server.request("PATCH", `${path}/one?dryRun=All`, { data: { w: "3" } });
    const { data } = (await expect(200, reply)) as { data: object };
    assert.deepEqual(data, { v: "2", w: "3" });
  });

  it("waits for finalizers that it does not remember", async () => {
    await expect(200, ask("PATCH", { metadata: { finalizers: ["a.dev/hold"] } }));
    await expect(200, ask("DELETE"));
    const { metadata } = await current();
    assert.ok("deletionTimestamp" in metadata);
    await expect(200, ask("PATCH", { metadata: { finalizers: null } }));
    await expect(404, ask("GET"));
  });

  it("knows that an object is gone, or is another one of the same name", async () => {
    await expect(200, ask("DELETE"));
    await expect(404, ask("PATCH", { data: { v: "3" } }));
    await expect(404, ask("DELETE"));
    await expect(201, ask("POST", configMap({ v: "new" })));
    await expect(200, ask("PATCH", { data: { w: "3" } }));
    assert.deepEqual((await current()).data, { v: "new", w: "3" });
    await expect(409, ask("DELETE", { preconditions: { uid: old?.uid } }));
    await expect(200, ask("DELETE"));
  });

  it("decides by the rules of what is there", async () => {
    await expect(200, ask("DELETE"));
    old = undefined;
    await expect(201, ask("POST", { ...configMap({ v: "1" }), immutable: true }));
    const frozen = await server.store.get(key);
    await expect(200, ask("DELETE"));
    await expect(201, ask("POST", configMap({ v: "1" })));
    old = frozen;
    await expect(200, ask("PATCH", { data: { v: "2" } }));
  });

  it("never repeats a commit whose outcome is unknown", async () => {
    const commit = server.store.commit.bind(server.store);
    let calls = 0;
    const lost = async (): Promise<never> => {
      calls += 1;
      throw new SetpointError("store.outcome_unknown", "lost");
    };
    Object.assign(server.store, { commit: lost });
    try {
      const { status } = await ask("PATCH", { data: { v: "3" } });
      assert.ok(status >= 500, String(status));
    } finally {
      Object.assign(server.store, { commit });
    }
    assert.equal(calls, 1);
  });
});

describe("a server whose memory of an object is true", () => {
  it("changes and deletes it without reading it", async () => {
    old = undefined;
    const { store } = server;
    const get = store.get.bind(store);
    let reads = 0;
    old = await store.get(key);
    const counted: typeof get = async (asked) => {
      if (asked.name === key.name) reads += 1;
      return await get(asked);
    };
    Object.assign(store, { get: counted });
    try {
      await expect(200, ask("PATCH", { data: { v: "3" } }));
      old = await get(key);
      await expect(200, ask("PUT", configMap({ v: "4" })));
      old = await get(key);
      await expect(200, ask("DELETE"));
    } finally {
      Object.assign(store, { get });
    }
    assert.equal(reads, 0);
  });
});
