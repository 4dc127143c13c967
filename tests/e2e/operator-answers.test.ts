// What an operator or an author gets to see: the log at each level, a port in use, HTTP on the
// HTTPS port, and the operations for a user who may view.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { startProgram } from "../peers/child.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const source = `
  import { defineModule, describeKind, failed } from "setpoint";
  const kind = describeKind({
    apiVersion: "tests.dev/v1", kind: "Fig", plural: "figs", spec: { type: "object" },
  });
  const reconcile = async (resource, { log }) => {
    log.debug({}, "said at debug");
    log.info({}, "said at info");
    return failed("NoWater", "the well is dry", { retry: "never" });
  };
  export default defineModule({ name: "figs", kinds: [{ kind, reconciler: { reconcile } }] });`;

let folder = "";
let module = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-operator-"));
  module = join(folder, "figs.ts");
  await writeFile(module, source);
});
after(async () => await rm(folder, { recursive: true, force: true }));

async function createFig(server: Setpoint, name: string): Promise<void> {
  const body = { apiVersion: "tests.dev/v1", kind: "Fig", metadata: { name }, spec: {} };
  const path = "/apis/tests.dev/v1/namespaces/default/figs";
  assert.equal((await server.ask(path, { method: "POST", body })).status, 201);
}

describe("the log", () => {
  it("has what reconcilers log and why runs fail, at the level of --log-level", async () => {
    await using server = await startSetpoint({ args: ["--module", module] });
    await createFig(server, "a");
    await waitUntil("the failure", () => server.log().includes('"run failed"'));
    assert.match(server.log(), /"said at info"/);
    assert.match(server.log(), /"warn".*"run failed".*"NoWater".*"the well is dry"/);
    assert.doesNotMatch(server.log(), /"said at debug"/);
    assert.equal(await server.stop(), 0);
    await server.start(["--module", module, "--log-level", "debug"]);
    await createFig(server, "b");
    await waitUntil("the debug line", () => server.log().includes('"said at debug"'));
    assert.equal(await server.stop(), 0);
    const config = join(folder, "quiet.yaml");
    await writeFile(config, "logLevel: error\n");
    await server.start(["--module", module, "--config", config]);
    await createFig(server, "c");
    await waitUntil("the run", async () => {
      const { body } = await server.ask("/apis/tests.dev/v1/namespaces/default/figs/c");
      return body.toString().includes("NoWater");
    });
    assert.doesNotMatch(server.log(), /"level":"(?:debug|info|warn)"/);
  });

  it("of dev has what reconcilers log, and only warnings of the server", async () => {
    const data = join(folder, "dev");
    {
      await using server = await startSetpoint({ data, args: ["--module", module] });
      await createFig(server, "a");
      await waitUntil("the failure", () => server.log().includes('"run failed"'));
      assert.equal(await server.stop(), 0);
    }
    const args = ["dev", "--listen", "127.0.0.1:0", "--data", data, "--module", module];
    await using program = await startProgram("src/cli/main.ts", { args });
    await waitUntil("the line", () => program.stderr().includes("INFO  said at info")).catch(
      (error: unknown) => {
        throw new Error(program.stderr() + program.stdout(), { cause: error });
      },
    );
    assert.doesNotMatch(program.stderr(), /server ready/);
  });
});

describe("a port", () => {
  it("in use is reported with its own code and the process", async () => {
    await using server = await startSetpoint();
    const address = server.url.replace("https://", "");
    const args = ["serve", "--listen", address, "--data", join(folder, "second")];
    await using program = await startProgram("src/cli/main.ts", { args });
    assert.equal((await program.waitForExit()).code, 1);
    assert.match(program.stderr(), new RegExp(`${address} is in use by another process`));
    assert.match(program.stderr(), /\[address\.in_use\]/);
    if (process.platform === "linux") {
      assert.match(program.stderr(), new RegExp(`\\(process ${server.pid}\\)`));
    }
  });

  it("that serves HTTPS answers HTTP with 400 and a Status, which kubectl prints", async () => {
    await using server = await startSetpoint();
    const url = server.url.replace("https://", "http://");
    const { promise, resolve, reject } = Promise.withResolvers<[number | undefined, string]>();
    const sent = request(`${url}/readyz`, { agent: false }, (response) => {
      text(response).then((body) => resolve([response.statusCode, body]), reject);
    });
    sent.on("error", reject).end();
    const [status, body] = await promise;
    assert.equal(status, 400);
    const { kind, reason, code, message } = JSON.parse(body) as Record<string, unknown>;
    assert.deepEqual([kind, reason, code], ["Status", "BadRequest", 400]);
    assert.match(String(message), /sent as HTTP to a port that serves HTTPS: use https:\/\//);
    const [path = ""] = kubectlPaths();
    await using kubectl = await openKubectl(path, server.kubeconfig);
    const refusal = await kubectl.refused(["--server", url, "get", "--raw", "/api/v1/namespaces"]);
    assert.match(refusal, /a port that serves HTTPS: use https:\/\/ in the URL/);
    assert.equal((await server.ask("/readyz")).status, 200);
    await answersSlowHandshake(server);
  });
});

/** TLS over a connection that the client opened before it sent anything. */
async function answersSlowHandshake(server: Setpoint): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const tls = connectTls({ socket, ca: server.ca, servername: "localhost" });
  tls.write("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  assert.match(await text(tls), /^HTTP\/1\.1 200 [^]*ok$/);
}

describe("setpoint operations", () => {
  it("works with the ClusterRole view, and names what is missing without it", async () => {
    await using server = await startSetpoint();
    const run = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
      await using program = await startProgram("src/cli/main.ts", { args, env });
      const { code } = await program.waitForExit();
      return { code, stdout: program.stdout(), stderr: program.stderr() };
    };
    const user = ["kubeconfig", "--user", "jane", "--data", server.folder];
    const printed = await run(user, {});
    const kubeconfig = join(folder, "jane.yaml");
    await writeFile(kubeconfig, printed.stdout);
    const refused = await run(["operations"], { KUBECONFIG: kubeconfig });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /try: ask an administrator: kubectl create clusterrolebinding/);
    const body = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "jane" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    };
    const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    assert.equal((await server.ask(bindings, { method: "POST", body })).status, 201);
    await waitUntil("the permission", async () => {
      return (await run(["operations"], { KUBECONFIG: kubeconfig })).code === 0;
    });
  });
});
