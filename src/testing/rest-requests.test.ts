// Requests of the REST surface that end in an unusual way.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../contract/route.ts";
import { manualClock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { seededIds } from "../kernel/ids.ts";
import { limits } from "../kernel/limits.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import { seededRandom } from "../kernel/random.ts";
import { ModelStore } from "../store/contract/model.ts";
import { requestPipeline } from "../surfaces/http/pipeline.ts";
import { runKeyed } from "../surfaces/rest/idempotent-run.ts";
import { restSurface } from "../surfaces/rest/rest-surface.ts";
import { sampleRoute } from "../surfaces/rest/sample-routes.ts";
import { everyRole, exchangeFor } from "./http-call.ts";

const ids = seededIds(seededRandom(1));
const jane = { name: "jane", groups: [], extra: {} };
const allowAll = { authorize: () => ({ allowed: true, reason: "" }) };

function pipelineOf(route: Route, timers: ReturnType<typeof manualTimers>, clock = manualClock()) {
  const surface = restSurface({
    store: new ModelStore(clock),
    clock,
    ids,
    kinds: { byId: () => undefined },
    authorizer: allowAll,
    impersonation: allowAll,
    routes: [route],
    stopping: new AbortController().signal,
    onStreamError: assert.fail,
  } as unknown as Parameters<typeof restSurface>[0]);
  return requestPipeline({
    surfaces: [{ ...surface, prefixes: [{ path: "/" }] }],
    timers,
    authentication: { authenticate: () => Promise.resolve(jane) },
    roles: everyRole,
    reports: { onError: assert.fail, onAnswer: () => {}, onUnauthenticated: assert.fail },
  });
}

test("a body that never ends is answered with 504 when the time is over", async () => {
  const timers = manualTimers(manualClock());
  const route = sampleRoute({ method: "POST", path: "/api/v1/samples", body: { type: "object" } });
  const { exchange, reply } = exchangeFor({
    method: "POST",
    path: "/api/v1/samples",
    body: {},
    headers: {},
  });
  const endless = { ...exchange, readBody: () => new Promise<Buffer>(() => {}) };
  void pipelineOf(route, timers)(endless);
  await timers.advance(0);
  assert.equal(reply(), undefined);
  await timers.advance(limits.requestTimeoutMs);
  assert.equal(reply()?.status, 504);
});

test("a key stays taken when the work is done and its outcome cannot be stored", async () => {
  const clock = manualClock();
  const store = new ModelStore(clock);
  let isBroken = false;
  const failing = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "commit") return value.bind(target) as unknown;
      return async (...args: Parameters<ModelStore["commit"]>) => {
        // Only the outcome is refused, not the deletion of the record.
        if (isBroken && args[0][0]?.kind === "put") {
          throw new SetpointError("store.overloaded", "too many writes wait");
        }
        return await target.commit(...args);
      };
    },
  });
  let runs = 0;
  const perform = () => {
    runs += 1;
    isBroken = true;
    return Promise.resolve({ kind: "document", status: 200, document: {} } as const);
  };
  const run = {
    user: "jane",
    cause: { actor: "jane", surface: "rest" },
    key: "k1",
    method: "POST",
    url: "/a",
    body: Buffer.from("{}"),
    ifMatch: undefined,
    wordError: () => assert.fail("the request does not fail"),
  };
  const ports = { store: failing, clock, ids };
  await assert.rejects(runKeyed(ports, run, perform), { code: "store.overloaded" });
  isBroken = false;
  await assert.rejects(runKeyed(ports, run, perform), { code: "idempotency.in_progress" });
  assert.equal(runs, 1);
});
