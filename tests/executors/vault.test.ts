// VaultSecrets of a real server against the Vault double: versions with compare-and-set, logins,
// generated values, deletion by policy, and that no value is shown anywhere.
import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { tokenIssuer } from "../../src/intents/auth/service-account-token.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { condition } from "../peers/resources.ts";
import type { Resources } from "../peers/resources.ts";
import { startVault, vaultRoleId, vaultRootToken, vaultSecretId } from "../peers/vault.ts";
import type { VaultPeer } from "../peers/vault.ts";
import { waitUntil } from "../peers/wait.ts";
import { checkedDrift, correctedDrift, driftOf, startExecutorRig } from "./rig.ts";
import type { ExecutorRig, Target } from "./rig.ts";

let vault: VaultPeer;
let rig: ExecutorRig;
let secrets: Resources<Target>;
let servers: Resources<Target>;

const allow = { namespaces: { names: ["default"] }, paths: ["secret/env/{namespace}/"] };
const sentinel = "sentinel-value-4711";

before(async () => {
  vault = await startVault();
  rig = await startExecutorRig(() => vault.url);
  secrets = rig.of("VaultSecret");
  servers = rig.of("VaultServer", undefined, "");
  await rig.secret("approle", { id: vaultSecretId });
  const secretRef = { namespace: "default", name: "approle", key: "id" };
  const auth = { appRole: { roleId: vaultRoleId, secretId: { secretRef } } };
  await servers.create("main", { url: rig.proxy.url, auth, allow });
  await servers.ready("main");
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await vault?.[Symbol.asyncDispose]();
});

interface VaultAnswer {
  readonly status: number;
  readonly json: {
    readonly data?: {
      readonly data?: Readonly<Record<string, string>>;
      readonly current_version?: number;
      readonly versions?: Readonly<Record<string, { destroyed: boolean; deletion_time: string }>>;
    };
  };
}

async function raw(method: string, path: string, body?: object): Promise<VaultAnswer> {
  const headers = { "x-vault-token": vaultRootToken };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${vault.url}/v1/secret/${path}`, { method, headers, ...given });
  const text = await answer.text();
  const json = (text === "" ? {} : JSON.parse(text)) as VaultAnswer["json"];
  return { status: answer.status, json };
}

const valueAt = async (name: string) =>
  (await raw("GET", `data/env/default/${name}`)).json.data?.data;
const spec = (name: string, data: JsonObject, more: JsonObject = {}): JsonObject => {
  return { server: "main", path: `env/default/${name}`, data, ...more };
};
const end = async (name: string): Promise<void> => {
  await secrets.delete(name);
  await secrets.gone(name);
};

describe("a VaultRead", () => {
  it("keeps an owned Secret with the newest values, which other parts can use", async () => {
    const reads = rig.of("VaultRead");
    const from = { server: "main", path: "broker/setpoint" };
    const denied = await reads.tryCreate("broker", from);
    assert.equal(denied.status, 422);
    assert.match(denied.text, /spec\.path: .*has no spec\.allow\.reads/);
    await servers.patch("main", { spec: { allow: { reads: ["secret/broker/"] } } });
    await servers.ready("main");
    await raw("POST", "data/broker/setpoint", { data: { username: "setpoint", password: "one" } });
    await reads.create("broker", from);
    const first = await reads.ready("broker");
    const name = first.status?.secretOutputs?.name ?? "";
    assert.equal(name, "broker-values");
    const valueOf = async (key: string): Promise<string> => {
      const { body } = await rig.server.ask(`/api/v1/namespaces/default/secrets/${name}`);
      const { data } = JSON.parse(body.toString()) as { readonly data: Record<string, string> };
      return Buffer.from(data[key] ?? "", "base64").toString();
    };
    assert.deepEqual([await valueOf("username"), await valueOf("password")], ["setpoint", "one"]);
    assert.doesNotMatch(JSON.stringify(first), /"one"/);
    await raw("POST", "data/broker/setpoint", { data: { username: "setpoint", password: "two" } });
    await reads.reconcile("broker");
    assert.equal(await valueOf("password"), "two");
    const outside = await reads.tryCreate("outside", { ...from, path: "env/default/plain" });
    assert.match(outside.text, /only reads of paths that begin with secret\/broker\//);
    await reads.create("absent", { ...from, path: "broker/absent" });
    await reads.says("absent", "Ready", "SecretNotFound");
    for (const each of ["broker", "absent"]) {
      await reads.delete(each);
      await reads.gone(each);
    }
  });
});

describe("a VaultServer", () => {
  it("shows the health codes of Vault", async () => {
    for (const [code, health, ready] of [
      [503, "Sealed", "False"],
      [472, "DrSecondary", "False"],
      [429, "Standby", "True"],
      [200, "Active", "True"],
    ] as const) {
      vault.setHealth(code);
      const one = await servers.reconcile("main");
      assert.equal(one.status?.["health"], health);
      assert.equal(condition(one, "Ready")?.status, ready);
    }
  });

  it("needs exactly one way to log in", async () => {
    const { status, text } = await servers.tryCreate("none", {
      url: "http://127.0.0.1:1",
      auth: {},
    });
    assert.equal(status, 422, text);
    assert.match(text, /exactly one of token, appRole and jwt/);
  });
});

describe("a VaultSecret", () => {
  it("writes versions with compare-and-set, and never shows a value", async () => {
    await secrets.create("life", spec("life", { password: sentinel }));
    const created = await secrets.ready("life");
    assert.deepEqual(await valueAt("life"), { password: sentinel });
    assert.equal(created.status?.outputs?.["version"], 1);
    await secrets.patch("life", { spec: { data: { password: `${sentinel}-2` } } });
    const changed = await secrets.ready("life");
    assert.equal(changed.status?.outputs?.["version"], 2);
    assert.deepEqual(await valueAt("life"), { password: `${sentinel}-2` });
    assert.doesNotMatch(JSON.stringify([created, changed]), /sentinel/);
    await end("life");
  });

  it("is soft-deleted by default, and its path can be used again", async () => {
    await secrets.create("soft", spec("soft", { a: "1" }));
    await secrets.ready("soft");
    await end("soft");
    const { status, json } = await raw("GET", "metadata/env/default/soft");
    assert.equal(status, 200);
    assert.notEqual(json.data?.versions?.["1"]?.deletion_time, "");
    await secrets.create("soft", spec("soft", { a: "2" }));
    assert.equal((await secrets.ready("soft")).status?.outputs?.["version"], 2);
    await end("soft");
  });

  it("is destroyed with its metadata, or kept, when the spec says so", async () => {
    for (const deletion of ["Destroy", "Keep"]) {
      const name = deletion.toLowerCase();
      await secrets.create(name, spec(name, { a: "1" }, { deletion }));
      await secrets.ready(name);
      await end(name);
      const { status } = await raw("GET", `data/env/default/${name}`);
      assert.equal(status, deletion === "Keep" ? 200 : 404);
      const metadata = await raw("GET", `metadata/env/default/${name}`);
      assert.equal(metadata.status, deletion === "Keep" ? 200 : 404);
    }
  });

  it("that loses to a concurrent writer reports a conflict and overwrites nothing", async () => {
    await secrets.create("race", spec("race", { a: "1" }));
    await secrets.ready("race");
    vault.beforeNextWrite(async () => {
      await raw("POST", "data/env/default/race", { data: { a: "theirs" } });
    });
    await secrets.patch("race", { spec: { data: { a: "2" } } });
    await secrets.says("race", "Synced", "Conflict");
    await secrets.reconcile("race");
    assert.deepEqual(await valueAt("race"), { a: "theirs" });
    await correctedDrift(secrets, "race");
    await secrets.ready("race");
    assert.deepEqual(await valueAt("race"), { a: "2" });
    await end("race");
  });

  it("does not touch a secret that Setpoint did not create, not even at its deletion", async () => {
    await raw("POST", "data/env/default/taken", { data: { a: "theirs" } });
    await secrets.create("taken", spec("taken", { a: "1" }));
    await secrets.says("taken", "Ready", "SecretNotOwned");
    await end("taken");
    assert.deepEqual(await valueAt("taken"), { a: "theirs" });
  });

  it("reports drift by the version without reading values, and corrects it", async () => {
    await secrets.create("drift", spec("drift", { a: "1" }));
    await secrets.ready("drift");
    await raw("POST", "data/env/default/drift", { data: { a: "by hand" } });
    const reads = (): number =>
      vault.requests.filter((each) => each.startsWith("GET /v1/secret/data")).length;
    const readsBefore = reads();
    const drifted = await checkedDrift(secrets, "drift");
    assert.deepEqual(driftOf(drifted), ["changed secret/env/default/drift"]);
    assert.equal(condition(drifted, "Ready")?.status, "True");
    assert.equal(reads(), readsBefore);
    const corrected = await correctedDrift(secrets, "drift");
    assert.equal(corrected.status?.drift?.state, "None");
    assert.deepEqual(await valueAt("drift"), { a: "1" });
    await end("drift");
  });

  it("recognises its own version when the answer to a write was lost", async () => {
    const match = { method: "POST", path: "/v1/secret/data/env/default/lost" };
    const rule = rig.proxy.on(match, { kind: "lose" }, 1);
    await secrets.create("lost", spec("lost", { a: "1" }));
    await rule.hit();
    const one = await secrets.ready("lost");
    assert.equal(one.status?.outputs?.["version"], 1, "the version is not written twice");
    await end("lost");
  });

  it("generates values once before their use, and offers them in an owned Secret", async () => {
    const generate = [
      { key: "password", type: "Password", length: 40 },
      { key: "signing", type: "KeyPair" },
      { key: "tls", type: "Certificate", hosts: ["db.example", "192.0.2.7"], days: 30 },
    ];
    const match = { method: "POST", path: "/v1/secret/data/env/default/made" };
    const rule = rig.proxy.on(match, { kind: "answer", answer: { status: 503 } }, 1);
    await secrets.create("made", spec("made", { user: "app" }, { generate }));
    await rule.hit();
    const [refused] = rig.proxy.requests(match);
    const one = await secrets.ready("made");
    const values = (await valueAt("made")) ?? {};
    const sent = JSON.parse(refused?.body ?? "{}") as { readonly data?: object };
    assert.deepEqual(sent.data, values, "a repeated run uses the same values");
    assert.equal(values["password"]?.length, 40);
    const publicKey = createPublicKey(createPrivateKey(values["signing"] ?? ""));
    const exported = publicKey.export({ type: "spki", format: "pem" });
    assert.equal(one.status?.outputs?.["signing.pub"], exported);
    const certificate = new X509Certificate(textAt(one.status?.outputs, "tls.crt"));
    assert.equal(certificate.checkPrivateKey(createPrivateKey(values["tls"] ?? "")), true);
    assert.equal(certificate.checkHost("db.example"), "db.example");
    assert.doesNotMatch(JSON.stringify(one), /PRIVATE KEY/);
    const name = one.status?.secretOutputs?.name ?? "";
    const { body } = await rig.server.ask(`/api/v1/namespaces/default/secrets/${name}`);
    const { data } = JSON.parse(body.toString()) as { readonly data: Record<string, string> };
    assert.equal(
      Buffer.from(data["password"] ?? "", "base64").toString(),
      values["password"],
      "the owned Secret has the values",
    );
    await secrets.patch("made", {
      spec: { generate: [{ key: "password", type: "Password", length: 40, rotation: "2" }] },
    });
    await waitUntil("a new password", async () => {
      const next = (await valueAt("made"))?.["password"];
      return next !== undefined && next !== values["password"];
    });
    await end("made");
  });

  it("logs in again when Vault revokes the token, and renews it before it expires", async () => {
    await secrets.create("login", spec("login", { a: "1" }));
    await secrets.ready("login");
    vault.revokeAll();
    await secrets.patch("login", { spec: { data: { a: "2" } } });
    await secrets.ready("login");
    vault.revokeAll();
    vault.setLease(3);
    await secrets.patch("login", { spec: { data: { a: "3" } } });
    await secrets.ready("login");
    await waitUntil("a renewal", async () => {
      await secrets.reconcile("login");
      return vault.requests.some((each) => each.includes("renew-self"));
    });
    vault.setLease(3_600);
    await end("login");
  });

  it("logs in with the token of its ServiceAccount", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "deployer" } };
    const path = "/api/v1/namespaces/default/serviceaccounts";
    await rig.server.ask(path, { method: "POST", body: account });
    const auth = { jwt: { role: "deployer" } };
    await servers.create("jwt", { url: rig.proxy.url, auth, allow });
    const more = { server: "jwt", serviceAccountName: "deployer" };
    await secrets.create("jwt", { ...spec("jwt", { a: "1" }), ...more });
    await secrets.ready("jwt");
    const claims = vault.jwtLogins.at(-1);
    assert.equal(claims?.["sub"], "system:serviceaccount:default:deployer");
    assert.deepEqual(claims?.["aud"], ["vault"]);
    await end("jwt");
    await servers.delete("jwt");
    await servers.gone("jwt");
  });

  it("may use a ServiceAccount only when its author may", async () => {
    const user = { "impersonate-user": "ada", "impersonate-group": "system:authenticated" };
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "ada" },
      subjects: [{ kind: "User", name: "ada", apiGroup: "rbac.authorization.k8s.io" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "ada" },
    };
    const executors = { apiGroups: ["executors.setpoint.dev"], resources: ["*"], verbs: ["*"] };
    const cluster = { ...role, kind: "ClusterRole", rules: [executors], subjects: undefined };
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await rig.server.ask(`${rbac}/clusterroles`, { method: "POST", body: cluster });
    const bindings = `${rbac}/namespaces/default/rolebindings`;
    await rig.server.ask(bindings, { method: "POST", body: role });
    const body = {
      apiVersion: "executors.setpoint.dev/v1",
      kind: "VaultSecret",
      metadata: { name: "hers" },
      spec: spec("hers", { a: "1" }, { serviceAccountName: "deployer" }),
    };
    const answer = await rig.server.ask(secrets.path(), { method: "POST", body, headers: user });
    assert.equal(answer.status, 403, answer.body.toString());
    assert.match(answer.body.toString(), /may not use the ServiceAccount/);
  });

  it("gets no token that is valid at this server, nor that of an account of others", async () => {
    const api = "rbac.authorization.k8s.io";
    const metadata = { name: "operator" };
    const role = {
      apiVersion: `${api}/v1`,
      kind: "ClusterRole",
      metadata,
      rules: [{ apiGroups: ["executors.setpoint.dev"], resources: ["*"], verbs: ["*"] }],
    };
    const binding = {
      apiVersion: `${api}/v1`,
      kind: "ClusterRoleBinding",
      metadata,
      subjects: [{ kind: "User", name: "grace", apiGroup: api }],
      roleRef: { apiGroup: api, kind: "ClusterRole", name: "operator" },
    };
    await rig.server.ask(`/apis/${api}/v1/clusterroles`, { method: "POST", body: role });
    await rig.server.ask(`/apis/${api}/v1/clusterrolebindings`, { method: "POST", body: binding });
    const headers = { "impersonate-user": "grace", "impersonate-group": "system:authenticated" };
    const serviceAccount = { namespace: "default", name: "deployer" };
    const create = async (jwt: JsonObject): Promise<{ status: number; body: Buffer }> => {
      const body = {
        apiVersion: "executors.setpoint.dev/v1",
        kind: "VaultServer",
        metadata: { name: "hers" },
        spec: { url: rig.proxy.url, auth: { jwt: { role: "deployer", ...jwt } } },
      };
      return await rig.server.ask(servers.path(), { method: "POST", body, headers });
    };
    const foreign = await create({ serviceAccount });
    assert.equal(foreign.status, 403, foreign.body.toString());
    assert.match(foreign.body.toString(), /may not use the ServiceAccount default\/deployer/);
    const own = await create({ audience: tokenIssuer });
    assert.equal(own.status, 422, own.body.toString());
    assert.match(own.body.toString(), /tokens of this audience are valid at this server/);
  });

  const wrong: readonly (readonly [string, JsonObject, RegExp])[] = [
    [
      "another path",
      { server: "main", path: "other/a", data: { a: "1" } },
      /begin with secret\/env/,
    ],
    ["a path with ..", spec("../x", { a: "1" }), /must not contain empty parts/],
    ["no value", { server: "main", path: "env/default/x" }, /at least one value/],
    ["a server that is not allowed", { ...spec("x", { a: "1" }), server: "no" }, /no VaultServer/],
  ];
  for (const [what, given, message] of wrong) {
    it(`with ${what} is refused with the field`, async () => {
      const { status, text } = await secrets.tryCreate("wrong", given);
      assert.equal(status, 422, text);
      assert.match(text, message);
    });
  }

  it("for a path that has one is refused, and the holder is named", async () => {
    await secrets.create("first", spec("same", { a: "1" }));
    const { status, text } = await secrets.tryCreate("second", spec("same", { a: "1" }));
    assert.equal(status, 409, text);
    assert.match(text, /default\/first/);
    await end("first");
  });

  it("leaves no value in the data folder and in the log", async () => {
    const files = await readdir(rig.server.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      const content = await readFile(join(file.parentPath, file.name));
      assert.equal(content.includes(sentinel), false, file.name);
    }
    assert.equal(rig.server.log().includes(sentinel), false);
  });
});
