import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fleetErrorNumber, fleetErrors } from "../../modules/fleet/api/error-catalogue.ts";
import { fleetModuleErrors } from "../../modules/fleet/errors.ts";
import { readOffering } from "../../modules/fleet/offering.ts";
import { sampleOffering } from "../../modules/fleet/sample-offering.ts";
import { unauthenticated } from "../../intents/auth/refusal.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { textAt } from "../../kernel/json-read.ts";
import { invalidRequest } from "../rest/field-problem.ts";
import { fleetErrorOf } from "./fleet-error.ts";

const context = { offering: readOffering(sampleOffering()), operationId: "op-1" };

const worded = (error: unknown): ReturnType<typeof fleetErrorOf> => fleetErrorOf(error, context);

describe("an error of a fleet API", () => {
  it("is an object with a number, a reason and the id of the operation", () => {
    const error = new SetpointError("fleet.name_taken", 'name: "web" is already used');
    assert.deepEqual(worded(error), {
      status: 409,
      contentType: "application/json",
      headers: {},
      document: {
        id: "36",
        kind: "Error",
        href: "/api/dinosaurs_mgmt/v1/errors/36",
        code: "DINOSAURS-MGMT-36",
        reason: 'name: "web" is already used',
        operation_id: "op-1",
      },
    });
  });

  it("has for each code of the module the status of its number", () => {
    for (const [code, { status }] of Object.entries(fleetModuleErrors)) {
      const { document, status: sent } = worded(new SetpointError(code as ErrorCode, "why"));
      const number = fleetErrorNumber(textAt(document, "id"));
      assert.ok(number !== undefined, code);
      assert.equal(sent, status, code);
      if (status < 500) assert.equal(fleetErrors[number].status, status, code);
    }
  });

  it("names the reason of a refused token, and challenges the client", () => {
    const refused = unauthenticated({ fault: "expired", reason: "token has expired" });
    const { status, headers, document } = worded(refused);
    assert.equal(status, 401);
    assert.equal(document["code"], "DINOSAURS-MGMT-15");
    assert.match(textAt(document, "reason"), /could not be verified: token has expired$/);
    assert.match(String(headers["www-authenticate"]), /token has expired/);
  });

  it("has different numbers for a body that cannot be read, a field and a parameter", () => {
    const numberOf = (field: string): unknown =>
      worded(invalidRequest([{ field, detail: "is wrong" }])).document["id"];
    assert.equal(numberOf("body"), "17");
    assert.equal(numberOf("body.name"), "37");
    assert.equal(numberOf("query.page"), "21");
  });

  it("lists all fields that are wrong, by the names that clients know", () => {
    const problems = [
      { field: "body.name", detail: "is wrong" },
      { field: "body.region", detail: "too" },
    ];
    assert.equal(
      worded(invalidRequest(problems)).document["reason"],
      "name: is wrong; region: too",
    );
  });

  it("says when to try again, and which methods there are", () => {
    const busy = worded(new SetpointError("request.overloaded", "busy"));
    assert.deepEqual([busy.status, busy.headers["retry-after"]], [429, 1]);
    const limited = new SetpointError("fleet.rate_limited", "slow", {
      details: { retryAfterSeconds: 7 },
    });
    assert.equal(worded(limited).headers["retry-after"], 7);
    const down = worded(new SetpointError("store.unavailable", "down"));
    assert.deepEqual([down.status, down.document["id"]], [503, "9"]);
    const other = new SetpointError("request.method_not_allowed", "no", {
      details: { allow: "GET" },
    });
    assert.equal(worded(other).headers["allow"], "GET");
  });

  it("shows nothing of an unexpected error", () => {
    const { status, document } = worded(new Error("password=hunter2"));
    assert.equal(status, 500);
    assert.doesNotMatch(JSON.stringify(document), /hunter2/);
  });
});
