// `setpoint/client` against a server: calls, streams, refusals, and the example of its page.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ApiError, createClient } from "setpoint/client";
import type { Client } from "setpoint/client";
import { Agent, fetch as fetchWith } from "undici";
import { root } from "../../tools/stages.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startProgram } from "../peers/child.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

describe("setpoint/client", () => {
  let server: KubeServer;
  let agent: Agent;
  let client: Client;
  const options = () => ({
    server: server.url,
    fetch: ((url: string, init: object) =>
      fetchWith(url, { ...init, dispatcher: agent })) as unknown as typeof fetch,
  });

  before(async () => {
    server = await startKubeServer();
    agent = new Agent({ connect: { ca: server.ca } });
    client = createClient({ ...options(), token: async () => server.token });
    const body = { metadata: { name: "settings" }, data: { size: "1" } };
    assert.equal((await server.request("POST", configMaps, body)).status, 201);
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  it("calls an operation without parts, and with a path and a query", async () => {
    const { kinds } = await client.call("getKinds");
    assert.ok(kinds.some(({ kind, may }) => kind === "configmaps" && may.includes("list")));
    const { revisions, name } = await client.call("getHistoryByKindByName", {
      path: { kind: "configmaps", name: "settings" },
      query: { namespace: "default", limit: 5 },
    });
    assert.equal(name, "settings");
    assert.deepEqual(
      revisions.map(({ type }) => type),
      ["created"],
    );
  });

  it("sends a body, and follows a stream until the loop ends", async () => {
    const [created] = (
      await client.call("getHistoryByKindByName", {
        path: { kind: "configmaps", name: "settings" },
        query: { namespace: "default" },
      })
    ).revisions;
    const patch = { data: { size: "2" } };
    const patched = await server.request("PATCH", `${configMaps}/settings`, patch, {
      "content-type": "application/merge-patch+json",
    });
    assert.equal(patched.status, 200);
    const rollback = await client.call("postRollbackByKindByName", {
      path: { kind: "configmaps", name: "settings" },
      query: { namespace: "default" },
      body: { to: created?.revision ?? 0 },
    });
    assert.deepEqual(
      rollback.changes.map(({ path, new: value }) => [path, value]),
      [["/data/size", "1"]],
    );
    const seen: string[] = [];
    const query = { kind: "configmaps", after: created?.revision };
    for await (const change of client.follow("getChanges", { query })) {
      if (change.name === "settings") seen.push(change.type);
      if (change.revision === rollback.revision) break;
    }
    assert.deepEqual(seen, ["updated", "updated"]);
  });

  it("a refusal is an ApiError with the problem of the server", async () => {
    const missing = client.call("getHistoryByKindByName", {
      path: { kind: "configmaps", name: "a/b" },
      query: { namespace: "default" },
    });
    await assert.rejects(missing, (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.code], [404, "resource.not_found"]);
      assert.match(error.problem.traceId ?? "", /^[0-9a-f]{32}$/);
      return true;
    });
    const stranger = createClient({ ...options(), token: "wrong" });
    await assert.rejects(stranger.call("getCounts"), { status: 401 });
  });

  it("a path parameter that changes the path is refused with its name", async () => {
    for (const name of ["", ".", ".."]) {
      const call = client.call("getHistoryByKindByName", { path: { kind: "configmaps", name } });
      await assert.rejects(call, {
        name: "TypeError",
        message: `the path parameter name must be a name, not ${JSON.stringify(name)}`,
      });
    }
    const path = {} as { kind: string; name: string };
    const without = client.call("getHistoryByKindByName", { path });
    await assert.rejects(without, /the path parameter kind must be a name, not undefined/);
  });

  it("follows a stream whose body cannot be iterated, and ends it with the loop", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const text = '{"type":"updated","name":"é"}\n{"type":"updated","name":"b"}\n{"ty';
        for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    // As in Safari.
    Object.defineProperty(body, Symbol.asyncIterator, { value: undefined });
    const response = new Response();
    Object.defineProperty(response, "body", { value: body });
    const own = createClient({ server: "https://server.example", fetch: async () => response });
    const names: (string | undefined)[] = [];
    for await (const { name } of own.follow("getChanges", {})) {
      names.push(name);
      if (names.length === 2) break;
    }
    assert.deepEqual(names, ["é", "b"]);
    assert.equal(isCancelled, true);
  });

  it("mistakes are errors of the type check", () => {
    const mistakes = async (): Promise<void> => {
      // @ts-expect-error -- the operation has no such parameter
      await client.call("getCounts", { query: { size: 1 } });
      // @ts-expect-error -- the operation needs a path
      await client.call("getHistoryByKindByName");
      // @ts-expect-error -- the answer has no such field
      void (await client.call("getCounts")).total;
      // @ts-expect-error -- a stream is followed
      await client.call("getChanges");
    };
    assert.equal(typeof mistakes, "function");
  });

  it("the example of the page is examples/client/problems.ts, and works", async () => {
    const file = "examples/client/problems.ts";
    const page = await readFile(join(root, "docs/reference/client.md"), "utf8");
    assert.ok(page.includes(`\n\`\`\`ts\n${await readFile(join(root, file), "utf8")}\`\`\`\n`));
    const data = await mkdtemp(join(tmpdir(), "setpoint-client-"));
    try {
      await writeFile(join(data, "admin.token"), `${server.token}\n`);
      await writeFile(join(data, "ca.crt"), server.ca);
      const env = {
        SETPOINT_SERVER: server.url,
        SETPOINT_DATA: data,
        NODE_EXTRA_CA_CERTS: join(data, "ca.crt"),
      };
      const nodeArgs = ["--conditions=setpoint-source"];
      await using program = await startProgram(file, { env, nodeArgs });
      assert.equal((await program.waitForExit()).code, 0, program.stderr());
      assert.match(program.stdout(), /^0 not ready\n$/);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});
