// `setpoint template` and `setpoint env` against a real server: deploy, fail and retry, plan and
// approve, extend, destroy.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startProgram } from "../peers/child.ts";
import { waitUntil } from "../peers/wait.ts";

const template = `
apiVersion: environments.setpoint.dev/v1
kind: Template
metadata: { name: shop.v1 }
spec:
  id: shop
  version: 1
  parameters: { size: { type: integer, default: 1 }, colour: { type: string, default: red } }
  resources:
    - key: db
      template: { apiVersion: v1, kind: ConfigMap, data: { size: "\${string(parameters.size)}" } }
      readyWhen: "true"
      outputs: { host: '"db-" + resource.data.size' }
    - key: web
      count: 2
      template:
        apiVersion: v1
        kind: ConfigMap
        data: { db: "\${resources.db.outputs.host}", colour: "\${parameters.colour}" }
      readyWhen: "true"
`;

describe("the commands env and template", () => {
  let folder = "";
  let server: KubeServer;

  const run = async (...args: readonly string[]) => {
    const program = await startProgram("src/cli/main.ts", {
      args: [...args, "--kubeconfig", server.kubeconfig],
      env: {},
    });
    const { code } = await program.waitForExit();
    return { code, out: program.stdout(), err: program.stderr() };
  };
  const configMap = async (name: string): Promise<unknown> =>
    (await server.request("GET", `/api/v1/namespaces/default/configmaps/${name}`)).json;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "setpoint-env-"));
    await writeFile(join(folder, "template.yaml"), template);
    server = await startKubeServer();
  });

  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("add a template and deploy an environment that fails without rights", async () => {
    const added = await run("template", "add", join(folder, "template.yaml"));
    assert.match(added.out, /template shop\.v1 added/, added.err);
    const { code, out } = await run("env", "create", "shop.v1", "--id", "p7", "--ttl", "8h");
    assert.equal(code, 1, out);
    assert.match(out, /db +Failed: configmaps is forbidden: .*create rolebinding environment/);
    assert.match(out, /web\[0\] +Waiting: waits for p7\.db/);
    assert.match(out, /p7: Deployed - Fail/);
  });

  it("retry runs what is unfinished, and waits for the end of the operation", async () => {
    const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
    await server.request("POST", bindings, {
      metadata: { name: "environment" },
      subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
      roleRef: { kind: "ClusterRole", name: "edit", apiGroup: "rbac.authorization.k8s.io" },
    });
    const { code, out, err } = await run("env", "retry", "p7");
    assert.equal(code, 0, out + err);
    assert.match(out, /p7: Deployed - OK/);
    assert.equal(pickText(await configMap("p7.web.1"), "data.db"), "db-1");
  });

  it("plan shows fields and deferred outputs, and approve deploys what was planned", async () => {
    const planned = await run("env", "plan", "p7", "--set", "size=3");
    assert.match(planned.out, /~ p7\.db {2}ConfigMap\n {4}data\.size: "1" -> "3"/);
    assert.match(planned.out, /data\.db: .* -> \(known after db is applied\)/);
    assert.equal(pickText(await configMap("p7.db"), "data.size"), "1");
    const [, plan = ""] = /setpoint env approve (\S+)/.exec(planned.out) ?? [];
    const approved = await run("env", "approve", plan);
    assert.match(approved.out, /p7: Deployed - OK/, approved.err);
    assert.equal(pickText(await configMap("p7.web.0"), "data.db"), "db-3");
    assert.equal(pickText(await configMap("p7.web.0"), "data.colour"), "red");
  });

  it("approve refuses a plan after the environment has changed", async () => {
    const planned = await run("env", "plan", "p7", "--set", "size=4");
    const [, plan = ""] = /setpoint env approve (\S+)/.exec(planned.out) ?? [];
    const path = "/api/v1/environments/p7";
    await server.request("PATCH", path, JSON.stringify({ spec: { parameters: { size: 5 } } }), {
      "content-type": "application/json",
    });
    const refused = await run("env", "approve", plan);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /stale/);
  });

  it("list, show and extend show the environment", async () => {
    assert.match((await run("env", "list")).out, /default +p7 +p7 /);
    const shown = await run("env", "show", "p7");
    assert.match(shown.out, /ready: +3 of 3/);
    const extended = await run("env", "extend", "p7", "4h");
    assert.match(extended.out, /^planned destruction: \d{4}-/);
    const invalid = await run("env", "extend", "p7", "soon");
    assert.match(invalid.err, /is not a duration/);
  });

  it("update changes what its options state, and rollback returns to an operation", async () => {
    const updated = await run("env", "update", "p7", "--set", "colour=blue", "--tag", "a=b");
    assert.match(updated.out, /environment p7 updated[^]*p7: Deployed - OK/, updated.err);
    assert.equal(pickText(await configMap("p7.web.0"), "data.colour"), "blue");
    assert.equal(pickText(await configMap("p7.db"), "data.size"), "5");
    const rolled = await run("env", "rollback", "p7", "p7.deploy-1");
    assert.match(rolled.out, /p7: Deployed - OK/, rolled.err);
    assert.equal(pickText(await configMap("p7.web.0"), "data.colour"), "red");
    const nothing = await run("env", "update", "p7");
    assert.match(nothing.err, /no option states a change/);
  });

  it("a value of a text parameter stays a text, also when it is a number", async () => {
    const updated = await run("env", "update", "p7", "--set", "colour=1.10");
    assert.match(updated.out, /p7: Deployed - OK/, updated.err);
    assert.equal(pickText(await configMap("p7.web.0"), "data.colour"), "1.10");
    const planned = await run("env", "plan", "p7", "--set", "colour=007", "--set", "size=3");
    assert.match(planned.out, /data\.colour: "1\.10" -> "007"/, planned.err);
    const quoted = await run("env", "update", "p7", "--set", 'colour="green"', "--set", "size=2");
    assert.match(quoted.out, /p7: Deployed - OK/, quoted.err);
    assert.equal(pickText(await configMap("p7.web.0"), "data.colour"), "green");
  });

  it("update protects an environment, and the error names how to end it", async () => {
    assert.equal((await run("env", "update", "p7", "--protect")).code, 0);
    assert.match((await run("env", "destroy", "p7")).err, /spec\.desired: .* is protected/);
    const refused = await run("env", "delete", "p7");
    assert.match(refused.err, /p7 is protected[^]*setpoint env update p7 --no-protect/);
    assert.equal((await run("env", "update", "p7", "--no-protect")).code, 0);
  });

  it("create waits for no approval, and names the next command", async () => {
    const created = await run("env", "create", "shop.v1", "--id", "p8", "--approval");
    assert.match(created.out, /p8: Deploying: .* approved\nplan the change with: .*plan p8/);
    assert.equal(created.code, 0, created.err);
    assert.equal((await run("env", "delete", "p8")).code, 0);
  });

  it("mistakes are named one by one, and change nothing", async () => {
    const wrong = await run("env", "create", "shop.v1", "--set", "sise=1", "size=x");
    assert.match(wrong.err, /2 parts [^]*parameters\.sise: .*mean size[^]*parameters\.size: /);
    const unversioned = await run("env", "create", "shop");
    assert.match(unversioned.err, /did you mean shop\.v1\?/);
    const file = await run("env", "create", "shop.v1", "--set-secret", "a=@missing.txt");
    assert.match(file.err, /the file missing\.txt cannot be read \(ENOENT\)[^]*try: /);
    assert.doesNotMatch(file.err, /readFileSync/);
    assert.doesNotMatch((await run("env", "list")).out, /environment-/);
  });

  it("add leaves a template that exists, and refuses another spec", async () => {
    const path = join(folder, "template.yaml");
    assert.match((await run("template", "add", path)).out, /template shop\.v1 unchanged/);
    await writeFile(
      join(folder, "changed.yaml"),
      template.replace("default: red", "default: blue"),
    );
    const refused = await run("template", "add", join(folder, "changed.yaml"));
    assert.match(refused.err, /shop\.v1 exists with another spec[^]*raise spec\.version/);
  });

  it("operations, search and graph find operations, environments and resources", async () => {
    const operations = await run("env", "operations", "p7");
    assert.match(operations.out, /p7\.deploy-1 +Deploy +\S+ +\d{4}-.*setpoint:/, operations.err);
    assert.match((await run("env", "search", "web", "p7.w")).out, /resources +default +p7\.web\.1/);
    assert.match((await run("env", "search", "nothingofthat")).out, /nothing found/);
    assert.equal((await run("env", "graph", "p7.web.0")).out, "p7.web.0  Ready\n  p7.db  Ready\n");
    const dependants = await run("env", "graph", "p7.db", "--dependants", "--depth", "1");
    assert.match(dependants.out, /^p7\.db {2}Ready\n {2}p7\.web\.\d {2}Ready\n {2}p7\.web/);
    const path = await run("env", "graph", "p7.web.1", "--to", "p7.db");
    assert.equal(path.out, "p7.web.1  Ready\n  p7.db  Ready\n", path.err);
    const none = await run("env", "graph", "p7.db", "--to", "p7.web.1");
    assert.deepEqual([none.code, none.out], [1, "p7.db does not depend on p7.web.1\n"]);
    assert.match((await run("env", "graph", "p7.nope")).err, /p7\.nope/);
    const made = await run("env", "graph", "templates/shop.v1", "--dependants", "--depth", "1");
    assert.match(made.out, /^shop\.v1 {2}\(templates\)\n[^]* {2}p7 {2}\(environments\)/);
    const logs = await run("env", "logs", "p7", "wep");
    assert.equal(logs.code, 1);
    assert.match(logs.err, /no resource or action wep; did you mean web/);
    const whole = await run("env", "graph", "p7");
    assert.match(
      whole.err,
      /p7 is an environment[^]*name one of its resources: p7\.db, p7\.web\.0/,
    );
    assert.match(
      (await run("env", "retry", "p7", "nope")).err,
      /of this key or name; it has db, web/,
    );
    assert.match((await run("env", "rollback", "p7", "nope")).err, /setpoint env operations p7/);
    assert.match((await run("env", "logs", "p7", "p7.web.0")).err, /no output/);
  });

  it("approve of a planned destruction destroys the environment", async () => {
    const planned = await run("env", "plan", "p7", "--destroy");
    assert.match(planned.out, /- p7\.db/);
    const [, plan = ""] = /setpoint env approve (\S+)/.exec(planned.out) ?? [];
    const approved = await run("env", "approve", plan);
    assert.match(approved.out, /p7: Destroyed/, approved.err);
    assert.equal(pickText(await configMap("p7.db"), "reason"), "NotFound");
    const kept = await run("env", "show", "p7");
    assert.match(kept.out, /destroyed: +\d{4}-/);
    for (const wrong of [["retry"], ["drift"], ["rollback", "p7.deploy-1"]] as const) {
      const [command, ...args] = wrong;
      const refused = await run("env", command, "p7", ...args);
      assert.match(refused.err, /destroyed, or will be: .*setpoint env deploy p7/, command);
    }
  });

  it("deploy deploys a destroyed environment again, and delete frees its id", async () => {
    const updated = await run("env", "update", "p7", "--set", "colour=green");
    assert.match(updated.out, /nothing is deployed: run setpoint env deploy p7/);
    const deployed = await run("env", "deploy", "p7", "--set", "size=2", "--ttl", "8h");
    assert.equal(pickText(await configMap("p7.db"), "data.size"), "2");
    assert.match(deployed.out, /p7: Deployed - OK/, deployed.err);
    const deleted = await run("env", "delete", "p7");
    assert.match(deleted.out, /p7: deleted/, deleted.err);
    assert.equal(pickText(await configMap("p7.db"), "reason"), "NotFound");
    const again = await run("env", "create", "shop.v1", "--id", "p7");
    assert.match(again.out, /p7: Deployed - OK/, again.err);
  });

  it("cancel names the action that holds a destruction, and the destruction goes on", async () => {
    const held = template
      .replaceAll("shop", "held")
      .replace(
        "  resources:",
        "  actions:\n    - { name: backup, on: [BeforeDestroy], app: { url: 'http://127.0.0.1:9' } }\n  resources:",
      );
    const path = join(folder, "held.yaml");
    await writeFile(path, held);
    assert.match((await run("template", "add", path)).out, /added/);
    assert.equal((await run("env", "create", "held.v1", "--id", "h")).code, 0);
    assert.equal((await run("env", "destroy", "h", "--no-wait")).code, 0);
    const hint = /setpoint env cancel h (h\.destroy-2\.backup)/;
    await waitUntil("the action to hold the destruction", async () =>
      hint.test((await run("env", "show", "h")).out),
    );
    assert.match((await run("env", "cancel", "p7", "h.destroy-2.backup")).err, /not one of/);
    const cancelled = await run("env", "cancel", "h", "h.destroy-2.backup");
    assert.match(cancelled.out, /h: Destroyed/, cancelled.err);
  });
});
