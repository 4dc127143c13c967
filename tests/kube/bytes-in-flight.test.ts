// Responses that clients do not take: their bytes count for the tenant, the tenant's other lists
// wait or are refused when it holds its share, and another tenant is not affected. The same clients
// come over HTTP/1.1 and HTTP/2.
import assert from "node:assert/strict";
import { connect as connectTwo } from "node:http2";
import { describe, it } from "node:test";
import { connect } from "node:tls";
import { limits } from "../../src/kernel/limits.ts";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./samples.ts";
import { pickList, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { asUser, createTenant, gaugeOf } from "./tenant-callers.ts";
import type { WatchStream } from "./watch-stream.ts";

const mib = 1_024 * 1_024;
const maxBytesInFlight = 32 * mib;
const maps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

async function startFilled(): Promise<KubeServer> {
  const server = await startKubeServer({ maxBytesInFlight });
  await createTenant(server, "mallory", ["mallory", "mallory-2"]);
  await createTenant(server, "alice", ["alice"]);
  const data = { text: "0123456789".repeat(90_000) };
  for (let at = 0; at < 12; at++) {
    await created(server.request("POST", maps("mallory"), { metadata: { name: `m${at}` }, data }));
  }
  await created(server.request("POST", maps("alice"), { metadata: { name: "one" } }));
  return server;
}

interface Clients extends Disposable {
  readonly opened: number;
}

/** Sends the request on many connections of HTTP/1.1, and reads nothing. */
function deafClients({ url, ca, token }: KubeServer, path: string, count: number): Clients {
  const { hostname: host, port } = new URL(url);
  const sockets = Array.from({ length: count }, (_, at) => {
    const socket = connect({ host, port: Number(port), ca, ALPNProtocols: ["http/1.1"] });
    const user = at % 2 === 0 ? "mallory" : "mallory-2";
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}`;
    socket.on("error", () => undefined);
    socket.once("secureConnect", () => {
      socket.write(`${head}\r\nImpersonate-User: ${user}\r\n\r\n`);
      socket.pause();
    });
    return socket;
  });
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return { opened: count, [Symbol.dispose]: close };
}

/** The same as streams of one connection of HTTP/2. */
function deafStreams({ url, ca, token }: KubeServer, path: string, count: number): Clients {
  const session = connectTwo(url, { ca });
  session.setMaxListeners(0);
  session.on("error", () => undefined);
  for (let at = 0; at < count; at++) {
    const stream = session.request({
      ":path": path,
      authorization: `Bearer ${token}`,
      "impersonate-user": at % 2 === 0 ? "mallory" : "mallory-2",
    });
    stream.on("error", () => undefined);
  }
  return { opened: count, [Symbol.dispose]: () => session.destroy() };
}

const merging = {
  ...asUser("mallory"),
  "content-type": "application/merge-patch+json",
};
const bytes = "setpoint_request_bytes_in_flight";

describe("responses that clients do not take", () => {
  for (const [protocol, open] of [
    ["HTTP/1.1", deafClients],
    ["HTTP/2", deafStreams],
  ] as const) {
    it(`hold at most the share of their tenant over ${protocol}`, async () => {
      await using server = await startFilled();
      using clients = open(server, maps("mallory"), 80);
      await waitUntil("the tenant holds memory", async () => {
        return (await gaugeOf(server, bytes)) > maxBytesInFlight / 4;
      });
      const queries = ["", "?limit=500"];
      for (const accept of ["application/json", "application/json;as=Table;g=meta.k8s.io;v=v1"]) {
        for (const query of queries) {
          const headers = { ...asUser("alice"), accept };
          const list = await server.request("GET", `${maps("alice")}${query}`, undefined, headers);
          assert.equal(list.status, 200, list.text);
        }
      }
      const held = await gaugeOf(server, bytes);
      assert.ok(held <= maxBytesInFlight, `${held} bytes of ${clients.opened} clients`);
      clients[Symbol.dispose]();
      await waitUntil("the memory is returned", async () => (await gaugeOf(server, bytes)) === 0);
      const all = await server.request("GET", maps("mallory"), undefined, asUser("mallory"));
      assert.equal(pickList(all.json, "items").length, 12);
      assert.deepEqual(server.errors, []);
    });
  }
});

describe("small patches of large documents", () => {
  it("hold memory for the documents, in the share of their tenant", async () => {
    await using server = await startFilled();
    const count = 40;
    let answered = 0;
    const patch = async (at: number): Promise<number> => {
      const path = `${maps("mallory")}/m${at % 12}`;
      const { status } = await server.request("PATCH", path, { data: { n: `${at}` } }, merging);
      answered += 1;
      return status;
    };
    const patches = Array.from({ length: count }, (_, at) => patch(at));
    let most = 0;
    await waitUntil("every patch to be answered", async () => {
      most = Math.max(most, await gaugeOf(server, bytes));
      return answered === count;
    });
    assert.ok(most >= 900_000 * limits.bodyMemoryFactor, `${most} bytes`);
    assert.ok(most <= maxBytesInFlight / 2, `${most} bytes`);
    for (const status of await Promise.all(patches)) assert.equal(status, 200);
    assert.equal(await gaugeOf(server, bytes), 0);
  });
});

describe("watches", () => {
  it("hold memory for a long selector, and are refused beyond their share", async () => {
    await using server = await startKubeServer({ maxBytesInFlight });
    await createTenant(server, "mallory", ["mallory"]);
    await createTenant(server, "alice", ["alice"]);
    const values = Array.from({ length: 900 }, (_, at) => `v${at}-${"x".repeat(40)}`).join(",");
    const selector = encodeURIComponent(`a notin (${values})`);
    const path = (namespace: string): string =>
      `${maps(namespace)}?watch=1&labelSelector=${selector}`;
    const watches: WatchStream[] = [];
    let isRefused = false;
    while (!isRefused) {
      const watch = await server.watch(path("mallory"), asUser("mallory"));
      isRefused = watch.status === 429;
      if (!isRefused) watches.push(watch);
    }
    const held = await gaugeOf(server, bytes);
    assert.equal(held, watches.length * path("mallory").length * limits.watchUrlFactor);
    // Refused before the selector is read: this one cannot be parsed.
    const unreadable = `${path("mallory")}%20nonsense`;
    using refused = await server.watch(unreadable, asUser("mallory"));
    assert.equal(refused.status, 429);
    using other = await server.watch(path("alice"), asUser("alice"));
    assert.equal(other.status, 200);
    for (const watch of [...watches, other]) watch.close();
    await waitUntil("the memory is returned", async () => (await gaugeOf(server, bytes)) === 0);
  });

  it("with other selectors are charged once for the events that they have not read", async () => {
    await using server = await startFilled();
    const count = 100;
    const { revision: from } = await server.store.head();
    const { url, ca, token } = server;
    const session = connectTwo(url, { ca });
    session.setMaxListeners(0);
    for (let at = 0; at < count; at++) {
      const stream = session.request({
        ":path": `${maps("mallory")}?watch=1&resourceVersion=${from}&labelSelector=no!%3D${at}`,
        authorization: `Bearer ${token}`,
        "impersonate-user": "mallory",
      });
      stream.on("error", () => undefined);
    }
    await waitUntil("watchers", () => server.hub.watchers === count);
    await server.request("PATCH", `${maps("mallory")}/m0`, { data: { n: "1" } });
    await waitUntil("unread events", async () => (await gaugeOf(server, bytes)) > 0);
    // Each connection has a piece, and the event itself counts once.
    const held = await gaugeOf(server, bytes);
    assert.ok(held < maxBytesInFlight / 2, `${held} bytes`);
    assert.equal(server.hub.watchers, count, "no watch is ended");
    session.destroy();
    await waitUntil("the memory is returned", async () => (await gaugeOf(server, bytes)) === 0);
  });
});
