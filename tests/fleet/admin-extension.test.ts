// Custom logic of an Offering on a real server: the hooks and routes of examples/dinosaurs/zoo.ts,
// on the main thread and in a thread of its own, and a module with mistakes.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import SwaggerParser from "@apidevtools/swagger-parser";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

const zoo = fileURLToPath(new URL("../../examples/dinosaurs/zoo.ts", import.meta.url));
const oddZoo = fileURLToPath(new URL("odd-module.ts", import.meta.url));

async function startZoo(...args: readonly string[]): Promise<FleetServer> {
  const server = await startFleetServer({ args: ["--module", zoo, ...args] });
  for (const name of ["east-1", "east-2"]) {
    await server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "DataPlaneCluster",
      metadata: { name },
      spec: {
        provider: "aws",
        region: "us-east-1",
        isMultiAz: true,
        dns: `apps.${name}.example.com`,
        executor: { kind: "simulator" },
      },
    });
  }
  await server.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      members: [{ user: "alice", isAdmin: true }, { user: "bob" }, { user: "carl" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 20 }],
    },
  });
  await server.untilReady();
  await server.acceptTerms("alice", "bob", "grace");
  return server;
}

const modes = { "on the main thread": [], "in a thread of its own": ["--isolate"] };

for (const [mode, args] of Object.entries(modes)) {
  describe(`a module ${mode}`, () => {
    let server: FleetServer;
    let id: string;

    before(async () => {
      server = await startZoo(...args);
    });

    after(async () => {
      await server?.[Symbol.asyncDispose]();
    });

    const asked = async (path: string, as?: string): Promise<Reply> =>
      await server.call(path, { as });

    const readInstance = async (name: string): Promise<JsonObject> => {
      const path = `/apis/dinosaurs.example.dev/v1/namespaces/org-${acme}/dinosaurs/${name}`;
      const { body } = await server.setpoint.ask(path);
      return JSON.parse(body.toString("utf8")) as JsonObject;
    };

    it("refuses instances through both APIs", async () => {
      const parameters = { species: "tyrannosaurus", enclosure: { squareMetres: 200 } };
      const body = { name: "rex", parameters };
      const reply = await server.call("/dinosaurs?async=true", { method: "POST", as: "bob", body });
      equal(reply.status, 400, reply.text);
      equal(reply.json["id"], "8");
      match(textAt(reply.json, "reason"), /squareMetres: must be at least 1000 for a tyranno/);
      const refused = await server.setpoint.ask(
        `/apis/dinosaurs.example.dev/v1/namespaces/org-${acme}/dinosaurs`,
        {
          method: "POST",
          body: {
            apiVersion: "dinosaurs.example.dev/v1",
            kind: "Dinosaur",
            metadata: { name: "rex" },
            spec: { owner: "bob", parameters },
          },
        },
      );
      equal(refused.status, 400, refused.body.toString());
    });

    it("delays an instance with a reason, and creates resources for it", async () => {
      const parameters = { species: "triceratops" };
      const made = await server.create("bob", { name: "tri", parameters });
      id = textAt(made, "id");
      await waitUntil("the instance waits for the hook", async () => {
        return JSON.stringify(await readInstance("tri")).includes("has no ConfigMap zoo-keepers");
      });
      equal((await asked(`/dinosaurs/${id}`, "bob")).json["status"], "preparing");
      const maps = `/api/v1/namespaces/org-${acme}/configmaps`;
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "zoo-keepers" } };
      equal((await server.setpoint.ask(maps, { method: "POST", body })).status, 201);
      await waitUntil("the instance is ready", async () => {
        return (await asked(`/dinosaurs/${id}`, "bob")).json["status"] === "ready";
      });
      const sign = await server.setpoint.ask(`${maps}/zoo-sign-tri`);
      equal(sign.status, 200);
      match(sign.body.toString("utf8"), /Please do not feed tri/);
    });

    it("answers its routes to those who may see the instance", async () => {
      const mine = await asked(`/dinosaurs/${id}/menu`, "carl");
      equal(mine.status, 200, mine.text);
      deepEqual(mine.json, { menu: "ferns" });
      const other = await asked(`/dinosaurs/${id}/menu`, "grace");
      equal(other.status, 404, other.text);
      equal(other.json["id"], "7");
      equal(other.json["reason"], "there is no such dinosaur");
      equal(other.json["operation_id"], other.headers["x-operation-id"]);
      equal((await asked(`/dinosaurs/${id}/menu`)).status, 401);
      equal((await asked(`/dinosaurs/${id}/menu`, "root")).status, 401);
      equal((await asked(`/dinosaurs/${id}/menu?x=1`, "bob")).status, 400);
    });

    it("writes as its caller, under the rules of the Offering", async () => {
      const put = async (as: string, body: unknown): Promise<Reply> =>
        await server.call(`/dinosaurs/${id}/species`, { method: "PUT", as, body });
      const done = await put("bob", { species: "stegosaurus" });
      equal(done.status, 200, done.text);
      deepEqual((await asked(`/dinosaurs/${id}/menu`, "bob")).json, { menu: "moss" });
      equal((await put("alice", { species: "triceratops" })).status, 200);
      const colleague = await put("carl", { species: "stegosaurus" });
      equal(colleague.status, 403, colleague.text);
      equal(colleague.json["id"], "11");
      const hooked = await put("bob", { species: "tyrannosaurus" });
      equal(hooked.status, 400, hooked.text);
      match(textAt(hooked.json, "reason"), /at least 1000/);
      equal((await put("bob", { species: "cat" })).status, 400);
      equal((await put("bob", {})).status, 400);
      equal((await put("grace", { species: "stegosaurus" })).status, 404);
      deepEqual((await asked(`/dinosaurs/${id}/menu`, "bob")).json, { menu: "ferns" });
    });

    it("answers routes of administrators to those with a role", async () => {
      const reply = await asked("/admin/menus", "reader");
      equal(reply.status, 200, reply.text);
      deepEqual(reply.json, { ferns: 1 });
      equal((await asked("/admin/menus", "bob")).status, 404);
      equal((await asked("/admin/menus", "visitor")).status, 404);
    });

    it("is a part of the documents of each class", async () => {
      for (const [path, as, route] of [
        ["/openapi", undefined, "/dinosaurs/{id}/menu"],
        ["/admin/openapi", "reader", "/menus"],
      ] as const) {
        const { json } = await asked(path, as);
        await SwaggerParser.validate(structuredClone(json) as never);
        const found = Object.entries(objectAt(json, "paths")).find(([each]) =>
          each.endsWith(route),
        );
        ok(found, `${route} in ${path}`);
      }
      match((await asked("/doc")).text, /Read what a dinosaur eats/);
      match((await asked("/admin/doc", "reader")).text, /Count the dinosaurs by what they eat/);
    });
  });
}

describe("a module with mistakes", () => {
  let server: FleetServer;

  before(async () => {
    server = await startFleetServer({ args: ["--module", oddZoo, "--isolate"] });
    await server.untilReady();
  });

  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it("does not replace routes of the service", async () => {
    const { json } = await server.call("/openapi");
    ok(textAt(json, "openapi") !== "");
    equal((await server.call("/dinosaurs/none", { as: "alice" })).status, 404);
    await server.untilLogged(/route of a module not served/);
  });

  it("fails alone, without the text of its errors", async () => {
    for (const path of ["/odd/throws", "/odd/garbage", "/odd/undeclared"]) {
      const reply = await server.call(path, { as: "alice" });
      equal(reply.status, 500, reply.text);
      equal(reply.json["kind"], "Error");
      ok(!reply.text.includes("hunter2"), reply.text);
    }
    equal((await server.call("/dinosaurs", { as: "alice" })).status, 200);
  });

  it("does not block other requests while its thread is blocked", async () => {
    const blocked = server.call("/odd/blocks", { as: "alice" });
    const fromMs = Date.now();
    const { status, json } = await server.call("/dinosaurs", { as: "alice" });
    equal(status, 200);
    equal(objectsAt(json, "items").length, 0);
    ok(Date.now() - fromMs < 2_500, "the list waited for the route of the module");
    equal((await blocked).status, 200);
  });
});
