// The pipeline with a surface that only records what it is asked for. Each test states one rule
// that all surfaces rely on.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRequest, AuditTrail } from "../../intents/audit/audit-trail.ts";
import { unauthenticated } from "../../intents/auth/refusal.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { anonymousUser, mastersGroup } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { manualClock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { readCost, writeCost } from "./admit.ts";
import type { Admission } from "./admit.ts";
import type { RequestSummary } from "./error-envelope.ts";
import type { Exchange, Headers } from "./exchange.ts";
import { challengeHeaders } from "./identify.ts";
import { noResource } from "./metrics.ts";
import type { Place } from "./place.ts";
import { requestPipeline } from "./pipeline.ts";
import type { PipelineInput } from "./pipeline.ts";
import type { HttpSurface, SurfaceRequest } from "./surface.ts";
import { ExchangeIds } from "./trace.ts";

const ann: UserInfo = { name: "ann", groups: [], extra: {} };

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

interface Rig {
  /** What happened, in order. */
  readonly steps: string[];
  readonly sent: Sent[];
  readonly faults: (readonly [error: unknown, request: RequestSummary])[];
  readonly timers: ReturnType<typeof manualTimers>;
  readonly send: (options?: SendOptions) => Promise<void>;
}

interface SendOptions {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly taken?: Promise<void>;
  readonly exempted?: (turns: unknown) => void;
  readonly onClose?: (run: () => void) => void;
}

function rig(own: Partial<HttpSurface> = {}, ports: Partial<PipelineInput> = {}): Rig {
  const timers = manualTimers(manualClock());
  const steps: string[] = [];
  const sent: Sent[] = [];
  const faults: [unknown, RequestSummary][] = [];
  const surface: HttpSurface = {
    name: "rest",
    prefixes: [{ path: "/" }],
    parse: (exchange) => {
      const isOpen = exchange.url === "/livez";
      return { ids: new ExchangeIds(exchange, "id-1"), isOpen };
    },
    auditFacts: ({ exchange: { url } }) => ({
      ...noResource,
      verb: "get",
      isResource: false,
      path: url,
      namespace: "",
      name: "",
      hasHidden: false,
    }),
    namespaceOf: () => "",
    costOf: () => readCost,
    handle: ({ exchange, user }) => {
      steps.push(`handle for ${user.name}`);
      exchange.send(200, {}, "done");
      return Promise.resolve();
    },
    envelope: (error, { exchange }) => {
      const status = isSetpointError(error) ? error.status : 500;
      exchange.send(status, challengeHeaders(error), String(error));
    },
    isFault: (error) => !isSetpointError(error),
    labels: () => ({ ...noResource, verb: "get" }),
    ...own,
  };
  const admission = admissionWith((tenant, { work }) => ({
    enter: () => void steps.push(`enter ${tenant} ${work}`),
    leave: () => void steps.push(`leave ${tenant}`),
  }));
  const pipeline = requestPipeline({
    surfaces: [surface],
    timers,
    authentication: { authenticate: () => Promise.resolve(ann) },
    metrics: {
      started: () => steps.push("started"),
      finished: (_from, _labels, status) => void steps.push(`finished ${status}`),
    },
    roles: everyRole,
    admissions: { of: () => admission },
    reports: {
      onError: (...fault) => void faults.push(fault),
      onAnswer: ({ status }) => void steps.push(`logged ${status}`),
      onUnauthenticated: (reason) => void steps.push(`not authenticated: ${reason}`),
    },
    ...ports,
  });
  const send = (options: SendOptions = {}): Promise<void> => pipeline(exchangeWith(sent, options));
  return { steps, sent, faults, timers, send };
}

const everyRole = { holdsRoleIn: () => true, holdsAnyRole: () => true };

function admissionWith(
  placeOf: (...given: Parameters<Admission["placeOf"]>) => Pick<Place, "leave"> & {
    enter(): Promise<void> | void;
  },
): Admission {
  return { placeOf, turnsOf: (tenant: string) => ({ tenant }) } as unknown as Admission;
}

function exchangeWith(sent: Sent[], options: SendOptions): Exchange {
  const { url = "/x", headers = {}, taken, onClose = () => undefined } = options;
  let status = 0;
  return {
    method: "GET",
    url,
    headers,
    headerValues: (name: string) => [headers[name] ?? ""],
    certificate: undefined,
    remoteAddress: "",
    get status() {
      return status;
    },
    get isAnswered() {
      return status !== 0;
    },
    send: (code: number, answered: Headers, body: string) => {
      if (status !== 0) return;
      status = code;
      sent.push({ status: code, headers: answered, body });
    },
    isBodyInTransit: false,
    bodyBytesAhead: 0,
    admitted: () => undefined,
    exempted: (turns: unknown) => options.exempted?.(turns),
    taken: () => taken,
    onClose,
  } as unknown as Exchange;
}

test("a request passes authentication and admission before it is handled", async () => {
  const { send, steps, sent } = rig();
  await send();
  assert.deepEqual(steps, [
    "started",
    "enter user ann read",
    "handle for ann",
    "leave user ann",
    "finished 200",
  ]);
  assert.equal(sent[0]?.body, "done");
});

test("an open path is handled without authentication and admission", async () => {
  const authenticate = (): Promise<UserInfo> => assert.fail("no credentials are needed");
  const { send, steps } = rig({}, { authentication: { authenticate } });
  await send({ url: "/livez" });
  assert.deepEqual(steps, ["started", "handle for system:anonymous", "finished 200"]);
});

test("a request that cannot be read is refused before authentication", async () => {
  const authenticate = (): Promise<UserInfo> => assert.fail("the URL is read first");
  const check = (): never => {
    throw new SetpointError("request.invalid", "not readable");
  };
  const { send, steps, sent } = rig({ check }, { authentication: { authenticate } });
  await send();
  assert.deepEqual(
    sent.map(({ status }) => status),
    [400],
  );
  assert.deepEqual(steps, ["started", "finished 400"]);
});

test("a 401 states its reason in the header, the log and the audit record", async () => {
  const notes: string[] = [];
  const users: UserInfo[] = [];
  const trail = {
    annotate: (key: string, value: string) => void notes.push(`${key}=${value}`),
    complete: (code: number) => void notes.push(`complete ${code}`),
  } as unknown as AuditTrail;
  const audit = {
    begin: (_request: AuditRequest, user: UserInfo) => {
      users.push(user);
      return trail;
    },
  };
  const refused = unauthenticated({ reason: 'token "a\\b\u00e9" has expired', fault: "expired" });
  const authentication = { authenticate: () => Promise.reject<UserInfo>(refused) };
  const { send, steps, sent, faults } = rig({}, { authentication, audit });
  await send();
  assert.equal(sent[0]?.status, 401);
  assert.deepEqual(sent[0]?.headers, {
    "www-authenticate":
      'Bearer realm="setpoint", error="invalid_token", ' +
      `error_description="token 'a?b?' has expired"`,
  });
  const reason = 'token "a\\b\u00e9" has expired';
  assert.deepEqual(steps, ["started", `not authenticated: ${reason}`, "finished 401"]);
  assert.deepEqual(notes, [`authentication.setpoint.dev/reason=${reason}`, "complete 401"]);
  assert.deepEqual(
    users.map(({ name }) => name),
    [""],
  );
  assert.deepEqual(faults, []);
});

test("a surface without anonymous users refuses a request without credentials", async () => {
  const authentication = { authenticate: () => Promise.resolve(anonymousUser) };
  const { send, steps, sent } = rig({}, { authentication });
  await send();
  assert.equal(sent[0]?.status, 401);
  assert.deepEqual(sent[0]?.headers, { "www-authenticate": 'Bearer realm="setpoint"' });
  assert.deepEqual(steps, ["started", "not authenticated: no credentials", "finished 401"]);
  const open = rig({ allowsAnonymous: true }, { authentication });
  await open.send();
  assert.equal(open.sent[0]?.status, 200);
});

test("only a surface with impersonation heeds its headers", async () => {
  const headers = { "impersonate-user": "bob" };
  const ignoring = rig();
  await ignoring.send({ headers });
  assert.ok(ignoring.steps.includes("handle for ann"));
  const impersonation = { authorize: () => ({ allowed: true, reason: "" }) } as Authorizer;
  const acting = rig({ impersonation });
  await acting.send({ headers });
  assert.ok(acting.steps.includes("enter user bob read"));
  assert.ok(acting.steps.includes("handle for bob"));
});

test("an administrator and an exempt request take no place, and share the loop", async () => {
  const admin = { ...ann, groups: [mastersGroup] };
  const asAdmin = rig({}, { authentication: { authenticate: () => Promise.resolve(admin) } });
  const exempt = rig({ costOf: () => undefined });
  for (const { send, steps } of [asAdmin, exempt]) {
    const turns: unknown[] = [];
    await send({ exempted: (given) => turns.push(given) });
    assert.deepEqual(steps, ["started", "handle for ann", "finished 200"]);
    assert.deepEqual(turns, [{ tenant: "user ann" }]);
  }
});

test("the tenant is the namespace if the caller has a role in it", async () => {
  const write = { namespaceOf: () => "team", costOf: () => writeCost };
  const member = rig(write);
  await member.send();
  assert.ok(member.steps.includes("enter namespace team write"));
  const roles = { holdsRoleIn: () => false, holdsAnyRole: () => false };
  const stranger = rig(write, { roles });
  await stranger.send();
  assert.ok(stranger.steps.includes("enter callers without a role write"));
});

test("the tenant is the namespace of which the caller is a member by the surface", async () => {
  const roles = { holdsRoleIn: () => false, holdsAnyRole: () => false };
  const own = { memberNamespaceOf: () => "org-1", costOf: () => writeCost };
  const member = rig(own, { roles });
  await member.send();
  assert.ok(member.steps.includes("enter namespace org-1 write"));
  const stranger = rig({ ...own, memberNamespaceOf: () => undefined }, { roles });
  await stranger.send();
  assert.ok(stranger.steps.includes("enter callers without a role write"));
});

test("a refused admission is answered and leaves no place behind", async () => {
  const overloaded = new SetpointError("request.overloaded", "too many");
  const entries: readonly (() => Promise<void>)[] = [
    () => Promise.reject(overloaded),
    () => {
      throw overloaded;
    },
  ];
  for (const enter of entries) {
    const leave = (): void => assert.fail("no place was taken");
    const admission = admissionWith(() => ({ enter, leave }));
    const { send, steps, sent } = rig({}, { admissions: { of: () => admission } });
    await send();
    assert.equal(sent[0]?.status, 429);
    assert.deepEqual(steps, ["started", "finished 429"]);
  }
});

test("a request keeps its place until the client has taken the answer", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { send, steps, timers } = rig();
  const done = send({ taken: promise });
  await timers.advance(0);
  assert.deepEqual(steps.slice(-1), ["handle for ann"]);
  resolve();
  await done;
  assert.deepEqual(steps.slice(-2), ["leave user ann", "finished 200"]);
});

test("an overdue request is answered and counted once, and its late error is logged", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const own = { answerWithinMs: 1_000, handle: () => promise };
  const { send, steps, sent, faults, timers } = rig(own);
  const done = send();
  await timers.advance(1_000);
  assert.deepEqual(
    sent.map(({ status }) => status),
    [504],
  );
  assert.match(sent[0]?.body ?? "", /not answered within 1 seconds/);
  const late = new Error("late");
  reject(late);
  await done;
  assert.equal(sent.length, 1);
  assert.deepEqual(
    steps.filter((step) => step.startsWith("finished")),
    ["finished 504"],
  );
  assert.deepEqual(
    faults.map(([error, { status }]) => [error, status]),
    [[late, 504]],
  );
  assert.ok(steps.includes("leave user ann"));
});

test("the signal of a request aborts when its deadline passes or its client leaves", async () => {
  const signals: AbortSignal[] = [];
  const own: Partial<HttpSurface> = {
    answerWithinMs: 1_000,
    handle: (request) => {
      signals.push(request.signal(), request.signal());
      return Promise.withResolvers<void>().promise;
    },
  };
  const overdue = rig(own);
  void overdue.send();
  await overdue.timers.advance(999);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, false],
  );
  assert.equal(signals[0], signals[1]);
  await overdue.timers.advance(1);
  assert.equal(signals[0]?.aborted, true);
  const left = rig(own);
  const client = { leave: (): void => assert.fail("the client is not awaited") };
  void left.send({ onClose: (run) => (client.leave = run) });
  await left.timers.advance(0);
  assert.equal(signals[2]?.aborted, false);
  client.leave();
  assert.equal(signals[2]?.aborted, true);
});

test("a stream that has begun has no deadline", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const handle = ({ exchange }: SurfaceRequest): Promise<void> => {
    exchange.send(200, {}, "head");
    return promise;
  };
  const { send, steps, sent, faults, timers } = rig({ answerWithinMs: 1_000, handle });
  const done = send();
  await timers.advance(1_000);
  assert.equal(steps.includes("finished 200"), false);
  const broken = new Error("broken");
  reject(broken);
  await done;
  assert.deepEqual(
    faults.map(([error, { status }]) => [error, status]),
    [[broken, 200]],
  );
  assert.equal(sent.length, 1);
  assert.ok(steps.includes("finished 200"));
});

test("an answer in time leaves no timer behind", async () => {
  const { send, timers } = rig({ answerWithinMs: 1_000 });
  await send();
  assert.equal(timers.pendingCount(), 0);
});

test("only a fault of the server is logged, with the ids of the request", async () => {
  for (const [error, count] of [
    [new Error("broken"), 1],
    [new SetpointError("resource.not_found", "none"), 0],
  ] as const) {
    const { send, faults } = rig({ handle: () => Promise.reject(error) });
    await send({ url: "/x?token=secret" });
    assert.equal(faults.length, count);
    const { path, status, surface, ids } = faults[0]?.[1] ?? {};
    if (count === 1) {
      assert.deepEqual([path, status, surface, ids?.request], ["/x", 500, "rest", "id-1"]);
    }
  }
});

test("an error that cannot be worded is answered as a fault", async () => {
  const tooLarge = new Error("too large");
  let calls = 0;
  const envelope = (error: unknown, { exchange }: SurfaceRequest): void => {
    calls += 1;
    if (calls === 1) throw tooLarge;
    exchange.send(500, {}, String(error));
  };
  const refused = new SetpointError("request.invalid", "long");
  const { send, sent, faults } = rig({ envelope, handle: () => Promise.reject(refused) });
  await send();
  assert.deepEqual(
    sent.map(({ status, body }) => [status, body]),
    [[500, "Error: too large"]],
  );
  assert.deepEqual(
    faults.map(([error]) => error),
    [tooLarge],
  );
});

test("a surface decides which answers are logged", async () => {
  const { send, steps } = rig({ isLogged: ({ exchange }) => exchange.url === "/logged" });
  await send();
  await send({ url: "/logged" });
  assert.deepEqual(
    steps.filter((step) => step.startsWith("logged")),
    ["logged 200"],
  );
});

test("a span begins with the ids of the request and ends with the status", async () => {
  const spans: string[] = [];
  const trace: PipelineInput["trace"] = {
    begin: ({ surface, ids }) => {
      spans.push(`${surface} ${ids.trace}`);
      return {
        run: (inside) => {
          spans.push("run");
          return inside();
        },
        end: (status) => void spans.push(`end ${status}`),
      };
    },
  };
  const { send } = rig({}, { trace });
  const id = "0af7651916cd43dd8448eb211c80319c";
  await send({ headers: { traceparent: `00-${id}-b7ad6b7169203331-01` } });
  assert.deepEqual(spans, [`rest ${id}`, "run", "end 200"]);
});
