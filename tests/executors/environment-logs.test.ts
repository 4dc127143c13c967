// The output of the executors of an environment, as a stream of the REST API.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, textAt } from "../../src/kernel/json-read.ts";
import { applyToServer } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { startRig } from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

const group = "environments.setpoint.dev/v1";
const rbac = "rbac.authorization.k8s.io";
const namespace = "blue";
const skip = process.platform !== "linux";

describe("the logs of an environment", { skip }, () => {
  let rig: ExecutorRig;
  before(async () => {
    const allow = { namespaces: { names: [namespace] } };
    rig = await startRig({ policy: { allow, command: { programs: ["/bin/sh"] } } });
  });
  after(async () => await rig?.[Symbol.asyncDispose]());

  const bind = async (name: string, role: string, subject: JsonObject): Promise<void> => {
    await applyToServer(rig.server, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name, namespace },
      subjects: [subject],
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    });
  };
  const apply = async (kind: string, name: string, spec: JsonObject): Promise<void> => {
    const metadata = { name, namespace };
    await applyToServer(rig.server, { apiVersion: group, kind, metadata, spec });
  };
  /** A namespace with an environment whose program prints the word. */
  const deploy = async (word: string): Promise<void> => {
    const metadata = { name: namespace };
    await applyToServer(rig.server, { apiVersion: "v1", kind: "Namespace", metadata });
    const account = { kind: "ServiceAccount", name: "environment", namespace };
    await bind("environment", "edit", account);
    await bind("reader", "view", { kind: "User", name: "reader", apiGroup: rbac });
    const print = {
      apiVersion: "executors.setpoint.dev/v1",
      kind: "CommandRun",
      spec: { program: "/bin/sh", args: ["-c", `echo ${word} "$0"`, "${parameters.turn}"] },
    };
    const saving = { ...print, spec: { program: "/bin/sh", args: ["-c", "echo saved"] } };
    await apply("Template", "print.v1", {
      id: "print",
      version: 1,
      parameters: { turn: { type: "string", default: "one" } },
      resources: [{ key: "print", template: print }],
      actions: [{ name: "backup", template: saving }],
    });
    await apply("Environment", "e", { templates: ["print.v1"] });
    await untilOk();
  };
  const untilOk = async (): Promise<void> => {
    await waitUntil("the deployment", async () => {
      const { body } = await rig.server.ask(
        `/apis/${group}/namespaces/${namespace}/environments/e`,
      );
      return textAt(JSON.parse(body.toString()) as JsonObject, "status", "phase") === "DeployedOk";
    });
  };
  const logs = (query: string): string =>
    `/api/v1/environments/e/logs?namespace=${namespace}${query}`;
  const read = async (query: string): Promise<string> => {
    const headers = { "impersonate-user": "reader" };
    const { status, body } = await rig.server.ask(logs(query), { headers });
    assert.equal(status, 200, body.toString());
    return body.toString();
  };

  it("are resumed after a revision, and followed", async () => {
    await deploy("first-life");
    const lines = (await read("")).trim().split("\n");
    const items = lines.map((line) => JSON.parse(line) as JsonObject);
    const output = items.find((item) => textAt(item, "text").includes("first-life one"));
    assert.equal(textAt(output, "resource"), "print");
    assert.equal(textAt(output, "executor"), "CommandRun");
    const revision = numberAt(output, "revision") ?? 0;
    assert.doesNotMatch(await read(`&after=${revision}`), /first-life one/);
    assert.doesNotMatch(await read("&resource=other"), /first-life/);
    using following = await rig.server.watch(logs(`&after=${revision}&follow=true`));
    const spec = { templates: ["print.v1"], parameters: { turn: "two" } };
    await apply("Environment", "e", spec);
    await waitUntil("the next output", () =>
      following.events.some((event) => JSON.stringify(event).includes("first-life two")),
    );
    await untilOk();
  });

  it("have the output of actions, with their names", async () => {
    const path = `/api/v1/environments/e/actions/backup?namespace=${namespace}`;
    const { status } = await rig.server.ask(path, { method: "POST", body: {} });
    assert.equal(status, 202);
    const saved = await waitUntil("the output of the action", async () => {
      const lines = (await read("&resource=backup")).trim().split("\n");
      const items = lines
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as JsonObject);
      assert.ok(items.every((item) => textAt(item, "resource") === ""));
      return items.find((item) => textAt(item, "text").includes("saved"));
    });
    assert.equal(textAt(saved, "action"), "backup");
  });

  it("do not show an earlier namespace of the same name", async () => {
    const path = `/api/v1/namespaces/${namespace}`;
    await rig.server.ask(path, { method: "DELETE" });
    await waitUntil("the deletion", async () => (await rig.server.ask(path)).status === 404);
    await deploy("second-life");
    const all = await read("&after=1");
    assert.match(all, /second-life one/);
    assert.doesNotMatch(all, /first-life/);
  });
});
