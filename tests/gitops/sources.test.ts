// GitSources against a git host over TLS: polling, faults, credentials, and trees for other parts.
// A probe in place of the sync reads the trees of deployments. The test owns the time.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { Git, OpenGit } from "../../src/adapters/git/port.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { OpenPorts } from "../../src/contract/ports.ts";
import { done } from "../../src/engine/outcome.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Context } from "../../src/engine/reconciler.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { gitopsConfiguration } from "../../src/modules/gitops/configuration.ts";
import { gitops } from "../../src/modules/gitops/module.ts";
import { deploymentsKind } from "../../src/modules/gitops/names.ts";
import { openPolicy } from "../../src/modules/gitops/policy/open-policy.ts";
import { openSource } from "../../src/modules/gitops/source/open-source.ts";
import type { SourceTrees } from "../../src/modules/gitops/source/source-trees.ts";
import { logger } from "../../src/telemetry/log.ts";
import { waitUntil } from "../peers/wait.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { startSshRemote } from "./ssh-remote.ts";
import { signedCommit } from "./signed-commit.ts";

const apiVersion = "gitops.setpoint.dev/v1";
const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};
/** A key that no host has. */
const otherHostKey = "AAAAC3NzaC1lZDI1NTE5AAAAIEzjPzGnJ7NBbD/r3kJZWfyJ9vVuE7IWJpBqUVGTeUX1";
let remote: GitRemote;
let memory: MemoryPlane;
let running: AsyncDisposable;

before(async () => {
  remote = await startGitRemote();
  memory = await openMemoryPlane({ builtIn: [probed], hasEngine: false });
  const { plane, surroundings } = memory;
  const log = logger(() => undefined, surroundings.clock, "warn");
  const modules = strictModules([]);
  running = await startReconciling({ plane, modules, config, surroundings, log });
  const allowPrivate = { cidrs: ["127.0.0.0/8"] };
  const policy = { namespaces: { names: ["jane"] }, repositories: { allowPrivate } };
  await create("GitOpsPolicy", "loopback", policy, "");
  for (const name of ["jane", "bob"]) {
    await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
});

after(async () => {
  await running[Symbol.asyncDispose]();
  await memory[Symbol.asyncDispose]();
  await remote[Symbol.asyncDispose]();
});

/** The sources of the module, and a reconciler that shows in a status what it reads. */
const probed: BuiltInModule = {
  ...gitops,
  open: async (given: OpenPorts) => {
    const openGit: OpenGit = async (options) => counted(await given.openGit(options));
    const ports = { ...given, openGit };
    const input = { ports, configuration: gitopsConfiguration({}) };
    const policy = openPolicy(input);
    const source = openSource({ ...input, policies: policy.policies });
    return {
      admission: policy.admission ?? [],
      policyOf: (system) => source.policyOf?.(system),
      close: async () => await source.close?.(),
      start: async (more) => {
        const stops = new AsyncDisposableStack();
        await source.start?.(more, stops);
        const reconcile = async (resource: Resource, context: Context): Promise<Outcome> =>
          await probe(source.trees, resource, context);
        stops.defer(more.engine.add({ kind: deploymentsKind, reconcile }));
        return stops;
      },
    };
  },
};

/** Calls of git that run: real programs, for which the time of the test stands still. */
let calls = 0;

function counted(git: Git): Git {
  const during = async <T>(work: Promise<T>): Promise<T> => {
    calls += 1;
    try {
      return await work;
    } finally {
      calls -= 1;
    }
  };
  return {
    ...git,
    resolve: async (...args) => await during(git.resolve(...args)),
    fetch: async (...args) => await during(git.fetch(...args)),
    tree: async (...args) => await during(git.tree(...args)),
    read: async (...args) => await during(git.read(...args)),
  };
}

async function pass(ms: number): Promise<void> {
  if (calls === 0) await memory.surroundings.timers.advance(ms);
}

async function probe(trees: SourceTrees, resource: Resource, context: Context): Promise<Outcome> {
  const found = await trees.sourceOf(resource, context);
  const show = (facts: JsonObject, more: JsonObject = {}): Outcome =>
    done({ status: { health: { status: "Unknown", message: JSON.stringify(facts) }, ...more } });
  if (found.kind === "problem") return show({ reason: found.reason });
  const source = { source: { name: found.name } };
  if (found.kind === "pending") return show({ pending: found.kind }, source);
  const problem = found.problem === undefined ? {} : { problem: found.problem.reason };
  const tree = await trees.open(found, textAt(resource, "spec", "source", "path"), context);
  if (tree.kind === "problem") return show({ reason: tree.reason, ...problem }, source);
  await using opened = tree;
  const contents = await opened.read(opened.tree.files, context.signal);
  const files = opened.tree.files.map(({ path }, index) => [
    path,
    Buffer.from(contents[index] ?? "").toString(),
  ]);
  return show({ files: Object.fromEntries(files) as JsonObject, ...problem }, source);
}

async function create(
  kind: string,
  name: string,
  spec: JsonObject,
  namespace = "jane",
): Promise<void> {
  const metadata = namespace === "" ? { name } : { name, namespace };
  await memory.create({ apiVersion, kind, metadata, spec });
}

async function createSecret(name: string, password: string, namespace = "jane"): Promise<void> {
  await memory.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "gitops.setpoint.dev/repository-credential",
    stringData: { username: "jane", password },
  });
}

/** A repository, a credential with the authority of the host, and a deployment of `deploy`. */
async function start(name: string, more: JsonObject = {}, password = "right"): Promise<void> {
  await remote.create(name, { login: { username: "jane", password: "right" } });
  const repository = remote.url(name);
  await createSecret(name, password);
  const caBundle = remote.caBundle;
  await create("GitOpsDeploymentRepositoryCredential", name, {
    repository,
    secret: name,
    caBundle,
  });
  const source = { repoURL: repository, path: "deploy", ...more };
  await create("GitOpsDeployment", name, { source, type: "manual" });
}

async function read(kind: string, name: string): Promise<Resource | undefined> {
  return await memory.read({ apiVersion, kind, namespace: "jane", name });
}

async function shown(name: string, pattern: RegExp, stepMs = 100): Promise<Resource> {
  let last = "";
  try {
    return await waitUntil(
      `${name} to show ${pattern.source}`,
      async () => {
        await pass(stepMs);
        const resource = await read("GitOpsDeployment", name);
        last = resource === undefined ? "" : textAt(resource, "status", "health", "message");
        return resource !== undefined && pattern.test(last) && resource;
      },
      { limitMs: 60_000 },
    );
  } catch (error) {
    throw new Error(`it shows ${last}`, { cause: error });
  }
}

async function sourceOf(name: string): Promise<Resource> {
  const deployment = await read("GitOpsDeployment", name);
  assert.ok(deployment);
  const source = await read("GitSource", textAt(deployment, "status", "source", "name"));
  assert.ok(source);
  return source;
}

test("a commit is read, a poll without news writes nothing, and a new commit is seen", async () => {
  await start("shop");
  const first = await remote.commit("shop", { files: { "deploy/a.yaml": "a: 1\n" } });
  await shown("shop", /"deploy\/a\.yaml":"a: 1/);
  const source = await sourceOf("shop");
  assert.equal(textAt(source, "status", "revision"), first);
  assert.equal(textAt(source, "status", "ref"), "refs/heads/main");
  const asked = remote.requests.length;
  await waitUntil("a poll", async () => {
    await pass(5_000);
    return remote.requests.length > asked + 1 && calls === 0;
  });
  await pass(1_000);
  assert.equal((await sourceOf("shop")).metadata.resourceVersion, source.metadata.resourceVersion);
  await remote.commit("shop", { files: { "deploy/a.yaml": "a: 2\n" } });
  await shown("shop", /"deploy\/a\.yaml":"a: 2/, 5_000);
});

test("a host that fails leaves the last revision, and recovers", async () => {
  await start("down", { intervalSeconds: 10 });
  await remote.commit("down", { files: { "deploy/a": "1" } });
  await shown("down", /"deploy\/a":"1"/);
  remote.fault = { kind: "status", status: 503 };
  await shown("down", /"1".*"problem":"HostUnreachable"/, 5_000);
  const { resourceVersion } = (await sourceOf("down")).metadata;
  const asked = remote.requests.length;
  // So many failures that the circuit breaker of the host opens.
  await waitUntil("further attempts", async () => {
    await pass(5_000);
    return remote.requests.length > asked + 8;
  });
  assert.equal((await sourceOf("down")).metadata.resourceVersion, resourceVersion);
  remote.fault = undefined;
  await remote.commit("down", { files: { "deploy/a": "2" } });
  await shown("down", /^\{"files":\{"deploy\/a":"2"\}\}$/, 5_000);
});

test("a bad branch and a missing path are problems until they are fixed", async () => {
  await start("branch", { targetRevision: "next", intervalSeconds: 10 });
  await remote.commit("branch", { files: { other: "1" } });
  await shown("branch", /"reason":"RefNotFound"/);
  await remote.commit("branch", { branch: "next", files: { other: "1" } });
  await shown("branch", /"reason":"PathNotFound"/, 2_000);
  await remote.commit("branch", { branch: "next", files: { "deploy/a": "1" } });
  await shown("branch", /"deploy\/a":"1"/, 2_000);
});

test("a new password in the Secret is used at once", async () => {
  await start("rotated", {}, "wrong");
  await remote.commit("rotated", { files: { "deploy/a": "1" } });
  await shown("rotated", /"reason":"AuthenticationFailed"/);
  const secret = { apiVersion: "v1", kind: "Secret", namespace: "jane", name: "rotated" };
  await memory.patch(secret, { stringData: { password: "right" } });
  await shown("rotated", /"deploy\/a":"1"/);
  const text = JSON.stringify([
    await sourceOf("rotated"),
    await read("GitOpsDeployment", "rotated"),
  ]);
  assert.doesNotMatch(text, /wrong|right/);
});

test("another tenant has neither the credential nor the address", async () => {
  await start("private");
  await remote.commit("private", { files: { "deploy/a": "1" } });
  await shown("private", /"deploy\/a":"1"/);
  const asked = remote.requests.length;
  const source = { repoURL: remote.url("private"), path: "deploy" };
  await create("GitOpsDeployment", "private", { source, type: "manual" }, "bob");
  await waitUntil("a problem", async () => {
    await pass(100);
    const at = { apiVersion, kind: "GitOpsDeployment", namespace: "bob", name: "private" };
    const resource = await memory.read(at);
    return /AddressRefused/.test(JSON.stringify(resource));
  });
  assert.equal(remote.requests.length, asked);
});

test("a credential that is created later is found by its URL", async () => {
  await remote.create("later", { login: { username: "jane", password: "right" } });
  await remote.commit("later", { files: { "deploy/a": "1" } });
  const repository = remote.url("later");
  const source = { repoURL: repository, path: "deploy" };
  await create("GitOpsDeployment", "later", { source, type: "manual" });
  await shown("later", /"reason":"CertificateInvalid"/);
  await createSecret("later", "right");
  const { caBundle } = remote;
  const spec = { repository, secret: "later", caBundle };
  await create("GitOpsDeploymentRepositoryCredential", "later", spec);
  await shown("later", /"deploy\/a":"1"/);
});

test("a repository is read over SSH, and a new key in the Secret is used at once", async () => {
  await using ssh = await startSshRemote(remote.folder);
  await remote.create("ssh");
  await remote.commit("ssh", { files: { "deploy/a": "1" } });
  const old = await ssh.authorize();
  const repository = ssh.url("ssh");
  const secret = { name: "ssh", namespace: "jane" };
  const type = "gitops.setpoint.dev/repository-credential";
  const stringData = { sshPrivateKey: old };
  await memory.create({ apiVersion: "v1", kind: "Secret", metadata: secret, type, stringData });
  const { knownHosts } = ssh;
  const kind = "GitOpsDeploymentRepositoryCredential";
  await create(kind, "ssh", { repository, secret: "ssh", knownHosts });
  const source = { repoURL: repository, path: "deploy", intervalSeconds: 10 };
  await create("GitOpsDeployment", "ssh", { source, type: "manual" });
  await shown("ssh", /"deploy\/a":"1"/);
  const sshPrivateKey = await ssh.authorize();
  await remote.commit("ssh", { files: { "deploy/a": "2" } });
  await shown("ssh", /"problem":"AuthenticationFailed"/, 2_000);
  await memory.patch(
    { apiVersion: "v1", kind: "Secret", ...secret },
    { stringData: { sshPrivateKey } },
  );
  await shown("ssh", /^\{"files":\{"deploy\/a":"2"\}\}$/);
});

test("an SSH host whose key is not known gets no key, and is named as the cause", async () => {
  await using ssh = await startSshRemote(remote.folder);
  const stringData = { sshPrivateKey: await ssh.authorize() };
  const metadata = { name: "strange", namespace: "jane" };
  const type = "gitops.setpoint.dev/repository-credential";
  await memory.create({ apiVersion: "v1", kind: "Secret", metadata, type, stringData });
  const kind = "GitOpsDeploymentRepositoryCredential";
  const repository = ssh.url("shop");
  const other = ssh.knownHosts.replace(/ed25519 .*/, `ed25519 ${otherHostKey}`);
  await create(kind, "strange", { repository, secret: "strange", knownHosts: other });
  const source = { repoURL: repository, path: "deploy", intervalSeconds: 10 };
  await create("GitOpsDeployment", "strange", { source, type: "manual" });
  await shown("strange", /"reason":"HostKeyInvalid"/);
  const at = { apiVersion, kind, namespace: "jane", name: "strange" };
  await memory.patch(at, { spec: { knownHosts: null } });
  await shown("strange", /"reason":"HostKeyInvalid"/);
  await memory.patch(at, { spec: { knownHosts: ssh.knownHosts } });
  await shown("strange", /"deploy\/a/, 2_000);
});

test("only commits that a key of the Secret signed are read, and keys count at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "signers-"));
  const key = join(folder, "key");
  await promisify(execFile)("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  await start("signed", { verify: { secretName: "signers" }, intervalSeconds: 10 });
  await remote.commit("signed", { files: { "deploy/a": "1" } });
  await shown("signed", /"reason":"SignatureInvalid"/);
  const metadata = { name: "signers", namespace: "jane" };
  const jane = await readFile(`${key}.pub`, "utf8");
  await memory.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: { jane } });
  await shown("signed", /"reason":"SignatureInvalid"/);
  await signedCommit(remote, "signed", async (payload) => {
    await writeFile(join(folder, "payload"), payload);
    const args = ["-q", "-Y", "sign", "-n", "git", "-f", key, join(folder, "payload")];
    await promisify(execFile)("ssh-keygen", args);
    return await readFile(join(folder, "payload.sig"), "utf8");
  });
  await shown("signed", /"deploy\/a":"1"/, 2_000);
  const secret = { apiVersion: "v1", kind: "Secret", namespace: "jane", name: "signers" };
  await memory.patch(secret, { data: { jane: null } });
  await shown("signed", /"reason":"SignatureInvalid"/);
  await rm(folder, { recursive: true });
});

test("a policy that demands signatures refuses a source without keys", async () => {
  const policy = { namespaces: { names: ["jane"] }, repositories: { requireSignature: true } };
  await start("demanded");
  await remote.commit("demanded", { files: { "deploy/a": "1" } });
  await shown("demanded", /"deploy\/a":"1"/);
  await create("GitOpsPolicy", "signatures", policy, "");
  await memory.patch(
    { apiVersion, kind: "GitOpsDeployment", namespace: "jane", name: "demanded" },
    { metadata: { annotations: { changed: "1" } }, spec: { source: { intervalSeconds: 20 } } },
  );
  await shown("demanded", /"reason":"PolicyDenied"/);
  await memory.remove({ apiVersion, kind: "GitOpsPolicy", name: "signatures" });
});

test("the conditions of a credential name the cause, until it is fixed", async () => {
  const { caBundle } = remote;
  const kind = "GitOpsDeploymentRepositoryCredential";
  const conditions = async (name: string, wanted: readonly string[]): Promise<void> => {
    let last: readonly string[] = [];
    await waitUntil(`the conditions ${wanted.join(", ")}`, async () => {
      await pass(100);
      const found = await read(kind, name);
      const all = objectsAt(found, "status", "conditions");
      last = all
        .filter((each) => !/^(?:Ready|Synced)$/.test(textAt(each, "type")))
        .map((each) => `${textAt(each, "status")} ${textAt(each, "reason")}`);
      return JSON.stringify(last) === JSON.stringify(wanted);
    });
  };
  await remote.create("checked", { login: { username: "jane", password: "right" } });
  const repository = remote.url("checked");
  const fault = (reason: string): readonly string[] => [
    `True ${reason}`,
    `Unknown ${reason}`,
    `False ${reason}`,
  ];
  await create(kind, "unnamed", { repository, secret: "", caBundle });
  await conditions("unnamed", fault("SecretNotSpecified"));
  await create(kind, "checked", { repository, secret: "checked", caBundle });
  await conditions("checked", fault("SecretNotFound"));
  await createSecret("checked", "wrong");
  await conditions("checked", fault("InvalidCredentials"));
  const secret = { apiVersion: "v1", kind: "Secret", namespace: "jane", name: "checked" };
  await memory.patch(secret, { stringData: { password: "right" } });
  await conditions("checked", [
    "False RepositoryCredentialUpToDate",
    "True ValidRepositoryUrl",
    "True RepositoryCredentialUpToDate",
  ]);
  const absent = { repository: remote.url("absent"), secret: "checked", caBundle };
  await create(kind, "absent", absent);
  await conditions("absent", [
    "True InvalidRepositoryUrl",
    "False InvalidRepositoryUrl",
    "Unknown InvalidRepositoryUrl",
  ]);
  const opaque = { name: "opaque", namespace: "jane" };
  await memory.create({ apiVersion: "v1", kind: "Secret", metadata: opaque, stringData: {} });
  await create(kind, "opaque", { repository, secret: "opaque", caBundle });
  await conditions("opaque", fault("SecretInvalidType"));
  await assert.rejects(create(kind, "plain", { repository: "http://a/b", secret: "checked" }));
});

test("the folder is named by a relative path", async () => {
  await start("paths", { path: "/" });
  await remote.commit("paths", { files: { "deploy/a": "1" } });
  await shown("paths", /"reason":"PathInvalid"/);
});

test("a source that no deployment names is removed", async () => {
  await start("removed", { targetRevision: "main" });
  await remote.commit("removed", { files: { "deploy/a": "1" } });
  await shown("removed", /"deploy\/a":"1"/);
  const { name } = (await sourceOf("removed")).metadata;
  await memory.remove({ apiVersion, kind: "GitOpsDeployment", namespace: "jane", name: "removed" });
  await waitUntil("the source to go", async () => {
    await pass(30_000);
    return (await read("GitSource", name)) === undefined;
  });
});
