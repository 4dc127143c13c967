// A new version of a template for all environments that use it: planned, approved, moved in waves,
// paused at a failure; and what a tenant without rights is refused.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { as } from "../rest/databases.ts";

const json = { "content-type": "application/json" };
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";

describe("a rollout of a template", () => {
  let server: KubeServer;
  const send = (method: string, path: string, body?: unknown, user?: string): Promise<Reply> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const who = user === undefined ? {} : as(user);
    return server.request(method, `/api/v1/${path}`, text, { ...json, ...who });
  };
  const addTemplate = async (version: number, data: unknown): Promise<void> => {
    const resource = {
      key: "settings",
      template: { apiVersion: "v1", kind: "ConfigMap", data },
      readyWhen: "true",
    };
    const spec = { id: "shop", version, resources: [resource] };
    const reply = await send("POST", "templates", { id: `shop.v${version}`, spec });
    assert.equal(reply.status, 201, reply.text);
  };
  const untilPhase = async (path: string, phase: string): Promise<unknown> =>
    await waitUntil(`${path} ${phase}`, async () => {
      const { json: found } = await send("GET", path);
      return pick(found, "status.phase") === phase && found;
    });
  const versionOf = async (name: string): Promise<unknown> => {
    const path = `/api/v1/namespaces/default/configmaps/${name}.settings`;
    return pick((await server.request("GET", path)).json, "data.version");
  };
  const states = (rollout: unknown): readonly string[] =>
    pickList(rollout, "status.environments").map(
      (each) => `${pickText(each, "name")} ${pickText(each, "state")}`,
    );

  before(async () => {
    server = await startKubeServer();
    for (const [name, kind, subject] of [
      ["environment", "ServiceAccount", { namespace: "default" }],
      ["editor", "User", { apiGroup: "rbac.authorization.k8s.io" }],
    ] as const) {
      await server.request("POST", rbac, {
        metadata: { name },
        subjects: [{ kind, name, ...subject }],
        roleRef: { kind: "ClusterRole", name: "edit", apiGroup: "rbac.authorization.k8s.io" },
      });
    }
    await addTemplate(1, { version: "1" });
    await addTemplate(2, { version: "2", added: "x" });
    await addTemplate(3, { version: "${environment.name == 'b' ? string(1/0) : '3'}" });
    for (const id of ["a", "b", "c"]) {
      await send("POST", "environments", { id, spec: { templates: ["shop.v1"] } });
    }
    for (const id of ["a", "b", "c"]) await untilPhase(`environments/${id}`, "DeployedOk");
  });

  after(async () => {
    await server.stop();
  });

  it("shows the effect on every environment and changes nothing", async () => {
    const spec = { template: "shop.v2", waves: [1] };
    const created = await send("POST", "template-rollouts", { id: "second", spec });
    assert.equal(created.status, 201, created.text);
    const planned = await untilPhase("template-rollouts/second", "AwaitingApproval");
    assert.deepEqual(states(planned), ["a Planned", "b Planned", "c Planned"]);
    assert.equal(pick(planned, "status.change"), 3);
    assert.equal(await versionOf("a"), "1");
  });

  it("needs the right to approve plans", async () => {
    const path = "template-rollouts/second";
    const refused = await send("PATCH", path, { spec: { approved: true } }, "editor");
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.text, /cannot approve plans/);
  });

  it("moves all environments in waves when it is approved", async () => {
    await send("PATCH", "template-rollouts/second", { spec: { approved: true } });
    const ended = await untilPhase("template-rollouts/second", "Succeeded");
    assert.deepEqual(states(ended), ["a Moved", "b Moved", "c Moved"]);
    for (const id of ["a", "b", "c"]) assert.equal(await versionOf(id), "2");
    const { json: first } = await send("GET", "environments/a");
    assert.equal(pickText(first, "spec.approvedPlan"), "second.a");
  });

  it("pauses at an environment that fails, and continues when it is skipped", async () => {
    const spec = { template: "shop.v3", waves: [1, 1], approved: true };
    await send("POST", "template-rollouts", { id: "third", spec });
    const paused = await untilPhase("template-rollouts/third", "Paused");
    assert.match(pickText(paused, "status.message"), /^b failed/);
    assert.equal(await versionOf("c"), "2");
    await send("PATCH", "template-rollouts/third", { spec: { skip: ["b"] } });
    await untilPhase("template-rollouts/third", "Succeeded");
    assert.equal(await versionOf("c"), "3");
  });

  it("is refused for a template that does not exist or is not used", async () => {
    const missing = await send("POST", "template-rollouts", { spec: { template: "shop.v9" } });
    assert.equal(missing.status, 422, missing.text);
    assert.match(missing.text, /spec\.template: there is no Template/);
    await send("POST", "templates", {
      id: "other.v1",
      spec: { id: "other", version: 1, resources: [] },
    });
    const unused = await send("POST", "template-rollouts", { spec: { template: "other.v1" } });
    assert.match(unused.text, /no Environment uses another version/);
  });
});
