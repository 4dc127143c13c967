// From a commit in a repository to objects of this server: git over TLS, YAML, a ServiceAccount
// of the tenant, and the status. The test owns the time, except that of programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Git, OpenGit } from "../../src/adapters/git/port.ts";
import type { Sandbox } from "../../src/adapters/sandbox/port.ts";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { gitops } from "../../src/modules/gitops/module.ts";
import { logger } from "../../src/telemetry/log.ts";
import { waitUntil } from "../peers/wait.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";

const apiVersion = "gitops.setpoint.dev/v1";
const group = "rbac.authorization.k8s.io";
const namespace = "jane";
const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};
const lines: string[] = [];
let remote: GitRemote;
let memory: MemoryPlane;
let running: AsyncDisposable;
/** Programs that run: the time of the test stands still for them. */
let calls = 0;

const counting: BuiltInModule = {
  ...gitops,
  open: async (given) => {
    const openGit: OpenGit = async (options) => counted(await given.openGit(options));
    const openSandbox = async (): Promise<Sandbox> => {
      const sandbox = await given.openSandbox();
      return { run: async (request) => await during(sandbox.run(request)) };
    };
    if (gitops.open === undefined) throw new Error("the module has no code");
    return await gitops.open({ ...given, openGit, openSandbox });
  },
};

before(async () => {
  remote = await startGitRemote();
  memory = await openMemoryPlane({ builtIn: [counting], hasEngine: false });
  const { plane, surroundings } = memory;
  const log = logger((line) => lines.push(line), surroundings.clock, "debug");
  const modules = strictModules([]);
  running = await startReconciling({ plane, modules, config, surroundings, log });
  const policy = {
    namespaces: { names: [namespace] },
    repositories: { allowPrivate: { cidrs: ["127.0.0.0/8"] } },
  };
  await memory.create({
    apiVersion,
    kind: "GitOpsPolicy",
    metadata: { name: "loopback" },
    spec: policy,
  });
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await grant();
});

after(async () => {
  await running[Symbol.asyncDispose]();
  await memory[Symbol.asyncDispose]();
  await remote[Symbol.asyncDispose]();
});

async function during<T>(work: Promise<T>): Promise<T> {
  calls += 1;
  try {
    return await work;
  } finally {
    calls -= 1;
  }
}

function counted(git: Git): Git {
  return {
    ...git,
    resolve: async (...args) => await during(git.resolve(...args)),
    fetch: async (...args) => await during(git.fetch(...args)),
    tree: async (...args) => await during(git.tree(...args)),
    read: async (...args) => await during(git.read(...args)),
    checkout: async (...args) => await during(git.checkout(...args)),
  };
}

/** The account of the tenant may write ConfigMaps and Secrets, and nothing else. */
async function grant(): Promise<void> {
  const metadata = { name: "gitops", namespace };
  await memory.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
  const rules = [{ apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["*"] }];
  await memory.create({ apiVersion: `${group}/v1`, kind: "Role", metadata, rules });
  await memory.create({
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: group, kind: "Role", name: "gitops" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
}

async function start(name: string): Promise<void> {
  const login = { username: "jane", password: "right" };
  await remote.create(name, { login });
  await memory.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "gitops.setpoint.dev/repository-credential",
    stringData: login,
  });
  const repository = remote.url(name);
  const { caBundle } = remote;
  await create("GitOpsDeploymentRepositoryCredential", name, {
    repository,
    secret: name,
    caBundle,
  });
  const source = { repoURL: repository, path: "deploy" };
  await create("GitOpsDeployment", name, { source, type: "automated" });
}

async function create(kind: string, name: string, spec: JsonObject): Promise<void> {
  await memory.create({ apiVersion, kind, metadata: { name, namespace }, spec });
}

async function read(kind: string, name: string, version = "v1"): Promise<Resource | undefined> {
  return await memory.read({ apiVersion: version, kind, namespace, name });
}

async function reached(
  name: string,
  what: string,
  isReached: (status: JsonObject) => boolean,
): Promise<JsonObject> {
  let last: JsonObject = {};
  try {
    return await waitUntil(
      what,
      async () => {
        if (calls === 0) await memory.surroundings.timers.advance(100);
        last = objectAt((await read("GitOpsDeployment", name, apiVersion)) ?? {}, "status");
        return isReached(last) && last;
      },
      { limitMs: 60_000 },
    );
  } catch (error) {
    throw new Error(`it shows ${JSON.stringify(last)}`, { cause: error });
  }
}

const isSyncedAt = (commit: string) => (status: JsonObject) =>
  textAt(status, "sync", "status") === "Synced" && textAt(status, "sync", "revision") === commit;

test("a commit is applied as the account of the tenant; the next one prunes", async () => {
  const configMap = (name: string, value: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { key: "${value}" }\n`;
  await start("shop");
  const first = await remote.commit("shop", {
    files: {
      "deploy/one.yaml": configMap("one", "1"),
      "deploy/two.yaml": configMap("two", "1"),
      "deploy/secret.yaml":
        "apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\nstringData: { key: hidden-7 }\n",
    },
  });
  const status = await reached("shop", "the first commit", isSyncedAt(first));
  assert.equal(textAt(await read("ConfigMap", "one"), "data", "key"), "1");
  assert.equal(objectsAt(status, "resources").length, 3);
  const second = await remote.commit("shop", {
    files: { "deploy/one.yaml": configMap("one", "2"), "deploy/two.yaml": null },
  });
  const later = await reached("shop", "the second commit", isSyncedAt(second));
  assert.equal(textAt(await read("ConfigMap", "one"), "data", "key"), "2");
  assert.equal(await read("ConfigMap", "two"), undefined);
  const shown = JSON.stringify([status, later, lines]);
  assert.doesNotMatch(shown, /hidden-7|aGlkZGVuLTc/, "no value of a Secret is shown");
});

test("a kustomization is built with its base, and a hostile one is refused", async () => {
  await start("built");
  const commit = await remote.commit("built", {
    files: {
      "base/kustomization.yaml": "resources: [map.yaml]\n",
      "base/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\n",
      "deploy/kustomization.yaml": "resources: [../base]\nnamePrefix: built-\n",
    },
  });
  const status = await reached("built", "the kustomization", isSyncedAt(commit));
  assert.equal(textAt(status, "source", "tool"), "Kustomize");
  assert.deepEqual(
    objectsAt(status, "resources").map((object) => textAt(object, "name")),
    ["built-map"],
  );
  assert.notEqual(await read("ConfigMap", "built-map"), undefined);
  await remote.commit("built", {
    files: { "deploy/kustomization.yaml": "resources: [../../../etc]\n" },
  });
  const refused = await reached("built", "the refusal", (found) =>
    objectsAt(found, "conditions").some(
      (condition) =>
        textAt(condition, "type") === "ComparisonError" && textAt(condition, "status") === "True",
    ),
  );
  assert.match(JSON.stringify(refused["conditions"]), /"reason":"PathEscapes"/);
  assert.notEqual(await read("ConfigMap", "built-map"), undefined, "the last objects stay");
});

test("an object that the account may not write is refused, and nothing is applied", async () => {
  const role = `apiVersion: ${group}/v1\nkind: Role\nmetadata: { name: all }\nrules: []\n`;
  await start("wrong");
  await remote.commit("wrong", {
    files: {
      "deploy/role.yaml": role,
      "deploy/three.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: three }\n",
    },
  });
  const status = await reached("wrong", "a refusal", (found) =>
    objectsAt(found, "conditions").some(
      (condition) =>
        textAt(condition, "type") === "ErrorOccurred" && textAt(condition, "status") === "True",
    ),
  );
  assert.match(JSON.stringify(status), /Role\.rbac\.authorization\.k8s\.io jane\/all/);
  assert.equal(await read("ConfigMap", "three"), undefined);
});
