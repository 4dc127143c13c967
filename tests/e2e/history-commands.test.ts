// `setpoint history`, `diff`, `rollback` and `audit` as a person uses them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let server: Setpoint;
const maps = "/api/v1/namespaces/default/configmaps";

before(async () => {
  server = await startSetpoint();
  const metadata = { name: "prices" };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { tea: "1" } };
  assert.equal((await server.ask(maps, { method: "POST", body: map })).status, 201);
  for (const tea of ["2", "3"]) {
    const body = { ...map, data: { tea } };
    assert.equal((await server.ask(`${maps}/prices`, { method: "PUT", body })).status, 200);
  }
});

after(async () => {
  await server[Symbol.asyncDispose]();
});

async function setpoint(...args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, KUBECONFIG: server.kubeconfig };
  const child = spawn(join(root, "bin", "setpoint"), args, { env });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

async function revisions(): Promise<readonly number[]> {
  const { stdout } = await setpoint("history", "configmap/prices", "-o", "json");
  const history = JSON.parse(stdout) as { readonly revisions: { readonly revision: number }[] };
  return history.revisions.map(({ revision }) => revision);
}

it("history lists the revisions with who made them", async () => {
  const { code, stdout, stderr } = await setpoint("history", "cm/prices");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^REVISION +TIME +CHANGE +BY +VIA +FIELDS$/m);
  assert.match(stdout, /^\d+ +\S+Z +updated +\S+ +kube +\/data\/tea$/m);
  assert.match(stdout, /^\d+ +\S+Z +created +\S+ +kube$/m);
  const absent = await setpoint("history", "cm/absent");
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /configmaps "absent" not found in the namespace default \[/);
});

it("diff compares the newest two revisions, or those that are named", async () => {
  const [newest, , first] = await revisions();
  const usual = await setpoint("diff", "cm/prices");
  assert.equal(usual.stdout, '~ /data/tea: "2" -> "3"\n');
  const named = await setpoint("diff", "cm/prices", String(first), String(newest));
  assert.equal(named.stdout, '~ /data/tea: "1" -> "3"\n');
  const wrong = await setpoint("diff", "cm/prices", "x");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /FROM "x" is not a revision \[config\.invalid\]/);
});

it("rollback writes the content of an earlier revision", async () => {
  const [newest, , first] = await revisions();
  const dry = await setpoint("rollback", "cm/prices", "--to", String(first), "--dry-run");
  assert.match(dry.stdout, /^~ \/data\/tea: "3" -> "1"\n.* \(dry run\)\.\n$/);
  const stale = await setpoint("rollback", "cm/prices", "--to", "1", "--if-revision", "1");
  assert.equal(stale.code, 1);
  assert.match(stale.stderr, /\[precondition\.failed\]/);
  const args = ["--to", String(first), "--if-revision", String(newest)];
  const done = await setpoint("rollback", "cm/prices", ...args);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  assert.match(done.stdout, new RegExp(`has the content of revision ${first}\\. It is now at`));
  const again = await setpoint("rollback", "cm/prices", "--to", String(first));
  assert.match(again.stdout, new RegExp(`already has the content of revision ${first}\\.`));
  assert.equal((await setpoint("rollback", "cm/prices", "--to", "x")).code, 1);
});

it("audit lists who changed what", async () => {
  const { code, stdout } = await setpoint("audit", "--kind", "cm", "--name", "prices");
  assert.equal(code, 0);
  const place = "configmaps/prices in default";
  assert.match(stdout, new RegExp(`^\\S+Z +\\S+ +rest +updated +${place} +\\d+$`, "m"));
  assert.match(stdout, new RegExp(`^\\S+Z +\\S+ +kube +created +${place} +\\d+$`, "m"));
  const none = await setpoint("audit", "--actor", "stranger", "--since", "1h");
  assert.equal(none.stdout, "No records.\n");
  assert.match((await setpoint("audit", "--since", "soon")).stderr, /is not a time/);
});
