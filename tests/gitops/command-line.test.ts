// `setpoint gitops` against a server and a repository.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Json } from "../../src/kernel/json.ts";
import { isSyncedAt, startServerRig } from "./server-rig.ts";
import type { ServerRig } from "./server-rig.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "setpoint");
let rig: ServerRig;

before(async () => {
  rig = await startServerRig({ pollSeconds: 86_400 });
  await rig.tenant("jane");
});

after(async () => {
  await rig[Symbol.asyncDispose]();
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function setpoint(...args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, KUBECONFIG: rig.server.kubeconfig, NO_COLOR: "1" };
  const given = ["gitops", ...args, "-n", "jane"];
  return await new Promise((resolve) => {
    execFile(program, given, { env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, stdout, stderr });
    });
  });
}

async function passed(...args: readonly string[]): Promise<Ran> {
  const ran = await setpoint(...args);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  return ran;
}

const manifests = (
  name: string,
  value: string,
  secret: string,
): Readonly<Record<string, string>> => ({
  "deploy/map.yaml":
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n` +
    `data: { key: "${value}" }\n`,
  "deploy/secret.yaml":
    `apiVersion: v1\nkind: Secret\nmetadata: { name: ${name}-keys }\n` +
    `stringData: { key: ${secret} }\n`,
});

async function liveValue(name: string): Promise<string> {
  return textAt(await rig.read(`/api/v1/namespaces/jane/configmaps/${name}`), "data", "key");
}

async function start(name: string, type = "automated"): Promise<string> {
  await rig.remote.create(name, { login: { username: "jane", password: "right" } });
  const commit = await rig.remote.commit(name, { files: manifests(name, "1", "hidden-1") });
  await rig.deploy("jane", name, { spec: { type } });
  return commit;
}

test("sync applies a new commit at once and shows the progress; diff shows it before", async () => {
  const first = await start("shop");
  await rig.reached("jane", "shop", "the first commit", isSyncedAt(first));
  const same = await passed("diff", "shop", "--exit-code");
  assert.match(same.stdout, /^shop at \w{10}: no differences$/m);

  const second = await rig.remote.commit("shop", { files: manifests("shop", "2", "hidden-2") });
  const diff = await setpoint("diff", "shop", "--exit-code");
  assert.equal(diff.code, 1, diff.stderr);
  assert.match(diff.stdout, new RegExp(`^shop at ${second.slice(0, 10)}$`, "m"));
  assert.match(diff.stdout, /^~ ConfigMap jane\/shop$\n^ +~ data\.key: "1" -> "2"$/m);
  assert.match(diff.stdout, /^~ Secret jane\/shop-keys {2}\(values are not shown\)$/m);
  const json = await setpoint("diff", "shop", "-o", "json");
  for (const { stdout, stderr } of [diff, json]) {
    assert.doesNotMatch(stdout + stderr, /hidden-|aGlkZGVu/);
  }
  assert.equal(await liveValue("shop"), "1", "a diff changes nothing");

  const synced = await passed("sync", "shop");
  assert.match(
    synced.stdout,
    new RegExp(`^shop {2}Synced {2}Healthy {2}${second.slice(0, 10)}$`, "m"),
  );
  assert.equal(await liveValue("shop"), "2");
  const { stdout } = await passed("list");
  assert.match(stdout, /^NAME +SYNC +HEALTH +REVISION +PROBLEM$\n^shop +Synced +Healthy +/m);
});

test("rollback keeps an earlier commit of an automated deployment, until it is ended", async () => {
  const first = await start("web");
  await rig.reached("jane", "web", "the first commit", isSyncedAt(first));
  const second = await rig.remote.commit("web", { files: manifests("web", "2", "hidden-2") });
  await passed("sync", "web");
  const back = await passed("rollback", "web", "--reason", "checkout fails");
  assert.match(back.stderr, /web keeps \w{10} until its repository has a newer commit than \w{10}/);
  assert.equal(await liveValue("web"), "1");
  const pinned = await rig.deployment("jane", "web");
  assert.deepEqual(pinned["spec"] && (pinned["spec"] as Record<string, Json>)["pin"], {
    revision: first,
    head: second,
    reason: "checkout fails",
  });
  await passed("sync", "web");
  assert.equal(await liveValue("web"), "1", "a sync keeps the pin");
  const shown = await passed("get", "web");
  assert.match(shown.stdout, /^pinned +\w{10} checkout fails$/m);
  assert.match(shown.stdout, /^OBJECT +SYNC +HEALTH +MESSAGE$\n^ConfigMap jane\/web +Synced/m);
  const history = objectsAt(pinned, "status", "history");
  assert.deepEqual(
    history.map((entry) => [
      numberAt(entry, "id"),
      textAt(entry, "revision"),
      textAt(entry, "trigger"),
    ]),
    [
      [0, first, "Automated"],
      [1, second, "Automated"],
      [2, first, "Rollback"],
    ],
  );
  await passed("rollback", "web", "--end");
  assert.equal(await liveValue("web"), "2");
  await passed("rollback", "web", "0");
  assert.equal(await liveValue("web"), "1");
  const third = await rig.remote.commit("web", { files: manifests("web", "3", "hidden-3") });
  await passed("sync", "web");
  assert.equal(await liveValue("web"), "3", "a newer commit ends the rollback");
  await passed("wait", "web", "--for", "synced", "--revision", third);
});

test("sync of a manual deployment creates a SyncRun for the revision", async () => {
  const first = await start("manual", "manual");
  await rig.remote.commit("manual", { files: manifests("manual", "2", "hidden-2") });
  const ran = await passed("sync", "manual", "--revision", first);
  assert.match(ran.stderr, /created GitOpsDeploymentSyncRun manual-\w+/);
  assert.equal(await liveValue("manual"), "1");
  await passed("sync", "manual");
  assert.equal(await liveValue("manual"), "2");
  await passed("rollback", "manual", first);
  assert.equal(await liveValue("manual"), "1");
});

test("a sync that fails ends with the reason and exit code 1", async () => {
  const first = await start("broken");
  await rig.reached("jane", "broken", "the first commit", isSyncedAt(first));
  const role =
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: { name: x }\nrules: []\n";
  await rig.remote.commit("broken", { files: { "deploy/role.yaml": role } });
  const failed = await setpoint("sync", "broken");
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /^broken {2}OutOfSync .*Role\.rbac\.authorization\.k8s\.io jane\/x/m);
  const late = await setpoint("wait", "broken", "--timeout", "1s");
  assert.equal(late.code, 1);
  assert.match(late.stderr, /broken did not get there in time/);
});

test("errors name the deployment, the revision and the option", async () => {
  const absent = await setpoint("diff", "absent");
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /gitopsdeployments\.gitops\.setpoint\.dev "absent" not found/);
  const first = await start("named");
  await rig.reached("jane", "named", "the first commit", isSyncedAt(first));
  const ref = await setpoint("diff", "named", "--revision", "no-such-branch");
  assert.match(ref.stderr, /RefNotFound: .*no-such-branch/);
  const option = await setpoint("sync", "named", "--prune");
  assert.match(option.stderr, /named is automated/);
  const timeout = await setpoint("wait", "named", "--timeout", "soon");
  assert.match(timeout.stderr, /--timeout soon is not a duration/);
});

test("a caller who may not read the objects sees paths without values", async () => {
  const first = await start("seen");
  await rig.reached("jane", "seen", "the first commit", isSyncedAt(first));
  await rig.remote.commit("seen", { files: manifests("seen", "visible-2", "hidden-2") });
  const metadata = { name: "viewer", namespace: "jane" };
  const rbac = "rbac.authorization.k8s.io";
  const rules = [
    { apiGroups: ["gitops.setpoint.dev"], resources: ["gitopsdeployments"], verbs: ["get"] },
  ];
  await rig.apply({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  await rig.apply({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "viewer" },
    subjects: [{ apiGroup: rbac, kind: "User", name: "viewer" }],
  });
  const path = "/api/v1/gitops/deployments/jane/seen";
  const headers = { "impersonate-user": "viewer" };
  const { status, body } = await rig.server.ask(`${path}/diff`, { headers });
  assert.equal(status, 200, body.toString());
  assert.match(body.toString(), /"path":"data\.key","kind":"changed"}/);
  assert.doesNotMatch(body.toString(), /visible-2|hidden-2/);
  const refused = await rig.server.ask(`${path}/refresh`, { method: "POST", headers });
  assert.equal(refused.status, 403);
});
