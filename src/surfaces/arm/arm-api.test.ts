// The way in, where nobody answers or too much is said: the client is told in time, and briefly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kindRegistry } from "../../intents/kinds/registry.ts";
import { manualClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { Exchange } from "../http/exchange.ts";
import { createFairness } from "../http/fairness.ts";
import { armApi } from "./arm-api.ts";
import type { ArmApiInput } from "./arm-api.ts";
import { answerWithinMs } from "./arm-deadline.ts";
import { armFaces } from "./faces.ts";

test("a request that nobody answers is answered within a minute", async () => {
  const timers = manualTimers(manualClock());
  const faces = armFaces(kindRegistry([]));
  const sent: { readonly headers: object; readonly body: Buffer }[] = [];
  const statuses: number[] = [];
  const input = {
    surface: { intents: { ids: { uid: () => "id-1" }, kinds: kindRegistry([]) }, faces },
    authentication: { authenticate: () => Promise.withResolvers<never>().promise },
    fairness: createFairness({ timers }),
    timers,
    managers: new Set(),
    onRequest: () => (_facts: object, code: number) => statuses.push(code),
    onAnswer: () => undefined,
    onError: (error: unknown) => assert.fail(String(error)),
  } as unknown as ArmApiInput;
  let status = 0;
  const exchange = {
    method: "PUT",
    url: "/subscriptions/s/resourceGroups/g/providers/Example.Shop/shops/one?api-version=1",
    headers: {},
    get status() {
      return status;
    },
    send: (code: number, headers: object, body: Buffer) => {
      status = code;
      sent.push({ headers, body });
    },
  } as unknown as Exchange;
  void armApi(input)(exchange);
  await timers.advance(answerWithinMs - 1);
  assert.equal(sent.length, 0);
  await timers.advance(1);
  assert.equal(status, 504);
  assert.deepEqual(statuses, [504]);
  assert.deepEqual(
    sent.map(({ headers }) => Object.entries(headers)[0]),
    [["x-ms-request-id", "id-1"]],
  );
  assert.match(String(sent[0]?.body), /^\{"error":\{"code":"GatewayTimeout"/);
  assert.equal(timers.pendingCount(), 0);
});

test("what fails after its answer is told to somebody else", async () => {
  const timers = manualTimers(manualClock());
  const { promise, reject } = Promise.withResolvers<never>();
  const told: unknown[] = [];
  const input = {
    surface: {
      intents: { ids: { uid: () => "id-1" }, kinds: kindRegistry([]) },
      faces: armFaces(kindRegistry([])),
    },
    authentication: { authenticate: () => promise },
    timers,
    managers: new Set(),
    onAnswer: () => undefined,
    onError: (error: unknown, { status }: { readonly status: number }) =>
      told.push([error, status]),
  } as unknown as ArmApiInput;
  const sent: number[] = [];
  const exchange = {
    method: "PUT",
    url: "/subscriptions/s?api-version=2.0",
    headers: {},
    send: (code: number) => sent.push(code),
  } as unknown as Exchange;
  const done = armApi(input)(exchange);
  await timers.advance(answerWithinMs);
  assert.deepEqual(sent, [504]);
  const error = new Error("too late");
  reject(error);
  await done;
  assert.deepEqual(told, [[error, 504]]);
  assert.deepEqual(sent, [504]);
});

test("a refusal that quotes very much is told in a few lines", async () => {
  const timers = manualTimers(manualClock());
  const errors: unknown[] = [];
  const refused = new SetpointError("request.invalid", "x".repeat(9_000_000));
  const input = {
    surface: {
      intents: { ids: { uid: () => "id-1" }, kinds: kindRegistry([]) },
      faces: armFaces(kindRegistry([])),
    },
    authentication: { authenticate: () => Promise.reject(refused) },
    timers,
    managers: new Set(),
    onAnswer: () => undefined,
    onError: (error: unknown) => errors.push(error),
  } as unknown as ArmApiInput;
  const sent: { readonly code: number; readonly body: string }[] = [];
  const exchange = {
    method: "PUT",
    url: "/subscriptions/s?api-version=2.0",
    headers: {},
    send: (code: number, _headers: object, body: Buffer) => sent.push({ code, body: String(body) }),
  } as unknown as Exchange;
  await armApi(input)(exchange);
  assert.deepEqual(errors, []);
  assert.equal(sent.length, 1);
  assert.equal(sent[0]?.code, 400);
  assert.match(sent[0]?.body, /"message":"The request is refused: x+ \.\.\. x+"/);
  assert.ok(sent[0]?.body.length < 1_200);
});
