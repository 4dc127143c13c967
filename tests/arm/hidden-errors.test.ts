// No error of the Resource Manager quotes a hidden value. A sentinel is stored in secret fields and
// sent in them with random malformed bodies, and through REST. Then it must be in no error, audit
// record or line of the log.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import * as fc from "fast-check";
import { pick } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { startArmServer, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const sentinel = "5entine1-4711-0815";
const digits = 471108154711;
const group = `/subscriptions/${subscription}/resourceGroups/Bank`;
const vault = `${group}/providers/Example.Vaults/vaults/one`;
const policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n";

let server: ArmServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-arm-hidden-"));
  await writeFile(join(folder, "policy.yaml"), policy);
  server = await startArmServer(undefined, {
    modules: ["vault"],
    auditPolicy: join(folder, "policy.yaml"),
    auditLog: join(folder, "audit.log"),
  });
  const body = { location: "westeurope", properties: { code: sentinel, pin: sentinel, n: 1 } };
  const made = await server.request("PUT", `${vault}?api-version=2026-02-01`, body);
  assert.equal(made.status, 201, made.text);
});

after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function assertHidden(what: string, text: string): void {
  for (const value of [sentinel, String(digits)]) {
    assert.ok(!text.includes(value), `${what}${text}`);
  }
}

function check(reply: Reply, what: string): void {
  assert.ok(reply.status < 500, `${what}: ${reply.text}`);
  if (reply.status < 400) return;
  assertHidden(`${what}: `, `${JSON.stringify(reply.headers)} ${reply.text}`);
}

const values = fc.constantFrom<unknown>(
  sentinel,
  digits,
  [sentinel],
  { a: sentinel },
  { [sentinel]: 1 },
  null,
  true,
);
const wrong = fc.constantFrom<unknown>(1_000, "x", [1], 60, 1, null);

it("malformed bodies leave no hidden value in errors, audit records and the log", async () => {
  const versions = fc.constantFrom("2026-01-01", "2026-02-01", "2026-03-01", "2020-01-01");
  const properties = fc.record(
    { code: values, pin: values, n: wrong, note: fc.constantFrom("x", 5) },
    { requiredKeys: [] },
  );
  const methods = fc.constantFrom("PUT", "PATCH");
  const cut = fc.boolean();
  const headers = { "content-type": "application/json" };
  const send = async (method: string, version: string, given: object, isCut: boolean) => {
    const text = JSON.stringify({ location: "westeurope", properties: given });
    const body = isCut ? text.slice(0, -2) : text;
    const path = `${vault}?api-version=${version}`;
    check(await server.request(method, path, body, headers), `${method} ${path} ${body}`);
  };
  await fc.assert(fc.asyncProperty(methods, versions, properties, cut, send), { numRuns: 300 });
  const last = "/api/v1/namespaces/default/configmaps/last";
  await server.request("GET", last);
  const audit = await waitUntil("the last record", async () => {
    const text = await readFile(join(folder, "audit.log"), "utf8");
    return text.includes(last) && text;
  });
  for (const record of audit.split("\n")) assertHidden("audit: ", record);
  for (const line of server.lines) assertHidden("log: ", line);
});

it("problems of REST list the fields with their kinds, and no hidden value", async () => {
  const body = { to: sentinel, [sentinel.slice(0, 3)]: 1, dryRun: "x" };
  const path = "/api/v1/rollback/vaults.vault.tests.dev/x?namespace=default";
  const reply = await server.request("POST", path, body);
  assert.equal(reply.status, 400, reply.text);
  const errors = pick(reply.json, "errors") as readonly { readonly kind: string }[];
  assert.deepEqual(errors.map(({ kind }) => kind).sort(), ["type", "type", "unknown"]);
  assert.deepEqual(Object.keys(errors[0] ?? {}), ["field", "kind", "detail"]);
  check(reply, "REST");
});
