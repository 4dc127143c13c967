// `setpoint why`, `reconcile` and `operations` as a person uses them, beside a server that works.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { writeTasksModule } from "../kube/tasks.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder = "";
let server: Setpoint;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-why-"));
  const module = await writeTasksModule(folder);
  server = await startSetpoint({ args: ["--module", module] });
  await make("good", { does: "well" });
  await make("bad", { does: "fail" });
  await waitUntil("both to be reported", async () => {
    const { stdout } = await setpoint("operations");
    return stdout.includes("Task/good") && stdout.includes("Broken: it was told to fail");
  });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function make(name: string, spec: object): Promise<void> {
  const body = { apiVersion: "tasks.tests.dev/v1", kind: "Task", metadata: { name }, spec };
  const path = "/apis/tasks.tests.dev/v1/namespaces/default/tasks";
  const { status } = await server.ask(path, { method: "POST", body });
  assert.equal(status, 201);
}

async function run(args: readonly string[], kubeconfig: string): Promise<Ran> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, KUBECONFIG: kubeconfig };
  const child = spawn(join(root, "bin", "setpoint"), args, { cwd: folder, env });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

async function setpoint(...args: readonly string[]): Promise<Ran> {
  return await run(args, server.kubeconfig);
}

describe("setpoint why", () => {
  it("agrees with the columns and with kubectl wait about a spec that fails", async () => {
    await make("edited", { does: "well" });
    const [path = ""] = kubectlPaths();
    await using kubectl = await openKubectl(path, server.kubeconfig);
    await kubectl.ok(["wait", "--for=condition=Ready", "task/edited", "--timeout=60s"]);
    await kubectl.ok(["patch", "task/edited", "--type=merge", "-p", '{"spec":{"does":"fail"}}']);
    await waitUntil("the failure", async () => {
      const { stdout } = await setpoint("why", "task/edited");
      return stdout.includes("Task/edited is not ready: failed");
    });
    assert.match(await kubectl.ok(["get", "task/edited"]), /edited +Unknown +False +SpecChanged/);
    const wait = await kubectl.run([
      "wait",
      "--for=condition=Ready",
      "task/edited",
      "--timeout=1s",
    ]);
    assert.equal(wait.code, 1);
    assert.match(wait.stderr, /timed out/);
    await kubectl.ok(["delete", "task/edited"]);
  });

  it("tells that something is ready, by any name of its kind", async () => {
    for (const words of [["task/good"], ["tasks.tasks.tests.dev/good"], ["Task", "good"]]) {
      const { code, stdout, stderr } = await setpoint("why", ...words, "--exit-code");
      assert.deepEqual([code, stdout, stderr], [0, "Task/good is ready\n", ""]);
    }
  });

  it("tells why something is not, and can say so to a script", async () => {
    const told = /^Task\/bad is not ready: failed .+, next retry in \d+ (s|min)\n(.*)\n/;
    // On a slow machine it may be tried at this very moment.
    await waitUntil("the reason, between two tries", async () => {
      const { code, stdout } = await setpoint("why", "task/bad");
      assert.equal(code, 0);
      return told.exec(stdout)?.[2] === "  Broken: it was told to fail";
    });
    const scripted = await setpoint("why", "task/bad", "--exit-code", "-o", "json");
    assert.equal(scripted.code, 1);
    const document = JSON.parse(scripted.stdout) as { readonly ready: boolean };
    assert.equal(document.ready, false);
  });

  it("groups the resources of a kind that are not ready by reason", async () => {
    await waitUntil("the failed run", async () => {
      const { code, stdout } = await setpoint("why", "tasks");
      assert.equal(code, 0);
      return /^1 +Failed +Broken +default\/bad +\w.*fail$/m.test(stdout);
    });
    const scripted = await setpoint("why", "task", "--exit-code", "-o", "json");
    assert.equal(scripted.code, 1);
    assert.equal((JSON.parse(scripted.stdout) as { readonly total: number }).total, 1);
    const elsewhere = await setpoint("why", "task", "-n", "kube-system", "--exit-code");
    assert.equal(elsewhere.code, 0);
    assert.equal(elsewhere.stdout, "No resource of tasks.tasks.tests.dev has a problem.\n");
  });

  it("finds the server by its data folder", async () => {
    const { code, stdout } = await run(["why", "task/good", "--data", server.folder], "");
    assert.deepEqual([code, stdout], [0, "Task/good is ready\n"]);
  });

  it("explains what it cannot do", async () => {
    const kind = await setpoint("why", "nothing/x");
    assert.equal(kind.code, 1);
    assert.match(kind.stderr, /the server has no kind "nothing" \[resource\.not_found\]/);
    const name = await setpoint("why", "task/absent");
    assert.equal(name.code, 1);
    assert.match(
      name.stderr,
      /tasks\.tasks\.tests\.dev "absent" not found in the namespace default \[/,
    );
    assert.match(name.stderr, /try: name another namespace with -n/);
    const elsewhere = await setpoint("reconcile", "task/good", "-n", "kube-system");
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /"good" not found in the namespace kube-system \[/);
    for (const [words, what] of [
      [["task/"], "task/ is not a resource"],
      [[], "no resource is named"],
    ] as const) {
      const form = await setpoint("why", ...words);
      assert.equal(form.code, 1);
      assert.match(form.stderr, new RegExp(`setpoint: ${what}: name a resource as KIND/NAME`));
      assert.match(form.stderr, /try: write for example database\/orders/);
    }
  });

  it("tells which address does not answer", async () => {
    const config = join(folder, "elsewhere");
    const cluster = { server: "https://127.0.0.1:1" };
    const contexts = [{ name: "x", context: { cluster: "c" } }];
    const content = { clusters: [{ name: "c", cluster }], contexts, "current-context": "x" };
    await writeFile(config, JSON.stringify(content));
    const { code, stderr } = await setpoint("why", "task/good", "--kubeconfig", config);
    assert.equal(code, 1);
    assert.match(stderr, /the server https:\/\/127\.0\.0\.1:1 cannot be reached/);
    assert.match(stderr, /because: .*ECONNREFUSED/);
    const absent = await setpoint("why", "task/good", "--kubeconfig", join(folder, "absent"));
    assert.match(absent.stderr, /there is no kubeconfig at/);
  });

  it("does not trust a server that the kubeconfig does not vouch for", async () => {
    const config = join(folder, "distrusting");
    const clusters = [{ name: "c", cluster: { server: server.url } }];
    const users = [{ name: "u", user: { token: "secret" } }];
    const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
    const content = { clusters, users, contexts, "current-context": "x" };
    await writeFile(config, JSON.stringify(content));
    const { code, stderr } = await setpoint("why", "task/good", "--kubeconfig", config);
    assert.equal(code, 1);
    assert.match(stderr, /cannot be reached/);
    assert(!server.log().includes("secret"));
  });
});

describe("setpoint reconcile", () => {
  it("asks, and with --wait tells how it ended", async () => {
    const asked = await setpoint("reconcile", "task/good");
    assert.deepEqual([asked.code, asked.stdout], [0, "Task/good will be reconciled\n"]);
    const good = await setpoint("reconcile", "task/good", "--wait");
    assert.deepEqual(
      [good.code, good.stdout],
      [0, "Task/good was reconciled: ready (Available)\n"],
    );
    const bad = await setpoint("reconcile", "task/bad", "--wait");
    assert.equal(bad.code, 1);
    assert.equal(bad.stdout, "Task/bad was reconciled: failed (Broken: it was told to fail)\n");
  });

  it("says at once that nobody reconciles something", async () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map" } };
    const path = "/api/v1/namespaces/default/configmaps";
    await server.ask(path, { method: "POST", body: map });
    const { code, stderr } = await setpoint("reconcile", "cm/map", "--wait");
    assert.equal(code, 1);
    assert.match(stderr, /ConfigMap\/map is not reconciled: no reconciler handles its kind/);
  });
});

describe("setpoint operations", () => {
  it("shows what waits and what ran, of a kind or a namespace", async () => {
    const stdout = await waitUntil("a moment in which nothing is due", async () => {
      const ran = await setpoint("operations", "--kind", "task");
      assert.equal(ran.code, 0);
      return /^QUEUES\n {2}tasks\.tasks\.tests\.dev +0 due$/m.test(ran.stdout) && ran.stdout;
    });
    assert.match(stdout, /^Worker name: /);
    assert.match(stdout, /Task\/bad in default +reconcile +failed .*Broken: it was told/);
    const other = await setpoint("operations", "-n", "kube-system");
    assert(!other.stdout.includes("Task/"));
    const json = await setpoint("operations", "-o", "json", "--limit", "1");
    const { recent } = JSON.parse(json.stdout) as { readonly recent: readonly unknown[] };
    assert.equal(recent.length, 1);
  });
});
