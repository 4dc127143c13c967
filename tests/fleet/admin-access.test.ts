// Who may use the admin API, with real tokens of real issuers: a role for each method, 404 for all
// others, and a record of every call. The service as a whole: maintenance, denied users, clusters.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import SwaggerParser from "@apidevtools/swagger-parser";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { requestLineLimit } from "../../src/telemetry/limited-log.ts";
import { waitUntil } from "../peers/wait.ts";
import { startFleetServer, v1 } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

let server: FleetServer;
let folder: string;

const cluster = {
  apiVersion: "fleet.setpoint.dev/v1",
  kind: "DataPlaneCluster",
  metadata: { name: "east-1" },
  spec: {
    provider: "aws",
    region: "us-east-1",
    isMultiAz: true,
    capacity: { instances: 7, types: { eval: 2 } },
    dns: "apps.east-1.example.com",
    executor: { kind: "simulator" },
  },
};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-admin-"));
  const policy = join(folder, "policy.yaml");
  const rules = [{ level: "Metadata" }];
  await writeFile(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  const audit = ["--audit-policy", policy, "--audit-log", join(folder, "audit.log")];
  server = await startFleetServer({ args: audit });
  await server.apply(cluster);
  await server.untilReady();
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const admin = async (
  method: string,
  path: string,
  as: string | undefined,
  body?: JsonObject,
): Promise<Reply> =>
  await server.call(`/admin${path}`, { method, as, ...(body === undefined ? {} : { body }) });

const isHidden = ({ status, json }: Reply): boolean => status === 404 && json["id"] === "7";

describe("the roles of administrators", () => {
  it("decide by method, and every refusal is not found", async () => {
    const body = { is_in_maintenance: false };
    const cases: readonly (readonly [string, string, string, boolean])[] = [
      ["reader", "GET", "/dinosaurs", true],
      ["reader", "PUT", "/maintenance", false],
      ["writer", "GET", "/dinosaurs", true],
      ["writer", "PUT", "/maintenance", true],
      ["writer", "DELETE", "/dinosaurs/none?async=true", false],
      ["root", "GET", "/dinosaurs", true],
      ["root", "PUT", "/maintenance", true],
      ["visitor", "GET", "/dinosaurs", false],
      ["visitor", "GET", "/no-such-path", false],
      ["alice", "GET", "/dinosaurs", false],
      ["alice", "PUT", "/maintenance", false],
    ];
    for (const [as, method, path, isAllowed] of cases) {
      const reply = await admin(method, path, as, method === "PUT" ? body : undefined);
      const what = `${as} ${method} ${path}: ${reply.status} ${reply.text}`;
      if (isAllowed) equal(reply.status, 200, what);
      else ok(isHidden(reply), what);
    }
  });

  it("need the full role for a restore, although its method is POST", async () => {
    const refused = await admin("POST", "/dinosaurs/none/restore", "writer");
    ok(isHidden(refused), refused.text);
    equal(refused.json["reason"], "Resource not found");
    const allowed = await admin("POST", "/dinosaurs/none/restore", "root");
    match(textAt(allowed.json, "reason"), /there is no deleted Dinosaur/);
  });

  it("are not needed by an administrator of the server", async () => {
    const { status } = await admin("GET", "/dinosaurs", server.setpoint.token);
    equal(status, 200);
  });

  it("do not open the public API, and a missing token is 401", async () => {
    equal((await server.call("/dinosaurs", { as: "root" })).status, 401);
    equal((await admin("GET", "/dinosaurs", undefined)).status, 401);
  });

  it("are checked with the true cause in the log", async () => {
    const reply = await admin("GET", "/clusters", "visitor");
    const id = textAt(reply.json, "operation_id");
    const line = await server.untilLogged(new RegExp(`refused as not found.*${id}`));
    match(line, /visitor/);
    match(line, /needs one of the roles dinosaurs-admin-read/);
  });
});

describe("many calls that are refused", () => {
  it("write a bounded number of lines to the log", async () => {
    const refused = await Promise.all(
      Array.from({ length: 50 }, async () => await admin("GET", "/clusters", "visitor")),
    );
    const ids = refused.map(({ json }) => textAt(json, "operation_id"));
    const last = textAt((await admin("GET", "/dinosaurs/none", "reader")).json, "operation_id");
    await waitUntil("a later line in the log", () => server.setpoint.log().includes(last));
    const log = server.setpoint.log();
    ok(ids.filter((id) => id !== "" && log.includes(id)).length <= requestLineLimit.maxLines);
  });
});

describe("every call", () => {
  it("has two lines in the log, joined by the operation id, with user and status", async () => {
    const reply = await admin("GET", "/dinosaurs/none", "reader");
    equal(reply.status, 404);
    const id = textAt(reply.json, "operation_id");
    const lines = (): readonly string[] =>
      server.setpoint
        .log()
        .split("\n")
        .filter((each) => each.includes(id));
    await waitUntil("both lines", () => lines().length >= 2);
    const [first = "", second = ""] = lines();
    match(first, /admin request started/);
    match(first, /reader/);
    match(second, /admin request ended/);
    match(second, /404/);
  });

  it("is in the audit log with user and status", async () => {
    const done = await admin("PUT", "/users/mallory", "writer", { is_denied: false });
    equal(done.status, 200, done.text);
    await admin("GET", "/denied_users", "visitor");
    const seen = async (user: string, path: string): Promise<JsonObject | undefined> => {
      const text = await readFile(join(folder, "audit.log"), "utf8");
      const events = text.split("\n").filter((line) => line !== "");
      return events
        .map((line) => JSON.parse(line) as JsonObject)
        .find((event) => {
          const isUser = textAt(event, "user", "username") === user;
          const isDone = textAt(event, "stage") === "ResponseComplete";
          return isUser && isDone && textAt(event, "requestURI").startsWith(`${v1}/admin${path}`);
        });
    };
    await waitUntil("the audit events", async () => {
      const both = [await seen("writer", "/users/mallory"), await seen("visitor", "/denied_users")];
      return both.every((event) => event !== undefined);
    });
    const allowed = await seen("writer", "/users/mallory");
    equal(numberAt(allowed, "responseStatus", "code"), 200);
    equal(textAt(allowed, "verb"), "put");
    const hidden = await seen("visitor", "/denied_users");
    equal(numberAt(hidden, "responseStatus", "code"), 404);
  });
});

describe("the documents of the admin API", () => {
  it("are shown to administrators alone, and describe every route", async () => {
    ok(isHidden(await admin("GET", "/openapi", "alice")));
    const { status, json } = await admin("GET", "/openapi", "reader");
    equal(status, 200);
    await SwaggerParser.validate(structuredClone(json) as never);
    const paths = Object.keys(json["paths"] as JsonObject);
    for (const path of ["/dinosaurs/{id}/expiry", "/deleted_dinosaurs", "/maintenance"]) {
      ok(
        paths.some((each) => each.endsWith(path)),
        `${path} in ${paths.join(" ")}`,
      );
    }
    const page = await admin("GET", "/doc", "reader");
    match(page.text, /Rotate the secrets of an instance/);
  });
});

describe("maintenance of the service", () => {
  it("keeps out every organisation but the allowed ones", async () => {
    const begun = await admin("PUT", "/maintenance", "writer", {
      is_in_maintenance: true,
      allowed_organisations: ["2020"],
    });
    deepEqual(begun.json, {
      kind: "Maintenance",
      is_in_maintenance: true,
      allowed_organisations: ["2020"],
    });
    const refused = await server.call("/dinosaurs", { as: "alice" });
    equal(refused.status, 403);
    equal(refused.json["id"], "18");
    equal((await server.call("/dinosaurs", { as: "grace" })).status, 200);
    equal((await admin("GET", "/dinosaurs", "reader")).status, 200);
    const ended = await admin("PUT", "/maintenance", "writer", { is_in_maintenance: false });
    deepEqual(textsAt(ended.json, "allowed_organisations"), ["2020"]);
    equal((await server.call("/dinosaurs", { as: "alice" })).status, 200);
    deepEqual((await admin("GET", "/maintenance", "reader")).json, ended.json);
  });

  it("refuses a body without the flag, or with another type", async () => {
    for (const body of [{}, { is_in_maintenance: "yes" }, { is_in_maintenance: true, x: 1 }]) {
      const reply = await admin("PUT", "/maintenance", "writer", body);
      equal(reply.status, 400, reply.text);
    }
    const { json } = await admin("GET", "/maintenance", "reader");
    equal(json["is_in_maintenance"], false);
  });
});

describe("a denied user", () => {
  it("is kept out until an administrator allows the user again", async () => {
    const noReason = await admin("PUT", "/users/bob", "writer", { is_denied: true });
    equal(noReason.status, 400, noReason.text);
    equal(noReason.json["id"], "37");
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const body = { is_denied: true, reason: "abuse" };
      const denied = await admin("PUT", "/users/bob", "writer", body);
      deepEqual(denied.json, { kind: "User", user: "bob", is_denied: true });
    }
    const { json } = await admin("GET", "/denied_users", "reader");
    deepEqual(json["items"], ["bob"]);
    const refused = await server.call("/dinosaurs", { as: "bob" });
    equal(refused.status, 403);
    equal(refused.json["id"], "4");
    equal((await server.call("/dinosaurs", { as: "alice" })).status, 200);
    await admin("PUT", "/users/bob", "writer", { is_denied: false });
    equal((await server.call("/dinosaurs", { as: "bob" })).status, 200);
  });
});

describe("the clusters of the service", () => {
  it("are listed with their state and capacity", async () => {
    await waitUntil("the cluster is ready", async () => {
      const { json } = await admin("GET", "/clusters/east-1", "reader");
      return json["status"] === "ready";
    });
    const { json } = await admin("GET", "/clusters", "reader");
    equal(json["kind"], "ClusterList");
    equal(json["total"], 1);
    const [first] = objectsAt(json, "items");
    equal(first?.["id"], "east-1");
    equal(first["region"], "us-east-1");
    equal(first["schedulable"], true);
    deepEqual(first["capacity"], [
      { max_units: 7, used_units: 0, remaining_units: 7 },
      { type: "standard", used_units: 0 },
      { type: "eval", max_units: 2, used_units: 0, remaining_units: 2 },
    ]);
    ok(isHidden(await admin("GET", "/clusters/none", "reader")));
  });
});
