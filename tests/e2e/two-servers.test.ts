// Two servers on one PostgreSQL are one control plane: what is done through one is known to the
// other at once and in order, races between them lose nothing, and a crash of one takes nothing
// along that was acknowledged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { apiVersion, configMap, post, widget, widgets } from "./contract/scene.ts";

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}

const opened = new AsyncDisposableStack();
let a: Setpoint;
let b: Setpoint;

before(async () => {
  const postgres = opened.use(await startPostgres());
  const store = postgres.url(await postgres.createDatabase());
  a = opened.use(await startSetpoint({ store }));
  b = opened.use(await startSetpoint({ store, keys: join(a.folder, "keys.json") }));
});

after(async () => await opened.disposeAsync());

const path = "/api/v1/namespaces/default/configmaps";

async function read(server: Setpoint, name: string): Promise<ConfigMap> {
  const { status, body } = await server.ask(`${path}/${name}`);
  assert.equal(status, 200, body.toString());
  return JSON.parse(body.toString()) as ConfigMap;
}

describe("two servers", () => {
  it("share kinds: what is defined through one is served by the other", async () => {
    await post(a, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
    const kind = `/apis/${apiVersion}/namespaces/default/widgets`;
    const isServed = async (): Promise<boolean> => (await b.ask(kind)).status === 200;
    await waitUntil("the kind to be served", isServed);
    await post(b, kind, widget("one"));
    assert.equal((await a.ask(`${kind}/one`)).status, 200);
    const { body } = await b.ask("/apis");
    assert.match(body.toString(), /e2e\.example\.dev/);
  });

  it("read each other's writes at once", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const [writer, reader] = turn % 2 === 0 ? [a, b] : [b, a];
      await post(writer, path, configMap(`read-${turn}`));
      assert.equal((await reader.ask(`${path}/read-${turn}`)).status, 200, String(turn));
    }
  });

  it("show each other's writes in watches: all of them, in order", async () => {
    // Without a version, a watch may begin with a list, which is in the order of names.
    const { body } = await a.ask(path);
    const { metadata } = JSON.parse(body.toString()) as Pick<ConfigMap, "metadata">;
    const { resourceVersion } = metadata;
    const from = `${path}?watch=1&labelSelector=watched&resourceVersion=${resourceVersion}`;
    using watchA = await a.watch(from);
    using watchB = await b.watch(from);
    const write = async (server: Setpoint, lane: string): Promise<void> => {
      for (let n = 0; n < 25; n++) {
        await post(server, path, configMap(`${lane}-${n}`, {}, { watched: lane }));
      }
    };
    await Promise.all(["p", "q", "r", "s"].map((lane, n) => write(n % 2 === 0 ? a : b, lane)));
    for (const { events } of [watchA, watchB]) {
      await waitUntil("100 events", () => events.length === 100);
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      assert.deepEqual(
        versions,
        versions.toSorted((x, y) => x - y),
      );
      for (const lane of ["p", "q", "r", "s"]) {
        const names = events.map(({ object }) => object.metadata.name);
        assert.deepEqual(
          names.filter((name) => name.startsWith(`${lane}-`)),
          Array.from({ length: 25 }, (_, n) => `${lane}-${n}`),
        );
      }
    }
    assert.deepEqual(
      watchA.events.map(({ object }) => object.metadata.resourceVersion),
      watchB.events.map(({ object }) => object.metadata.resourceVersion),
    );
  });

  it("lose no update in races on one object", async () => {
    await post(a, path, configMap("counter", { count: "0" }));
    const turns = 15;
    const count = async (server: Setpoint): Promise<void> => {
      for (let done = 0; done < turns;) {
        const found = await read(server, "counter");
        const data = { count: String(Number(found.data["count"]) + 1) };
        const body = { ...found, data };
        const { status } = await server.ask(`${path}/counter`, { method: "PUT", body });
        assert.ok([200, 409].includes(status), String(status));
        if (status === 200) done++;
      }
    };
    await Promise.all([a, b, a, b].map(count));
    assert.equal((await read(a, "counter")).data["count"], String(4 * turns));
    assert.deepEqual(await read(b, "counter"), await read(a, "counter"));
  });

  it("retry patches that meet, so that each is applied", async () => {
    await post(a, path, configMap("patched", {}));
    const patch = async (server: Setpoint, key: string): Promise<number> => {
      const headers = { "content-type": "application/merge-patch+json" };
      const body = { data: { [key]: "1" } };
      return (await server.ask(`${path}/patched`, { method: "PATCH", headers, body })).status;
    };
    const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`);
    const statuses = await Promise.all(keys.map((key, n) => patch(n % 2 === 0 ? a : b, key)));
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.deepEqual(Object.keys((await read(b, "patched")).data).sort(), keys.toSorted());
  });

  it("take turns on one object without ever seeing an old state of it", async () => {
    await post(a, path, configMap("turns", { count: "0" }));
    const headers = { "content-type": "application/json-patch+json" };
    for (let turn = 0; turn < 60; turn++) {
      const server = turn % 3 === 0 ? a : b;
      const body = [
        { op: "test", path: "/data/count", value: String(turn) },
        { op: "replace", path: "/data/count", value: String(turn + 1) },
      ];
      const answer = await server.ask(`${path}/turns`, { method: "PATCH", headers, body });
      assert.equal(answer.status, 200, `${turn}: ${answer.body.toString()}`);
    }
    for (let turn = 0; turn < 20; turn++) {
      const [first, second] = turn % 2 === 0 ? [a, b] : [b, a];
      const { metadata } = await read(first, "turns");
      const body = { ...configMap("turns", { turn: String(turn) }), metadata };
      const put = await second.ask(`${path}/turns`, { method: "PUT", body });
      assert.equal(put.status, 200, put.body.toString());
      assert.equal((await second.ask(`${path}/turns`, { method: "DELETE" })).status, 200);
      assert.equal((await first.ask(`${path}/turns`, { method: "DELETE" })).status, 404);
      await post(first, path, configMap("turns"));
    }
  });

  it("merge what different managers apply at the same time", async () => {
    const apply = async (server: Setpoint, manager: string): Promise<void> => {
      for (let turn = 1; turn <= 10; turn++) {
        const { status, body } = await server.ask(
          `${path}/applied?fieldManager=${manager}&force=false`,
          {
            method: "PATCH",
            headers: { "content-type": "application/apply-patch+yaml" },
            body: configMap("applied", { [manager]: String(turn) }),
          },
        );
        assert.ok([200, 201].includes(status), body.toString());
      }
    };
    await Promise.all([apply(a, "m1"), apply(b, "m2"), apply(a, "m3"), apply(b, "m4")]);
    assert.deepEqual((await read(b, "applied")).data, { m1: "10", m2: "10", m3: "10", m4: "10" });
  });

  it("create one object once", async () => {
    for (let turn = 0; turn < 10; turn++) {
      const body = configMap(`once-${turn}`);
      const answers = await Promise.all(
        [a, b, a, b].map((server) => server.ask(path, { method: "POST", body })),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).sort((x, y) => x - y),
        [201, 409, 409, 409],
      );
    }
  });

  it("keep what the one acknowledged before it was killed", async () => {
    const acknowledged: string[] = [];
    const write = async (lane: number): Promise<void> => {
      for (let n = 0; ; n++) {
        const name = `crash-${lane}-${n}`;
        const answer = await a
          .ask(path, { method: "POST", body: configMap(name, {}, { crash: "yes" }) })
          .catch(() => undefined); // The server is gone: nothing was acknowledged.
        if (answer?.status === 201) acknowledged.push(name);
        if (answer === undefined) break;
      }
    };
    using watching = await b.watch(`${path}?watch=1&labelSelector=crash`);
    const writing = Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(write));
    await waitUntil("some writes", () => acknowledged.length > 100);
    await a.kill9();
    await writing;
    const stored = async (): Promise<ReadonlySet<string>> => {
      const { body } = await b.ask(`${path}?labelSelector=crash`);
      const { items } = JSON.parse(body.toString()) as { items: ConfigMap[] };
      return new Set(items.map(({ metadata }) => metadata.name));
    };
    const left = await stored();
    assert.deepEqual(
      acknowledged.filter((name) => !left.has(name)),
      [],
    );
    await post(b, path, configMap("crash-after", {}, { crash: "yes" }));
    const shown = (): Set<string> =>
      new Set(watching.events.map(({ object }) => object.metadata.name));
    await waitUntil("the watch to go on", () => shown().has("crash-after"));
    // What the server had sent before it died may be committed by the database a moment later.
    await waitUntil("the watch to show all that is stored", async () => {
      const all = await stored();
      return all.has("crash-after") && shown().symmetricDifference(all).size === 0;
    });
    await a.start();
    assert.equal((await a.ask(`${path}/crash-after`)).status, 200);
  });
});
