// /api/v1/self without credentials: build, time, liveliness, readiness and start, and what they
// answer while the database is stopped.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";

describe("/api/v1/self", () => {
  let postgres: Postgres;
  let server: KubeServer;
  const startedMs = Date.now();
  const anonymous = { authorization: "" };
  const read = (path: string): Promise<Reply> =>
    server.request("GET", `/api/v1/self/${path}`, undefined, anonymous);

  before(async () => {
    postgres = await startPostgres();
    server = await startKubeServer({ store: postgres.url(await postgres.createDatabase()) });
  });

  after(async () => {
    await server.stop();
    await postgres[Symbol.asyncDispose]();
  });

  it("info returns the version, the revision and the build time", async () => {
    const { status, json } = await read("info");
    assert.equal(status, 200);
    assert.match(pickText(json, "version"), /^\d+\.\d+\.\d+/);
    assert.match(pickText(json, "revision"), /^[0-9a-f]{40}$/);
    assert.ok(Date.parse(pickText(json, "builtAt")) <= Date.now());
  });

  it("ping and started return plausible times", async () => {
    for (const path of ["ping", "started"]) {
      const { status, json } = await read(path);
      const ms = Date.parse(pickText(json, "timestamp"));
      assert.equal(status, 200);
      assert.ok(ms >= startedMs - 1_000 && ms <= Date.now(), path);
    }
  });

  it("liveliness lists the names of the checks, or their results", async () => {
    const names = (json: unknown): readonly string[] =>
      pickList(json, "checks").map((check) => pickText(check, "name"));
    const summary = await read("liveliness");
    assert.deepEqual(Object.keys(pickList(summary.json, "checks")[0] as object), ["name"]);
    const { json } = await read("liveliness?type=detailed");
    assert.deepEqual(names(json), names(summary.json));
    assert.ok(names(json).includes("etcd"));
    for (const check of pickList(json, "checks")) {
      assert.equal(pickText(check, "status"), "passed", pickText(check, "name"));
      assert.notEqual(pickText(check, "timestamp"), "");
    }
    const refused = await read("liveliness?type=long");
    assert.equal(refused.status, 400);
    assert.match(refused.text, /summary/);
  });

  it("readiness is 503 and names the check while the database is stopped", async () => {
    assert.equal((await read("readiness")).status, 200);
    await postgres.stop("immediate");
    const failed = await waitUntil("503", async () => {
      const reply = await read("readiness");
      return reply.status === 503 && reply;
    });
    const broken = pickList(failed.json, "checks").filter(
      (check) => pick(check, "required") === true && pickText(check, "status") === "failed",
    );
    assert.deepEqual(
      broken.map((check) => pickText(check, "name")),
      ["etcd"],
    );
    assert.match(pickText(broken[0], "description"), /^store: /);
    assert.equal((await read("liveliness")).status, 200);
    await postgres.start();
    await waitUntil("200", async () => (await read("readiness")).status === 200);
  });
});
