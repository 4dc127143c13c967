// The way in, where nobody answers: the client is told in time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kindRegistry } from "../../intents/kinds/registry.ts";
import { manualClock } from "../../kernel/clock.ts";
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
    onRequest: () => (answered: { readonly status: number }) => statuses.push(answered.status),
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
  const answered = armApi(input)(exchange);
  await timers.advance(answerWithinMs - 1);
  assert.equal(sent.length, 0);
  await timers.advance(1);
  await answered;
  assert.equal(status, 504);
  assert.deepEqual(statuses, [504]);
  assert.deepEqual(
    sent.map(({ headers }) => Object.entries(headers)[0]),
    [["x-ms-request-id", "id-1"]],
  );
  assert.match(String(sent[0]?.body), /^\{"error":\{"code":"GatewayTimeout"/);
  assert.equal(timers.pendingCount(), 0);
});
