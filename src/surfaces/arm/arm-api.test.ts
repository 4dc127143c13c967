// The Resource Manager in the pipeline, for requests that end before a handler is called: the words
// of the answer are those of its protocol.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unauthenticated } from "../../intents/auth/refusal.ts";
import { anonymousUser } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { kindRegistry } from "../../intents/kinds/registry.ts";
import { manualClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { RequestSummary } from "../http/error-envelope.ts";
import type { Exchange } from "../http/exchange.ts";
import { requestPipeline } from "../http/pipeline.ts";
import { answerWithinMs, armApi } from "./arm-api.ts";
import type { ArmApiInput } from "./arm-api.ts";
import { armFaces } from "../../modules/resource-provider/faces/faces.ts";

interface Sent {
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Rig {
  readonly timers: ReturnType<typeof manualTimers>;
  readonly sent: Sent[];
  readonly statuses: number[];
  readonly logged: RequestSummary[];
  readonly errors: (readonly [error: unknown, status: number])[];
  readonly send: (url?: string) => Promise<void>;
}

function rig(authenticate: () => Promise<UserInfo>): Rig {
  const timers = manualTimers(manualClock());
  const sent: Sent[] = [];
  const statuses: number[] = [];
  const logged: RequestSummary[] = [];
  const errors: (readonly [unknown, number])[] = [];
  const kinds = kindRegistry([]);
  const surface = armApi({
    surface: { intents: { ids: { uid: () => "id-1" }, kinds }, faces: armFaces(kinds) },
    managers: new Set(),
  } as unknown as ArmApiInput);
  const pipeline = requestPipeline({
    surfaces: [{ ...surface, prefixes: [{ path: "/" }] }],
    timers,
    authentication: { authenticate },
    roles: { holdsRoleIn: () => true, holdsAnyRole: () => true },
    metrics: { started: () => 0, finished: (_from, _labels, code) => void statuses.push(code) },
    reports: {
      onError: (error, { status }) => void errors.push([error, status]),
      onAnswer: (answered) => void logged.push(answered),
      onUnauthenticated: () => undefined,
    },
  });
  const send = (url = "/subscriptions/s?api-version=2.0"): Promise<void> => {
    let status = 0;
    const exchange = {
      method: "PUT",
      url,
      headers: {},
      get status() {
        return status;
      },
      get isAnswered() {
        return status !== 0;
      },
      send: (code: number, headers: Record<string, unknown>, body: Buffer) => {
        status = code;
        sent.push({ code, headers, body: String(body) });
      },
      taken: () => undefined,
    } as unknown as Exchange;
    return pipeline(exchange);
  };
  return { timers, sent, statuses, logged, errors, send };
}

const resource = "/subscriptions/s/resourceGroups/g/providers/Example.Shop/shops/one?api-version=1";

test("a request that takes too long is answered within a minute", async () => {
  const { timers, sent, statuses, logged, errors, send } = rig(
    () => Promise.withResolvers<never>().promise,
  );
  assert.ok(answerWithinMs < 60_000);
  void send(resource);
  await timers.advance(answerWithinMs - 1);
  assert.equal(sent.length, 0);
  await timers.advance(1);
  assert.deepEqual(statuses, [504]);
  assert.deepEqual(
    sent.map(({ code, headers }) => [code, Object.entries(headers)[0]]),
    [[504, ["x-ms-request-id", "id-1"]]],
  );
  assert.equal(
    sent[0]?.body,
    '{"error":{"code":"GatewayTimeout",' +
      '"message":"The request was not answered within 55 seconds. ' +
      'It may have taken effect: read the resource before a retry."}}',
  );
  assert.deepEqual(
    logged.map(({ path, status }) => [path, status]),
    [[resource.split("?")[0], 504]],
  );
  assert.deepEqual(errors, []);
  assert.equal(timers.pendingCount(), 0);
});

test("an error after the answer is only logged", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const { timers, sent, errors, send } = rig(() => promise);
  const done = send();
  await timers.advance(answerWithinMs);
  const error = new Error("too late");
  reject(error);
  await done;
  assert.deepEqual(errors, [[error, 504]]);
  assert.deepEqual(
    sent.map(({ code }) => code),
    [504],
  );
});

test("an error with a very long message is answered with a short one", async () => {
  const refused = new SetpointError("request.invalid", "x".repeat(9_000_000));
  const { sent, errors, send } = rig(() => Promise.reject(refused));
  await send();
  assert.deepEqual(errors, []);
  assert.equal(sent.length, 1);
  assert.equal(sent[0]?.code, 400);
  assert.match(sent[0]?.body, /"message":"The request is refused: x+ \.\.\. x+"/);
  assert.ok(sent[0]?.body.length < 1_200);
});

test("a 401 states its reason in the body and in the header", async () => {
  const reason = "service account token has expired";
  const challenge = 'Bearer realm="setpoint"';
  const expired = unauthenticated({ reason, fault: "expired" });
  for (const [authenticate, message, header] of [
    [
      () => Promise.reject(expired),
      `The credentials are not valid: ${reason}.`,
      `${challenge}, error="invalid_token", error_description="${reason}"`,
    ],
    [() => Promise.resolve(anonymousUser), "The request has no credentials.", challenge],
  ] as const) {
    const { sent, send } = rig(authenticate);
    await send();
    assert.equal(sent[0]?.code, 401);
    assert.equal(
      sent[0]?.body,
      JSON.stringify({ error: { code: "AuthenticationFailed", message } }),
    );
    assert.equal(sent[0]?.headers["www-authenticate"], header);
  }
});
