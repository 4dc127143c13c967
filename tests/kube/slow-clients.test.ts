// Clients that ask and do not read: they are cut off in time, whatever they asked for, and what
// waits for them is forgotten.
import assert from "node:assert/strict";
import { connect as connectTwo } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { describe, it } from "node:test";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./samples.ts";
import { pickList, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const mapBytes = 900_000;

async function fill(server: KubeServer, count: number): Promise<void> {
  const data = { text: "0123456789".repeat(mapBytes / 10) };
  for (let at = 0; at < count; at++) {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `large-${at}` }, data };
    await created(server.request("POST", configMaps, map));
  }
}

interface Deaf extends Disposable {
  readonly isOver: () => boolean;
}

/** Asks over HTTP/1.1, reads nothing, and says when the server broke the connection off. */
function askDeaf({ url, ca, token }: KubeServer, path: string): Deaf {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ["http/1.1"] });
  let isOver = false;
  socket.on("error", () => {});
  socket.once("close", () => {
    isOver = true;
  });
  socket.once("secureConnect", () => {
    const lines = [`GET ${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    socket.pause();
  });
  return {
    // A paused socket learns of the end only when it reads.
    isOver: () => {
      socket.resume();
      return isOver;
    },
    [Symbol.dispose]: () => {
      socket.destroy();
    },
  };
}

function askDeafTwo(session: ClientHttp2Session, token: string, path: string): () => boolean {
  const stream = session.request({ ":path": path, authorization: `Bearer ${token}` });
  stream.on("error", () => {});
  return () => stream.destroyed || stream.closed;
}

async function reading(server: KubeServer): Promise<number> {
  const { text } = await server.request("GET", "/metrics");
  const found = /^apiserver_current_inflight_requests (\d+)$/m.exec(text);
  return Number(found?.[1]);
}

describe("a client that does not read", () => {
  it("is cut off when its watch ends, and when its list does not move", async () => {
    await using server = await startKubeServer({ writeStallMs: 1_500 });
    await fill(server, 20);
    const session = connectTwo(server.url, { ca: server.ca });
    session.on("error", () => {});
    const watch = `${configMaps}?watch=1&timeoutSeconds=1`;
    const paths = [watch, watch, configMaps, configMaps, `${configMaps}?limit=500`];
    const deaf = paths.map((path) => askDeaf(server, path));
    const two = paths.map((path) => askDeafTwo(session, server.token, path));
    await waitUntil("the streams of HTTP/2 are closed", () => two.every((isOver) => isOver()));
    await waitUntil("nobody watches", () => server.hub.watchers === 0);
    await waitUntil("nothing waits", async () => (await reading(server)) <= 1);
    await waitUntil("the connections are closed", () => deaf.every(({ isOver }) => isOver()));
    session.destroy();
    assert.deepEqual(server.errors, []);
  });

  it("does not keep others from whole answers, compressed or not", async () => {
    await using server = await startKubeServer();
    await fill(server, 20);
    using deaf = askDeaf(server, configMaps);
    const plain = await server.request("GET", configMaps);
    const packed = await server.request("GET", configMaps, undefined, {
      "accept-encoding": "gzip",
    });
    assert.equal(packed.headers["content-encoding"], "gzip");
    const unpacked = JSON.parse(gunzipSync(packed.bytes).toString("utf8")) as typeof plain.json;
    // The server may have written something of its own between the two.
    assert.deepEqual(pickList(unpacked, "items"), pickList(plain.json, "items"));
    assert.ok(pickList(plain.json, "items").length >= 20);
    assert.equal(deaf.isOver(), false);
    assert.deepEqual(server.errors, []);
  });

  it("does not keep the other requests of its HTTP/2 connection from whole answers", async () => {
    await using server = await startKubeServer();
    await fill(server, 4);
    const session = connectTwo(server.url, { ca: server.ca });
    session.setMaxListeners(0);
    const deaf = Array.from({ length: 60 }, () => askDeafTwo(session, server.token, configMaps));
    const headers = { ":path": configMaps, authorization: `Bearer ${server.token}` };
    const parts: Buffer[] = [];
    for await (const part of session.request(headers)) parts.push(part as Buffer);
    const { items } = JSON.parse(Buffer.concat(parts).toString("utf8")) as { items: unknown[] };
    assert.ok(items.length >= 4);
    assert.ok(deaf.every((isOver) => !isOver()));
    session.destroy();
    assert.deepEqual(server.errors, []);
  });
});
