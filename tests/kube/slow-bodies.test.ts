// Bodies that do not arrive: they hold no place among the writes, they cannot use up the places of
// other tenants, and the server refuses a client that sends too slowly, over HTTP/1.1 and HTTP/2.
import assert from "node:assert/strict";
import { connect as connectTwo } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { request as httpsRequest } from "node:https";
import { describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./samples.ts";
import { startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { asUser, createTenant, gaugeOf } from "./tenant-callers.ts";

const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const configMaps = "/api/v1/namespaces/alice/configmaps";

/** A request whose body begins and does not end. */
function openStream(
  session: ClientHttp2Session,
  { token }: KubeServer,
  user: string,
): ClientHttp2Stream {
  const stream = session.request(
    {
      ":method": "POST",
      ":path": reviews,
      authorization: `Bearer ${token}`,
      "impersonate-user": user,
      "content-type": "application/json",
    },
    { endStream: false },
  );
  stream.on("error", () => undefined);
  stream.write("{");
  return stream;
}

function openSession({ url, ca }: KubeServer): ClientHttp2Session {
  const session = connectTwo(url, { ca });
  session.setMaxListeners(0);
  session.on("error", () => undefined);
  return session;
}

async function statusOf(stream: ClientHttp2Stream): Promise<number> {
  return await new Promise<number>((resolve, reject) => {
    stream.once("response", (headers) => resolve(Number(headers[":status"])));
    stream.once("close", () => reject(new Error("the stream was closed without an answer")));
  });
}

describe("bodies that never end", () => {
  it("of two callers without a role take no place of another tenant's writes", async () => {
    await using server = await startKubeServer();
    await createTenant(server, "alice", ["alice"]);
    const sessions = ["stranger", "stranger-2"].map((user) => ({
      user,
      session: openSession(server),
    }));
    const answers: Promise<number>[] = [];
    for (const { user, session } of sessions) {
      for (let at = 0; at < 150; at++) answers.push(statusOf(openStream(session, server, user)));
    }
    const refused: number[] = [];
    for (const answer of answers) {
      answer.then(
        (status) => refused.push(status),
        () => undefined,
      );
    }
    // 300 streams: a few hold a place among the bodies, 50 wait, and the others are refused.
    await waitUntil("the server has refused most streams", () => refused.length > 150);
    assert.deepEqual(new Set(refused), new Set([429]));
    const bodies = await gaugeOf(server, "setpoint_bodies_in_transit");
    assert.ok(bodies > 0 && bodies < 100, `${bodies} bodies in transit`);
    assert.equal(await gaugeOf(server, "setpoint_writes_in_progress"), 0);
    const writes = Array.from({ length: 60 }, async (_, at) => {
      const map = { metadata: { name: `map-${at}` }, data: { a: "b" } };
      await created(server.request("POST", configMaps, map, asUser("alice")));
    });
    await Promise.all(writes);
    for (const { session } of sessions) session.destroy();
    await waitUntil(
      "the places are returned",
      async () => (await gaugeOf(server, "setpoint_bodies_in_transit")) === 0,
    );
    assert.deepEqual(server.errors, []);
  });

  it("are refused with 408 over HTTP/2", async () => {
    await using server = await startKubeServer({ bodyPaceMs: 50 });
    const session = openSession(server);
    assert.equal(await statusOf(openStream(session, server, "stranger")), 408);
    session.destroy();
    assert.equal(await gaugeOf(server, "setpoint_bodies_in_transit"), 0);
    assert.deepEqual(server.errors, []);
  });

  it("are refused with 408 over HTTP/1.1, however the length is stated", async () => {
    await using server = await startKubeServer({ bodyPaceMs: 50 });
    await createTenant(server, "alice", ["alice"]);
    const { ca, url, token } = server;
    const { hostname, port } = new URL(url);
    for (const length of [{}, { "content-length": "1000" }]) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers: Record<string, string> = {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "impersonate-user": "alice",
          ...length,
        };
        const call = httpsRequest({
          method: "POST",
          hostname,
          port,
          path: configMaps,
          ca,
          headers,
        });
        call.once("error", reject);
        call.once("response", (response) => {
          response.resume();
          resolve(response.statusCode);
          response.once("close", () => call.destroy());
        });
        call.write("{");
      });
      assert.equal(status, 408);
    }
    assert.equal(await gaugeOf(server, "setpoint_bodies_in_transit"), 0);
    assert.deepEqual(server.errors, []);
  });
});
