// `setpoint env logs` without output: the message states the reason, whatever the user may read.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startProgram } from "../peers/child.ts";
import { waitUntil } from "../peers/wait.ts";

const group = "environments.setpoint.dev";
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
const account = { kind: "ServiceAccount", name: "reader", namespace: "default" };

describe("the command env logs", () => {
  let folder = "";
  let server: KubeServer;
  let readerConfig = "";

  const logs = async (kubeconfig: string, ...args: readonly string[]) => {
    const program = await startProgram("src/cli/main.ts", {
      args: ["env", "logs", ...args, "--kubeconfig", kubeconfig],
      env: {},
    });
    const { code } = await program.waitForExit();
    return { code, err: program.stderr() };
  };
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const reply = await server.request("POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.json;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "setpoint-logs-"));
    server = await startKubeServer();
    const template = { apiVersion: "v1", kind: "ConfigMap", data: {} };
    const spec = { id: "shop", version: 1, resources: [{ key: "db", template }] };
    await post("/api/v1/templates", { id: "shop.v1", spec });
    await post("/api/v1/environments", { id: "shop-eu", spec: { templates: ["shop.v1"] } });
    const rules = [
      { apiGroups: [group], resources: ["environments"], verbs: ["get"] },
      { apiGroups: ["executors.setpoint.dev"], resources: ["executorlogs"], verbs: ["list"] },
    ];
    await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: account.name } });
    await post(`${rbac}/roles`, { metadata: { name: "reader" }, rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
    const metadata = { name: "reader" };
    await post(`${rbac}/rolebindings`, { metadata, roleRef, subjects: [account] });
    const token = await post("/api/v1/namespaces/default/serviceaccounts/reader/token", {});
    const config = await readFile(server.kubeconfig, "utf8");
    readerConfig = join(folder, "kubeconfig");
    const text = config.replace(server.token, pickText(token, "status.token"));
    await writeFile(readerConfig, text);
  });

  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("needs no further rights to state that there is no output", async () => {
    const all = await logs(readerConfig, "shop-eu");
    assert.deepEqual([all.code, all.err], [0, "no output: no executor that prints has run\n"]);
    const one = await logs(readerConfig, "shop-eu", "db");
    assert.equal(one.code, 0, one.err);
    assert.match(one.err, /^no output of db: your rights do not show whether shop-eu has/);
  });

  it("states the namespace of an environment that is not there, and a near name", async () => {
    const near = await logs(server.kubeconfig, "shop-u");
    assert.equal(near.code, 1);
    assert.match(near.err, /the namespace default has no environment shop-u; did you mean shop-eu/);
    assert.match(near.err, /setpoint env list/);
    const hidden = await logs(readerConfig, "p8");
    assert.match(hidden.err, /the namespace default has no environment p8 /);
    for (const odd of ["a/b", "shop-eu?x"]) {
      const { err } = await logs(server.kubeconfig, odd);
      assert.ok(err.includes(`the namespace default has no environment ${odd}`), err);
    }
    assert.match((await logs(server.kubeconfig, "..")).err, /"\.\." is not a name/);
  });

  it("reads a destroyed environment whose Template was deleted", async () => {
    const patch = JSON.stringify({ spec: { desired: "Destroyed" } });
    const json = { "content-type": "application/json" };
    await server.request("PATCH", "/api/v1/environments/shop-eu", patch, json);
    await waitUntil("the deletion of the Template", async () => {
      return (await server.request("DELETE", "/api/v1/templates/shop.v1")).status < 300;
    });
    const { code, err } = await logs(server.kubeconfig, "shop-eu", "db");
    assert.equal(code, 1);
    assert.match(err, /the environment shop-eu has no resource or action db \[/);
  });
});
