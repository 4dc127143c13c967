// Webhooks of git hosts, at a server whose polling is too slow to be seen.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { gitopsLimits } from "../../src/modules/gitops/limits.ts";
import { waitUntil } from "../peers/wait.ts";
import { isSyncedAt, startServerRig } from "./server-rig.ts";
import type { ServerRig } from "./server-rig.ts";

const secret = "test-only-secret";
const publicUrl = "https://setpoint.example:7443";
let rig: ServerRig;

before(async () => {
  rig = await startServerRig({ pollSeconds: 86_400, publicUrl });
  await rig.tenant("jane");
  await rig.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "hook", namespace: "jane" },
    stringData: { token: `${secret}\n` },
  });
});

after(async () => {
  await rig[Symbol.asyncDispose]();
});

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { key: "${value}" }\n`;
const hmac = (body: string, key = secret): string =>
  createHmac("sha256", key).update(body).digest("hex");

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** Without credentials of a user, as a git host sends it. */
async function post(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const options = { method: "POST", ca: rig.server.ca, headers };
  const sent = request(`${rig.server.url}${path}`, options, (response) => {
    let text = "";
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    response.once("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
  });
  sent.once("error", reject);
  sent.end(body);
  return await promise;
}

const push = (url: string, ref = "refs/heads/main"): string =>
  JSON.stringify({ ref, repository: { clone_url: url } });

async function announce(name: string, body: string, key = secret): Promise<Answered> {
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-hub-signature-256": `sha256=${hmac(body, key)}`,
  };
  return await post(`/api/v1/gitops/webhooks/jane/${name}`, headers, body);
}

async function start(name: string): Promise<string> {
  const webhook = { provider: "GitHub", secretRef: { name: "hook", key: "token" } };
  await rig.remote.create(name, { login: { username: "jane", password: "right" } });
  const commit = await rig.remote.commit(name, {
    files: { "deploy/a.yaml": configMap(name, "1") },
  });
  await rig.deploy("jane", name, { source: { webhook } });
  await rig.reached("jane", name, "the first commit", isSyncedAt(commit));
  return rig.remote.url(name);
}

test("a signed push is applied at once although polling is off", async () => {
  const url = await start("pushed");
  const deployment = await rig.deployment("jane", "pushed");
  assert.equal(
    textAt(deployment, "status", "webhook", "url"),
    `${publicUrl}/api/v1/gitops/webhooks/jane/pushed`,
  );
  const times: number[] = [];
  for (const value of ["2", "3", "4", "5", "6"]) {
    const files = { "deploy/a.yaml": configMap("pushed", value) };
    const commit = await rig.remote.commit("pushed", { files });
    const startMs = performance.now();
    assert.deepEqual(await announce("pushed", push(url)), { status: 202, body: '{"sources":1}' });
    await waitUntil("the new value", async () => {
      const live = await rig.read("/api/v1/namespaces/jane/configmaps/pushed");
      return textAt(live, "data", "key") === value;
    });
    times.push(Math.round(performance.now() - startMs));
    await rig.reached("jane", "pushed", "the commit", isSyncedAt(commit));
  }
  console.log(`webhook to applied, in ms: ${times.join(", ")}`);
});

test("a push without the proof is refused alike for every URL, and reads nothing", async () => {
  const url = await start("guarded");
  const sent = rig.remote.requests.length;
  const files = { "deploy/a.yaml": configMap("guarded", "2") };
  await rig.remote.commit("guarded", { files });
  const body = push(url);
  const answers = [
    await announce("guarded", body, "wrong"),
    await announce("absent", body),
    await announce("absent", body, ""),
    await post("/api/v1/gitops/webhooks/jane/guarded", { "x-github-event": "push" }, body),
    await post("/api/v1/gitops/webhooks/nowhere/guarded", { "x-gitlab-token": secret }, body),
  ];
  const first = answers[0]?.body ?? "";
  const without = (text: string): string => text.replace(/"traceId":"\w+"/, "");
  for (const { status, body: text } of answers) {
    assert.equal(status, 401);
    assert.equal(without(text), without(first));
    assert.match(text, /gitops\.webhook_refused/);
    assert.doesNotMatch(text, /test-only/);
  }
  assert.equal(rig.remote.requests.length, sent, "no connection to the git host");
});

test("a long push compares the repository of its deployment, whatever it says", async () => {
  await start("long");
  const filler = "x".repeat(gitopsLimits.maxParsedWebhookChars);
  const body = JSON.stringify({ filler, repository: { clone_url: "https://other.example/a.git" } });
  assert.deepEqual(await announce("long", body), { status: 202, body: '{"sources":1}' });
});

test("pushes to other branches and repositories, and pings, compare nothing", async () => {
  const url = await start("quiet");
  const nothing = { status: 202, body: '{"sources":0}' };
  await rig.apply({
    apiVersion: "gitops.setpoint.dev/v1",
    kind: "GitOpsDeployment",
    metadata: { name: "branch", namespace: "jane" },
    spec: {
      source: { repoURL: url, path: "deploy", targetRevision: "main" },
      type: "manual",
    },
  });
  await rig.reached(
    "jane",
    "branch",
    "the source",
    (found) => textAt(found, "status", "source", "revision") !== "",
  );
  assert.deepEqual(await announce("quiet", push("https://git.example/x/y.git")), nothing);
  // The default branch can be any, so only the source of main is left out.
  assert.deepEqual(await announce("quiet", push(url, "refs/heads/next")), {
    status: 202,
    body: '{"sources":1}',
  });
  const ping = {
    "x-github-event": "ping",
    "x-hub-signature-256": `sha256=${hmac("{}")}`,
  };
  assert.deepEqual(await post("/api/v1/gitops/webhooks/jane/quiet", ping, "{}"), nothing);
});

test("a delivery that is too large is refused", async () => {
  const body = "x".repeat(gitopsLimits.maxWebhookBytes + 1);
  const { status } = await announce("pushed", body);
  assert.equal(status, 413);
});
