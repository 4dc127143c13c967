// Terraform's own `http` backend: the real Terraform of a user, and requests that it sends in rare
// cases.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { findTerraform } from "../../tools/peers.ts";
import { waitUntil } from "../peers/wait.ts";
import { applyToServer, chain, filesWith, startRig, withoutTerraform } from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

const sentinel = "sentinel-51aa-http-state";

interface Ran {
  readonly code: number;
  readonly text: string;
}

describe("the http backend of Terraform", { skip: withoutTerraform }, () => {
  let rig: ExecutorRig;
  let folder = "";
  let token = "";
  before(async () => {
    rig = await startRig();
    folder = await mkdtemp(join(tmpdir(), "setpoint-tf-"));
    token = await userToken(rig);
  });
  after(async () => {
    await rig?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const path = (name: string): string => `/api/v1/terraform-state/default/${name}`;
  const terraform = async (name: string, ...args: readonly string[]): Promise<Ran> => {
    const url = `${rig.server.url}${path(name)}`;
    const cwd = join(folder, name);
    await mkdir(cwd, { recursive: true });
    const env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: folder,
      CHECKPOINT_DISABLE: "1",
      TF_IN_AUTOMATION: "1",
      SSL_CERT_FILE: join(rig.server.folder, "ca.crt"),
      TF_HTTP_ADDRESS: url,
      TF_HTTP_LOCK_ADDRESS: url,
      TF_HTTP_UNLOCK_ADDRESS: url,
      TF_HTTP_USERNAME: "terraform",
      TF_HTTP_PASSWORD: token,
    };
    const program = findTerraform() ?? "";
    const { promise, resolve } = Promise.withResolvers<Ran>();
    execFile(program, [...args, "-no-color"], { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, text: `${stdout}${stderr}` });
    });
    return await promise;
  };
  const configure = async (name: string, body: string): Promise<void> => {
    await mkdir(join(folder, name), { recursive: true });
    const text = `terraform {\n  backend "http" {}\n}\n${body}`;
    await writeFile(join(folder, name, "main.tf"), text);
  };
  const ok = ({ code, text }: Ran): string => {
    assert.equal(code, 0, text);
    return text;
  };
  const ask = async (
    method: string,
    at: string,
    body: JsonObject | string = "",
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const sent = typeof body === "string" ? Buffer.from(body) : body;
    const headers = { authorization: `Basic ${Buffer.from(`tf:${token}`).toString("base64")}` };
    const answer = await rig.server.ask(at, { method, body: sent, headers });
    return { status: answer.status, text: answer.body.toString() };
  };
  const lock = (ID: string): JsonObject => ({ ID, Operation: "test", Who: "tests" });
  const state = (serial: number, lineage = "l1", value = "x"): JsonObject => ({
    version: 4,
    terraform_version: "1.11.4",
    serial,
    lineage,
    outputs: { v: { value, type: "string" } },
    resources: [],
  });

  it("serves init, plan, apply and destroy of the real Terraform", async () => {
    await configure("real", 'resource "terraform_data" "a" { input = 1 }');
    ok(await terraform("real", "init", "-input=false"));
    assert.match(ok(await terraform("real", "plan", "-input=false")), /1 to add/);
    assert.match(ok(await terraform("real", "apply", "-auto-approve")), /1 added/);
    assert.match(ok(await terraform("real", "plan", "-input=false")), /No changes/);
    assert.match(ok(await terraform("real", "state", "list")), /terraform_data\.a/);
    assert.match(ok(await terraform("real", "destroy", "-auto-approve")), /1 destroyed/);
    const versions = await ask("GET", `${path("real")}/versions`);
    const { items } = JSON.parse(versions.text) as { readonly items: readonly JsonObject[] };
    assert.ok(items.length >= 2);
    assert.match(JSON.stringify(items[0]), /system:serviceaccount:default:terraform/);
  });

  it("refuses a second Terraform with the holder of the lock", async () => {
    await configure("busy", 'resource "terraform_data" "a" {}');
    ok(await terraform("busy", "init", "-input=false"));
    assert.equal((await ask("LOCK", path("busy"), lock("first"))).status, 200);
    const { code, text } = await terraform("busy", "plan", "-input=false");
    assert.equal(code, 1);
    assert.match(text, /Error acquiring the state lock[\s\S]*ID=first/);
    assert.equal((await ask("UNLOCK", path("busy"), lock("first"))).status, 200);
    ok(await terraform("busy", "plan", "-input=false"));
  });

  it("locks again for the same ID, and unlocks only for it", async () => {
    const at = path("locks");
    assert.equal((await ask("LOCK", at, lock("one"))).status, 200);
    assert.equal((await ask("LOCK", at, lock("one"))).status, 200);
    const other = await ask("LOCK", at, lock("two"));
    assert.equal(other.status, 423);
    assert.deepEqual(JSON.parse(other.text), lock("one"));
    assert.equal((await ask("UNLOCK", at, lock("two"))).status, 423);
    assert.equal((await ask("UNLOCK", at)).status, 400);
    assert.equal((await ask("LOCK", at, lock("two"))).status, 423);
    assert.equal((await ask("POST", `${at}/force-unlock`, {})).status, 403);
    const forced = await rig.server.ask(`${at}/force-unlock`, { method: "POST", body: {} });
    assert.equal(forced.status, 200);
    assert.equal((await ask("LOCK", at, lock("two"))).status, 200);
    assert.equal((await ask("UNLOCK", at, lock("two"))).status, 200);
  });

  it("refuses a wrong lock, a lower serial and another lineage; keeps the history", async () => {
    const at = path("history");
    assert.equal((await ask("LOCK", at, lock("a"))).status, 200);
    assert.equal((await ask("POST", `${at}?ID=a`, state(5))).status, 200);
    assert.equal((await ask("POST", `${at}?ID=b`, state(6))).status, 423);
    assert.equal((await ask("POST", at, state(6))).status, 423);
    assert.equal((await ask("POST", `${at}?ID=a`, state(4))).status, 409);
    assert.equal((await ask("POST", `${at}?ID=a`, state(6, "l2"))).status, 409);
    assert.equal((await ask("POST", `${at}?ID=a`, state(5, "l1", "other"))).status, 409);
    assert.equal((await ask("POST", `${at}?ID=a`, "no state")).status, 400);
    assert.equal((await ask("POST", `${at}?ID=a`, state(6, "l1", "six"))).status, 200);
    assert.equal((await ask("UNLOCK", at, lock("a"))).status, 200);
    assert.equal((await ask("POST", `${at}?ID=a`, state(7))).status, 409);
    const versions = JSON.parse((await ask("GET", `${at}/versions`)).text) as {
      readonly items: readonly { readonly name: string; readonly serial: number }[];
    };
    assert.deepEqual(
      versions.items.map(({ serial }) => serial),
      [6, 5],
    );
    const version = versions.items[1]?.name ?? "";
    assert.equal((await ask("POST", `${at}/restore`, { version })).status, 200);
    const restored = JSON.parse((await ask("GET", at)).text) as JsonObject;
    assert.deepEqual(restored, { ...state(5), serial: 7 });
  });

  it("answers 204 without a state, and 401 or 403 without the right", async () => {
    assert.equal((await ask("GET", path("none"))).status, 204);
    const basic = Buffer.from("tf:wrong").toString("base64");
    const headers = { authorization: `Basic ${basic}` };
    assert.equal((await rig.server.ask(path("none"), { headers })).status, 401);
    const foreign = path("none").replace("default", "kube-system");
    assert.equal((await ask("GET", foreign)).status, 403);
  });

  it("keeps the content of states out of resources, logs and files", async () => {
    const at = path("secret");
    assert.equal((await ask("POST", at, state(1, "l", sentinel))).status, 200);
    assert.match((await ask("GET", at)).text, new RegExp(sentinel));
    for (const kind of ["terraformstates", "stateversions"]) {
      assert.ok(!JSON.stringify(await rig.list(kind)).includes(sentinel));
    }
    assert.deepEqual(filesWith(rig.server.folder, sentinel), []);
    assert.ok(!rig.server.log().includes(sentinel));
  });

  it("gives a state to a TerraformStack that adopts it, whose plan is empty", async () => {
    const main = 'resource "terraform_data" "a" { input = 1 }';
    await configure("moved", main);
    ok(await terraform("moved", "init", "-input=false"));
    ok(await terraform("moved", "apply", "-auto-approve"));
    const source = { files: { "main.tf": main } };
    await rig.stacks.create("moved", { source });
    const foreign = await rig.stacks.says("moved", "Synced", "StateNotOwned");
    assert.match(JSON.stringify(foreign.status), /set spec\.adoptState to take it over/);
    await rig.stacks.delete("moved");
    await rig.stacks.gone("moved");
    assert.equal((await ask("LOCK", path("moved"), lock("busy"))).status, 200);
    await rig.stacks.create("moved", { source, adoptState: true });
    const locked = await rig.stacks.says("moved", "Synced", "StateLocked");
    assert.match(JSON.stringify(locked.status), /has the lock busy/);
    assert.equal((await ask("UNLOCK", path("moved"), lock("busy"))).status, 200);
    await rig.stacks.patch("moved", {
      metadata: { annotations: { "setpoint.dev/reconcile": "now" } },
    });
    const ready = await rig.stacks.ready("moved");
    assert.deepEqual(ready.status?.plan, { add: 0, change: 0, remove: 0, import: 0 });
    assert.equal(ready.status.state?.resources, 1);
    assert.match((await terraform("moved", "apply", "-auto-approve")).text, /invalid auth/);
    await rig.stacks.delete("moved");
    await rig.stacks.gone("moved");
    const isDeleted = async (): Promise<boolean> =>
      (await ask("GET", path("moved"))).status === 204;
    await waitUntil("the state to be deleted", isDeleted);
  });

  it("has no state to adopt until it is stored, and the stack can be deleted", async () => {
    const source = { files: { "main.tf": "" } };
    await rig.stacks.create("nothing", { source, adoptState: true });
    const failed = await rig.stacks.says("nothing", "Synced", "StateNotFound");
    assert.match(JSON.stringify(failed.status), /no TerraformState nothing to adopt/);
    await rig.stacks.delete("nothing");
    await rig.stacks.gone("nothing");
  });

  it("gives a state only to a stack whose author may read and write it", async () => {
    assert.equal((await ask("POST", path("kept"), state(1))).status, 200);
    const metadata = { name: "stacks", namespace: "default" };
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata };
    const group = "executors.setpoint.dev";
    const rules = [{ apiGroups: [group], resources: ["terraformstacks"], verbs: ["*"] }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "stacks" };
    const subjects = [{ kind: "User", name: "eve", apiGroup: "rbac.authorization.k8s.io" }];
    await applyToServer(rig.server, { ...rbac, kind: "Role", rules });
    await applyToServer(rig.server, { ...rbac, kind: "RoleBinding", roleRef, subjects });
    const stack = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: `${group}/v1`,
      kind: "TerraformStack",
      metadata: { name },
      spec: { source: { files: { "main.tf": "" } }, ...spec },
    });
    const at = `/apis/${group}/v1/namespaces/default/terraformstacks`;
    const create = async (body: JsonObject): Promise<string> => {
      const headers = { "impersonate-user": "eve" };
      const answer = await rig.server.ask(at, { method: "POST", body, headers });
      return `${answer.status} ${answer.body.toString()}`;
    };
    const refused = await create(stack("kept", { adoptState: true }));
    assert.match(refused, /^403 .*read-content the terraformstates kept/);
    assert.match(await create(stack("eves", {})), /^201 /);
    await rig.stacks.delete("eves");
  });

  it("reads the state of a TerraformStack, and does not write it", async () => {
    await rig.stacks.create("managed", chain(["m"], rig.cloud, 0));
    await rig.stacks.ready("managed");
    assert.match((await ask("GET", path("managed"))).text, /terraform_data/);
    const { status, text } = await ask("LOCK", path("managed"), lock("x"));
    assert.equal(status, 403);
    assert.match(text, /belongs to the TerraformStack managed/);
    await rig.stacks.delete("managed");
    await rig.stacks.gone("managed");
  });
});

/** Of a ServiceAccount with the role `edit` in one namespace. */
async function userToken({ server }: ExecutorRig): Promise<string> {
  const metadata = { name: "terraform", namespace: "default" };
  await applyToServer(server, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await applyToServer(server, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  const path = "/api/v1/namespaces/default/serviceaccounts/terraform/token";
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const asked = async (): Promise<string | undefined> => {
    const answer = await server.ask(path, { method: "POST", body });
    if (answer.status !== 201) return undefined;
    const { status } = JSON.parse(answer.body.toString()) as {
      readonly status: { readonly token: string };
    };
    return status.token;
  };
  return await waitUntil("a token", asked);
}
