// Requests whose processing would block the event loop: the work is done by threads.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});
after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const maps = "/api/v1/namespaces/default/configmaps";
const yaml = { "content-type": "application/yaml" };

async function heavyJobs(): Promise<number> {
  const { text } = await server.request("GET", "/metrics");
  return Number(/^setpoint_heavy_jobs_total (\d+)$/m.exec(text)?.[1]);
}

/** The number of jobs that ran in threads for the requests of `act`. */
async function jobsOf(act: () => Promise<unknown>): Promise<number> {
  const jobs = await heavyJobs();
  await act();
  return (await heavyJobs()) - jobs;
}

function configMap(name: string, lines: number): string {
  const data = Array.from({ length: lines }, (_, line) => `  key-${line}: "value"\n`).join("");
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${data}`;
}

test("a long YAML body is parsed by a thread", async () => {
  const jobs = await jobsOf(async () => {
    const { status, json } = await server.request("POST", maps, configMap("long", 2_000), yaml);
    assert.equal(status, 201);
    assert.equal(Object.keys((json as { data: object }).data).length, 2_000);
  });
  assert.equal(jobs, 1);
});

test("a long YAML body of a user without any role is parsed by a thread", async () => {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const headers = { ...yaml, "impersonate-user": "stranger" };
  const jobs = await jobsOf(async () => {
    const { status } = await server.request("POST", path, `a: [${"a,".repeat(200_000)}a]`, headers);
    assert.equal(status, 422);
  });
  assert.equal(jobs, 1);
});

test("a long YAML body that is not allowed is refused before it is parsed", async () => {
  const headers = { ...yaml, "impersonate-user": "stranger" };
  const jobs = await jobsOf(async () => {
    const { status } = await server.request("POST", maps, configMap("not-mine", 2_000), headers);
    assert.equal(status, 403);
  });
  assert.equal(jobs, 0);
});

test("a long server-side apply in YAML is parsed by a thread", async () => {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const path = `${maps}/applied?fieldManager=test`;
  const jobs = await jobsOf(async () => {
    const { status } = await server.request("PATCH", path, configMap("applied", 2_000), headers);
    assert.equal(status, 201);
  });
  assert.equal(jobs, 1);
});

test("errors of a long YAML body name their lines", async () => {
  const body = `${configMap("twice", 2_000)}  key-0: again\n`;
  const path = `${maps}?fieldValidation=Strict`;
  const { status, text } = await server.request("POST", path, body, yaml);
  assert.equal(status, 400);
  assert.match(text, /line 2006: key \\"key-0\\" already set in map/);
});

test("a YAML body whose aliases describe a document over the limit is refused", async () => {
  const aliases = "  - *long\n".repeat(90);
  const body = `apiVersion: v1\nkind: ConfigMap\na: &long ${"a".repeat(100_000)}\nb:\n${aliases}`;
  const { status } = await server.request("POST", maps, body, yaml);
  assert.equal(status, 413);
});

test("short YAML bodies and JSON in a YAML body are parsed at once", async () => {
  const jobs = await jobsOf(async () => {
    const short = await server.request("POST", maps, configMap("short", 10), yaml);
    assert.equal(short.status, 201);
    const data = { text: "x".repeat(100_000) };
    const json = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "json" }, data };
    const long = await server.request("POST", maps, JSON.stringify(json), yaml);
    assert.equal(long.status, 201);
  });
  assert.equal(jobs, 0);
});
