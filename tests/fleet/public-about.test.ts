// What the public API says about itself, and who is let in, with real tokens of real issuers.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import SwaggerParser from "@apidevtools/swagger-parser";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { apiRoot, isError, startFleetServer, v1 } from "./fleet-server.ts";
import type { FleetServer } from "./fleet-server.ts";

let server: FleetServer;

before(async () => {
  server = await startFleetServer();
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

describe("without a token", () => {
  it("the root of the API shows its versions", async () => {
    const { status, json, headers } = await server.call(apiRoot);
    equal(status, 200);
    deepEqual(json, {
      id: "dinosaurs_mgmt",
      kind: "API",
      href: apiRoot,
      versions: [{ id: "v1", kind: "APIVersion", href: v1 }],
    });
    equal(headers["vary"], "Authorization");
    ok(headers["x-operation-id"]);
  });

  it("the version shows its collections", async () => {
    const { status, json } = await server.call("/");
    equal(status, 200);
    equal(json["kind"], "APIVersion");
    deepEqual(
      objectsAt(json, "collections").map(({ id }) => id),
      ["dinosaurs", "cloud_providers", "errors"],
    );
  });

  it("the OpenAPI document is valid and describes every route of the API", async () => {
    const { status, json } = await server.call("/openapi");
    equal(status, 200);
    const document = await SwaggerParser.validate(structuredClone(json) as never);
    const paths = Object.keys(document.paths ?? {});
    for (const path of ["/dinosaurs", "/dinosaurs/{id}", "/errors", "/status", "/terms"]) {
      ok(paths.includes(`${v1}${path}`), `${path} of ${paths.join(" ")}`);
    }
    match(JSON.stringify(json), /triceratops/);
  });

  it("the documentation page shows the routes and the errors", async () => {
    const { status, text, headers } = await server.call("/doc");
    equal(status, 200);
    match(String(headers["content-type"]), /^text\/html/);
    match(text, /POST \/api\/dinosaurs_mgmt\/v1\/dinosaurs/);
    match(text, /DINOSAURS-MGMT-103/);
  });

  it("the catalogue of errors is sorted and complete", async () => {
    const { status, json } = await server.call("/errors");
    equal(status, 200);
    const items = objectsAt(json, "items");
    const numbers = items.map((item) => Number(textAt(item, "id")));
    deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    );
    equal(numbers.length, 41);
    deepEqual([json["total"], json["size"], json["page"]], [41, 41, 1]);
    const seven = await server.call("/errors/7");
    deepEqual(
      seven.json,
      items.find(({ id }) => id === "7"),
    );
    const second = await server.call("/errors?page=2&size=40");
    deepEqual(
      objectsAt(second.json, "items").map(({ id }) => id),
      ["1000"],
    );
    isError(await server.call("/errors/99999"), 404, 7);
  });

  it("everything else is refused with a challenge, also what does not exist", async () => {
    for (const path of ["/dinosaurs", "/status", "/nothing", "/admin/dinosaurs", "/terms"]) {
      const reply = await server.call(path);
      isError(reply, 401, 15);
      match(String(reply.headers["www-authenticate"]), /^Bearer /);
    }
  });
});

describe("a token", () => {
  const reasonOf = async (token: string): Promise<string> => {
    const reply = await server.call("/status", { as: token });
    isError(reply, 401, 15);
    return textAt(reply.json, "reason");
  };
  const claims = (): JsonObject => ({
    iss: server.providers.customers.issuer,
    aud: "fleet",
    sub: "alice",
    username: "alice",
    typ: "Bearer",
    iat: Math.floor(Date.now() / 1_000) - 10,
    exp: Math.floor(Date.now() / 1_000) + 300,
  });
  const without = (claim: string): JsonObject =>
    Object.fromEntries(Object.entries(claims()).filter(([name]) => name !== claim));

  it("that is not good is refused with a reason that names the fault", async () => {
    const { customers, admins } = server.providers;
    const past = Math.floor(Date.now() / 1_000) - 60;
    const faults: readonly (readonly [string, string, RegExp])[] = [
      ["expired", await customers.sign({ ...claims(), exp: past }), /expired/],
      [
        "signed by another key",
        await admins.sign(claims(), { kid: customers.key.jwk.kid }),
        /sign/,
      ],
      ["without iat", await customers.sign(without("iat")), /missing claim iat/],
      ["without typ", await customers.sign(without("typ")), /missing claim typ/],
      ["without a signature", unsigned(claims()), /algorithm|none/],
      ["not a JWT", "abc.def", /malformed/],
    ];
    const reasons = new Set<string>();
    for (const [fault, token, expected] of faults) {
      const reason = await reasonOf(token);
      match(reason, expected, fault);
      reasons.add(reason);
    }
    equal(reasons.size, faults.length, [...reasons].join("\n"));
  });

  it("of a trusted issuer that is not one of this API is refused", async () => {
    const reply = await server.call("/status", { as: "reader" });
    isError(reply, 401, 15);
    match(textAt(reply.json, "reason"), /does not accept the issuer/);
    equal((await server.call("/cloud_providers", { as: "reader" })).status, 200);
  });

  it("without an organisation may see the status and no instances", async () => {
    equal((await server.call("/status", { as: "noorg" })).status, 200);
    const reply = await server.call("/dinosaurs", { as: "noorg" });
    isError(reply, 401, 15);
    match(textAt(reply.json, "reason"), /org_id or rh-org-id/);
  });
});

describe("with a token", () => {
  it("an unknown path is 404 and a wrong method is 405, each with the error object", async () => {
    for (const path of ["/nothing", "/dinosaurs/x/y/z", "/v2", "/%zz"]) {
      isError(await server.call(path, { as: "alice" }), 404, 7);
    }
    const wrong = await server.call("/dinosaurs", { as: "alice", method: "PUT", body: {} });
    isError(wrong, 405, 10);
    equal(wrong.headers["allow"], "GET, HEAD, POST");
  });

  it("an Offering that does not exist is 404", async () => {
    const reply = await server.call("/api/rockets_mgmt/v1/rockets", { as: "alice" });
    equal(reply.status, 404);
    equal(reply.json["code"], "ROCKETS-MGMT-7");
  });

  it("one slash at the end changes nothing", async () => {
    equal((await server.call(`${apiRoot}/`)).status, 200);
    equal((await server.call("/errors/7/")).status, 200);
    equal((await server.call("/status/", { as: "alice" })).status, 200);
    equal((await server.call("/status//", { as: "alice" })).status, 404);
  });

  it("an unknown parameter is refused by name", async () => {
    const reply = await server.call("/cloud_providers?pages=1", { as: "alice" });
    isError(reply, 400, 21);
    match(textAt(reply.json, "reason"), /pages: unknown parameter/);
  });

  it("the status says whether there is room", async () => {
    const { json } = await server.call("/status", { as: "alice" });
    deepEqual(json, { dinosaurs: { max_capacity_reached: false } });
  });
});

describe("the hidden APIs", () => {
  it("do not exist for callers without the role or the issuer, whatever the method", async () => {
    for (const as of ["alice", "visitor"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        isError(await server.call("/admin/openapi", { as, method }), 404, 7);
      }
      isError(await server.call("/agent-clusters/openapi", { as }), 404, 7);
    }
    await server.untilLogged(/fleet request refused as not found.*does not accept the issuer/);
    await server.untilLogged(/GET needs one of the roles dinosaurs-admin-read/);
  });

  it("have documents of their own", async () => {
    const document = await server.call("/admin/openapi", { as: "reader" });
    equal(document.status, 200);
    await SwaggerParser.validate(structuredClone(document.json) as never);
    const page = await server.call("/admin/doc", { as: "root" });
    match(page.text, /admin API/);
    isError(await server.call("/admin/openapi", { as: "reader", method: "PATCH" }), 404, 7);
    isError(await server.call("/admin/openapi", { as: "writer", method: "PATCH" }), 405, 10);
  });
});

describe("the health endpoint", () => {
  it("is 503 while an administrator has taken the server down", async () => {
    const { setpoint } = server;
    const post = { method: "POST", body: {} };
    equal((await setpoint.ask("/healthcheck")).status, 200);
    const refused = await setpoint.ask("/healthcheck/down", {
      ...post,
      headers: { authorization: `Bearer ${await server.token("alice")}` },
    });
    equal(refused.status, 403);
    equal((await setpoint.ask("/healthcheck")).status, 200);

    equal((await setpoint.ask("/healthcheck/down", post)).status, 200);
    equal((await setpoint.ask("/healthcheck", { headers: { authorization: "" } })).status, 503);
    const readyz = await setpoint.ask("/readyz?verbose");
    equal(readyz.status, 500);
    match(String(readyz.body), /\[-\]maintenance failed: an administrator took the server down/);

    equal((await setpoint.ask("/healthcheck/up", post)).status, 200);
    equal((await setpoint.ask("/healthcheck")).status, 200);
    equal((await setpoint.ask("/readyz")).status, 200);
  });
});

function unsigned(claims: JsonObject): string {
  const part = (value: JsonObject): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.`;
}
