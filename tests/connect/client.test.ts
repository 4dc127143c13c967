// The client against a service of its own on this machine: who it says it is, what it trusts, what
// it refuses to do.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { manualClock, systemClock } from "../../src/kernel/clock.ts";
import { retryAfterMs } from "../../src/kernel/retry-after.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { errorFacts, nextLink, readAnswer } from "../../src/modules/connect/http/answer.ts";
import { resolveAddress } from "../../src/modules/connect/http/border.ts";
import { classifyError } from "../../src/modules/connect/http/classify.ts";
import { openClient } from "../../src/modules/connect/http/client.ts";
import type { RestClient } from "../../src/modules/connect/http/client.ts";
import {
  ConnectionProblem,
  baseAddress,
  connectionSettings,
} from "../../src/modules/connect/http/connection.ts";
import type { SecretsByName } from "../../src/modules/connect/http/connection.ts";
import { ExchangeFailed, wireOver } from "../../src/modules/connect/http/exchange.ts";
import { tokenBucket } from "../../src/modules/connect/http/token-bucket.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly seen: IncomingMessage[];
}

async function serve(handler: Handler, socket?: string): Promise<Service> {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handler(request, response, Buffer.concat(chunks).toString("utf8")));
  });
  const listening = Promise.withResolvers<void>();
  if (socket === undefined) server.listen(0, "127.0.0.1", () => listening.resolve());
  else server.listen(socket, () => listening.resolve());
  await listening.promise;
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

function client(spec: object, secrets: SecretsByName = new Map()): RestClient {
  const settings = connectionSettings("test", spec as never, secrets);
  const openWire = wireOver(httpWith(systemTimers));
  return openClient(settings, { clock: systemClock, timers: systemTimers, openWire });
}

const anyTime = new AbortController().signal;
const ok: Handler = (_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"id":12345678901234567890,"n":1.5}');
};

it("says who it is, by each of the ways", async () => {
  await using service = await serve(ok);
  const secrets = new Map([
    ["s", { username: "u", password: "pä:ss", token: "tok\n", key: "k1", other: "k2" }],
  ]);
  const ask = async (auth: object): Promise<IncomingMessage | undefined> => {
    using one = client({ baseUrl: `${service.url}/api/`, auth }, secrets);
    await one.send({ method: "GET", path: "/x", query: { a: "b c" } }, anyTime);
    return service.seen.at(-1);
  };
  const basic = await ask({ kind: "basic", secret: "s" });
  assert.equal(basic?.url, "/api/x?a=b+c");
  const pair = Buffer.from("u:pä:ss").toString("base64");
  assert.equal(basic.headers.authorization, `Basic ${pair}`);
  const bearer = await ask({ kind: "bearer", secret: "s" });
  assert.equal(bearer?.headers.authorization, "Bearer tok");
  const header = await ask({ kind: "apiKey", secret: "s" });
  assert.equal(header?.headers["x-api-key"], "k1");
  const inQuery = { kind: "apiKey", secret: "s", in: "query", name: "code", key: "other" };
  assert.equal((await ask(inQuery))?.url, "/api/x?a=b+c&code=k2");
});

it("fetches a token once, and again when it is refused", async () => {
  let given = 0;
  let accepted = "t1";
  await using service = await serve((request, response, body) => {
    response.setHeader("content-type", "application/json");
    if (request.url === "/token") {
      assert.equal(body, "grant_type=client_credentials&scope=all");
      given += 1;
      response.end(JSON.stringify({ access_token: `t${given}`, expires_in: 3_600 }));
      return;
    }
    response.statusCode = request.headers.authorization === `Bearer ${accepted}` ? 200 : 401;
    response.end("{}");
  });
  const secrets = new Map([["s", { "client-id": "me", "client-secret": "hush" }]]);
  const tokenUrl = `${service.url}/token`;
  const auth = { kind: "oauth", secret: "s", tokenUrl, scope: "all" };
  using one = client({ baseUrl: service.url, auth }, secrets);
  const statuses: number[] = [];
  for (const next of ["t1", "t1", "t2"]) {
    accepted = next;
    statuses.push((await one.send({ method: "GET", path: "/x" }, anyTime)).status);
  }
  assert.deepEqual([statuses, given], [[200, 200, 200], 2]);
});

it("shows neither a token nor what it was given for", async () => {
  let isGiven = false;
  await using service = await serve((request, response) => {
    response.setHeader("content-type", "application/json");
    const { authorization = "" } = request.headers;
    if (request.url === "/token" && isGiven) {
      response.end(JSON.stringify({ access_token: "token-of-an-hour" }));
      return;
    }
    response.statusCode = 400;
    response.end(JSON.stringify({ message: `wrong: ${authorization} hush-hush` }));
  });
  const secrets = new Map([["s", { "client-id": "me", "client-secret": "hush-hush" }]]);
  const auth = { kind: "oauth", secret: "s", tokenUrl: `${service.url}/token` };
  using one = client({ baseUrl: service.url, auth }, secrets);
  await assert.rejects(one.send({ method: "GET", path: "/x" }, anyTime), (error: Error) => {
    const request = `POST ${service.url}/token`;
    const said = `no token returned: ${request}: 400 wrong: Basic [hidden] [hidden]`;
    assert.equal(error.message, `token request: ${said}`);
    return true;
  });
  isGiven = true;
  const answer = await one.send({ method: "GET", path: "/x" }, anyTime);
  assert.equal(
    errorFacts(answer, (text) => one.hide(text)).message,
    "wrong: Bearer [hidden] [hidden]",
  );
});

it("speaks to a socket of this machine", async () => {
  const folder = mkdtempSync(join(tmpdir(), "connect-"));
  try {
    const socket = join(folder, "s");
    await using service = await serve(ok, socket);
    using one = client({ baseUrl: `unix:${socket}:/1.0` });
    const answer = await one.send({ method: "PUT", path: "/a", body: { x: 1 } }, anyTime);
    assert.equal(answer.status, 200);
    assert.equal(service.seen[0]?.url, "/1.0/a");
    // An id beyond what numbers can say stays exact.
    assert.deepEqual(answer.json, { id: "12345678901234567890", n: 1.5 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("does not follow redirects, and gives up on what is too large", async () => {
  await using service = await serve((request, response) => {
    if (request.url === "/moved") {
      response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    } else response.end("x".repeat(5_000));
  });
  using one = client({ baseUrl: service.url, maxAnswerBytes: 1_024 });
  assert.equal((await one.send({ method: "GET", path: "/moved" }, anyTime)).status, 302);
  await assert.rejects(one.send({ method: "GET", path: "/large" }, anyTime), (error: unknown) => {
    assert(error instanceof ExchangeFailed);
    assert.equal(error.reason, "AnswerTooLarge");
    return true;
  });
});

it("knows whether anything was sent when a connection fails", async () => {
  const closed = await serve(ok);
  await closed[Symbol.asyncDispose]();
  await using breaking = await serve((request) => request.socket.destroy());
  for (const [url, isUnsent] of [[closed.url, true] as const, [breaking.url, false] as const]) {
    using one = client({ baseUrl: url });
    await assert.rejects(one.send({ method: "POST", path: "/" }, anyTime), (error: unknown) => {
      assert(error instanceof ExchangeFailed);
      assert.deepEqual([error.reason, error.isUnsent], ["ConnectionFailed", isUnsent]);
      return true;
    });
  }
});

it("keeps addresses within the border", () => {
  const base = baseAddress("https://service.example/api");
  const at = (address: string): unknown => {
    const resolved = resolveAddress(base, address, "/api/things");
    return resolved.kind === "target" ? resolved.target : resolved.kind;
  };
  assert.equal(at("/op/1?x=1"), "/op/1?x=1");
  assert.equal(at("things/2"), "/api/things/2");
  assert.equal(at("https://service.example/op"), "/op");
  for (const address of ["http://service.example/op", "//other.example/", "file:///etc/passwd"]) {
    assert.equal(at(address), "outside", address);
  }
});

it("refuses a connection that cannot be used, without telling its secrets", () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ baseUrl: "ftp://x" }, /baseUrl must start with/],
    [{ baseUrl: "https://u:p@x" }, /must not contain a password/],
    [
      { baseUrl: "https://x", auth: { kind: "basic", secret: "none" } },
      /the Secret none with .* does not exist/,
    ],
    [{ baseUrl: "https://x", auth: { kind: "basic", secret: "s" } }, /has no key username/],
  ];
  const secrets = new Map([
    ["s", { password: "hunter22" }],
    ["none", undefined],
  ]);
  for (const [spec, expected] of wrong) {
    assert.throws(
      () => client(spec, secrets),
      (error: unknown) => {
        assert(error instanceof ConnectionProblem);
        assert.match(error.message, expected);
        assert.doesNotMatch(error.message, /hunter22/);
        return true;
      },
    );
  }
});

const answerOf = (status: number, body: string, type = "text/plain") =>
  readAnswer({ status, headers: { "content-type": type }, body: Buffer.from(body) });

it("finds the message of an error wherever it stands", () => {
  const json = "application/json";
  const cases: readonly (readonly [string, string, string])[] = [
    ['{"error":"no such zone"}', json, "no such zone"],
    ['{"error":{"code":"X","message":"m"}}', json, "m"],
    ['{"errors":[{"detail":"a"},{"detail":"b"}]}', json, "a; b"],
    ['{"name":["is taken"]}', json, "name: is taken"],
    ["Conflict\n", "text/plain", "Conflict"],
    ["<html><title>502 Bad</title></html>", "text/html", "the response is an HTML page: 502 Bad"],
    ["", json, "conflict"],
    ["{broken", json, "{broken"],
  ];
  for (const [body, type, expected] of cases) {
    assert.equal(errorFacts(answerOf(409, body, type)).message, expected);
  }
});

it("reads when to come back, as seconds and as a date", () => {
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(retryAfterMs({ "retry-after": "7" }, nowMs), 7_000);
  assert.equal(retryAfterMs({ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, nowMs), 60_000);
  assert.equal(retryAfterMs({ "retry-after": "Thu, 01 Jan 2025 00:01:00 GMT" }, nowMs), 0);
  assert.equal(retryAfterMs({ "retry-after": "soon" }, nowMs), undefined);
  assert.equal(nextLink({ link: '</a?p=1>; rel="prev", </a?p=3>; rel="next"' }), "/a?p=3");
});

it("classifies errors as most services mean them, unless a rule says otherwise", () => {
  const classes = Object.fromEntries(
    [400, 401, 403, 404, 409, 410, 412, 422, 423, 429, 500, 503].map((status) => {
      return [status, classifyError({ status, code: "", message: "" }).is];
    }),
  );
  const expected = [
    [400, "slow"],
    [401, "slow"],
    [403, "slow"],
    [404, "absent"],
    [409, "exists"],
    [410, "absent"],
    [412, "busy"],
    [422, "slow"],
    [423, "busy"],
    [429, "soon"],
    [500, "soon"],
    [503, "soon"],
  ];
  assert.deepEqual(classes, Object.fromEntries(expected));
  const facts = { status: 400, code: "Quota", message: "please Wait" };
  assert.equal(classifyError(facts, [{ contains: "wait", is: "busy" }]).is, "busy");
  assert.equal(classifyError(facts, [{ code: "Quota", status: 401, is: "never" }]).is, "slow");
  assert.equal(classifyError(facts).reason, "Quota");
});

it("gives so many turns a second, and sends away who would wait for long", () => {
  const clock = manualClock();
  const bucket = tokenBucket({ perSecond: 2, burst: 3 }, clock);
  const turns = Array.from({ length: 6 }, () => bucket.take());
  assert.deepEqual(
    turns.map(({ kind, ms }) => `${kind} ${ms}`),
    ["after 0", "after 0", "after 0", "after 500", "after 1000", "later 1500"],
  );
  clock.advanceMs(10_000);
  assert.deepEqual(bucket.take(), { kind: "after", ms: 0 });
});
