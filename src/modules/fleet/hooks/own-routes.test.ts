import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { ManualTimers } from "../../../kernel/manual-timers.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "../api/fleet-route.ts";
import { fleetLimits } from "../limits.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import type { OwnAnswer, OwnRequest, OwnRoute } from "./own-route.ts";
import { extraRoutes } from "./own-routes.ts";

const offering = readOffering(sampleOffering());

function route(handle: OwnRoute["handle"], more: Partial<OwnRoute> = {}): OwnRoute {
  return {
    class: "public",
    method: "GET",
    path: "/dinosaurs/{id}/feedings",
    summary: "List the feedings of a dinosaur.",
    query: { type: "object", properties: { day: { type: "string" }, tag: { type: "array" } } },
    answers: { 200: { description: "The feedings." }, 204: { description: "None." } },
    handle,
    ...more,
  };
}

const timers: ManualTimers = manualTimers(manualClock());
const ports = { timers } as unknown as CustomerPorts;

/** As the surface calls it. */
function served(own: OwnRoute, apiClass = own.class): readonly FleetRoute[] {
  const value = [
    { offering: "dinosaurs", routes: [own] },
    { offering: "birds", routes: [own] },
  ];
  const all = extraRoutes([{ point: "fleet", module: "zoo", file: "/zoo.ts", value }]);
  const added = all.filter((each) => each.apiClass === apiClass);
  return added.flatMap(({ routesOf }) => routesOf(ports, offering));
}

const request = {
  offering,
  fleetCaller: {
    user: "ann",
    organisation: "acme",
    organisationName: "Acme",
    account: "a-1",
    isOrganisationAdmin: true,
    roles: ["keeper"],
    clusterId: undefined,
    issuer: "https://issuer.example",
    isServerAdmin: false,
  },
  path: { id: "d1" },
  query: {
    get: () => undefined,
    all: (name: string) => (name === "tag" ? ["a", "b"] : []),
  },
  body: { amount: 3 },
  operationId: "op-1",
  signal: new AbortController().signal,
} as unknown as FleetRequest;

async function answerOf(handle: OwnRoute["handle"]): Promise<unknown> {
  return await served(route(handle))[0]?.handle(request);
}

describe("a route of a user module", () => {
  it("is a route of its class and Offering, with its schemas", () => {
    const [one, ...others] = served(route(() => ({ kind: "document", status: 204 })));
    assert.equal(others.length, 0);
    assert.equal(one?.path, "/dinosaurs/{id}/feedings");
    assert.equal(one.access.kind, "member");
    assert.equal(one.tag, "Added by zoo");
    assert.ok(one.query);
    assert.deepEqual(
      served(
        route(() => ({ kind: "document", status: 204 })),
        "admin",
      ),
      [],
    );
    const admin = served(route(() => ({ kind: "document", status: 204 }), { class: "admin" }));
    assert.equal(admin[0]?.access.kind, "admin");
  });

  it("receives the identity of the caller and the checked request", async () => {
    let seen: OwnRequest | undefined;
    await answerOf((given) => {
      seen = given;
      return { kind: "document", status: 204 };
    });
    assert.deepEqual(seen?.caller, {
      user: "ann",
      organisation: "acme",
      isOrganisationAdmin: true,
      roles: ["keeper"],
      cluster: undefined,
    });
    assert.deepEqual(seen.query, { tag: ["a", "b"] });
    assert.deepEqual([seen.path, seen.body], [{ id: "d1" }, { amount: 3 }]);
    assert.equal(seen.operationId, "op-1");
  });

  it("answers with a document of a declared status", async () => {
    const answer: OwnAnswer = { kind: "document", status: 200, document: { items: [] } };
    assert.deepEqual(await answerOf(() => answer), answer);
    assert.deepEqual(await answerOf(async () => ({ kind: "document", status: 204 })), {
      kind: "document",
      status: 204,
    });
  });

  it("refuses with a number of the error catalogue", async () => {
    await assert.rejects(
      answerOf(() => ({ kind: "refused", error: 24, reason: "the larder is empty" })),
      (error) => {
        assert.ok(isSetpointError(error, "fleet.refused"));
        assert.equal(error.message, "the larder is empty");
        assert.equal(error.details["number"], 24);
        return true;
      },
    );
  });

  it("is named, without the text of its error, when it fails or answers with garbage", async () => {
    const cases: readonly unknown[] = [
      () => Promise.reject(new Error("password=1")),
      () => "text",
      () => ({ kind: "document", status: 201 }),
      () => ({ kind: "document", status: 200, document: [] }),
      () => ({ kind: "refused", error: 99_999, reason: "r" }),
      () => ({ kind: "refused", error: 8 }),
    ];
    for (const handle of cases) {
      await assert.rejects(answerOf(handle as OwnRoute["handle"]), (error) => {
        assert.ok(isSetpointError(error, "internal"));
        const name = "the route GET /dinosaurs/{id}/feedings of the module zoo";
        assert.equal(error.message, `${name} failed`);
        return true;
      });
    }
  });

  it("has a time limit", async () => {
    const never = answerOf(() => Promise.withResolvers<OwnAnswer>().promise);
    const rejected = assert.rejects(never, { code: "module.unavailable" });
    await timers.advance(fleetLimits.hookRouteMs);
    await rejected;
  });
});
