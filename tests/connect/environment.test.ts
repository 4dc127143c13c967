// Kinds that Connect serves as resources of an environment: deployed in order as its
// ServiceAccount, checked when the template is written, and removed in reverse order.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { startThings } from "../peers/things.ts";
import type { Things } from "../peers/things.ts";
import { waitUntil } from "../peers/wait.ts";
import { applyDocument } from "./rig.ts";
import { thingBinding, thingKind, things, thingsConnection } from "./things-kinds.ts";

const group = "environments.setpoint.dev/v1";
const path = `/apis/${group}/namespaces/default`;

let server: Setpoint;
let service: Things;

before(async () => {
  service = await startThings();
  server = await startSetpoint();
  const connection = thingsConnection("things", { baseUrl: service.url });
  for (const each of [thingKind, thingBinding, connection]) await applyDocument(server, each);
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name: "environment", namespace: "default" };
  const resources = ["things"];
  const [apiGroup] = things.apiVersion.split("/");
  const rules = [{ apiGroups: [apiGroup ?? ""], resources, verbs: ["create", "patch"] }];
  await applyDocument(server, { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  await applyDocument(server, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
    roleRef: { apiGroup: rbac, kind: "Role", name: "environment" },
  });
});
after(async () => {
  for (const each of [server, service]) await each?.[Symbol.asyncDispose]();
});

async function send(method: string, at: string, body?: JsonObject): Promise<[number, Json]> {
  const headers = {
    "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
  };
  const given = body === undefined ? { method } : { method, body, headers };
  const answer = await server.ask(at, given);
  return [answer.status, JSON.parse(answer.body.toString()) as Json];
}

function template(name: string, color: string): JsonObject {
  const [id = "", version = "0"] = name.split(".v");
  return {
    apiVersion: group,
    kind: "Template",
    metadata: { name },
    spec: {
      id,
      version: Number(version),
      parameters: { color: { type: "string", default: "red" }, size: { type: "integer" } },
      resources: [
        {
          key: "second",
          template: { ...things, spec: { color: "${resources.first.outputs.color + '-too'}" } },
        },
        {
          key: "first",
          template: { ...things, spec: { color } },
          outputs: { color: "resource.spec.color" },
        },
      ],
    },
  };
}

async function untilPhase(phase: string): Promise<void> {
  let last: Json = null;
  await waitUntil(`the phase ${phase}`, async () => {
    [, last] = await send("GET", `${path}/environments/e`);
    return textAt(last, "status", "phase") === phase;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${JSON.stringify(last)}`);
  });
}

const colorOf = (name: string): unknown => service.objects.get(name)?.["color"];

describe("kinds of Connect in an environment", () => {
  it("are checked with their schema when the template is written", async () => {
    const [status, answer] = await send(
      "POST",
      `${path}/templates`,
      template("a.v1", "${parameters.size}"),
    );
    assert.equal(status, 422);
    const message = textAt(answer, "message");
    assert.match(message, /spec\.resources\[1\]\.template\.spec\.color: .*must be of type string/);
  });

  it("are deployed in order, changed by a parameter, and removed in reverse order", async () => {
    const [status] = await send(
      "POST",
      `${path}/templates`,
      template("t.v1", "${parameters.color}"),
    );
    assert.equal(status, 201);
    await send("POST", `${path}/environments`, {
      apiVersion: group,
      kind: "Environment",
      metadata: { name: "e" },
      spec: { templates: ["t.v1"] },
    });
    await untilPhase("DeployedOk");
    assert.deepEqual([colorOf("e.first"), colorOf("e.second")], ["red", "red-too"]);
    await send("PATCH", `${path}/environments/e`, { spec: { parameters: { color: "blue" } } });
    await waitUntil("the change", () => colorOf("e.second") === "blue-too");
    await untilPhase("DeployedOk");
    await send("PATCH", `${path}/environments/e`, { spec: { desired: "Destroyed" } });
    await untilPhase("Destroyed");
    assert.deepEqual([...service.objects.keys()], []);
    const deletions = service.log.filter((line) => line.startsWith("DELETE"));
    assert.deepEqual(deletions, ["DELETE /things/e.second", "DELETE /things/e.first"]);
  });
});
