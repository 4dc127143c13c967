import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { it } from "node:test";
import { isSetpointError } from "../../kernel/errors.ts";
import { countedTurns } from "../../kernel/fair-turns.ts";
import { systemTimers } from "../../kernel/timers.ts";
import { exchangeOf } from "./exchange.ts";
import { streamGates } from "./stream-gate.ts";
import { inLaterTurn } from "./turn.ts";

const outflows = {
  timers: systemTimers,
  stallMs: 1_000,
  bodyPaceMs: 1_000,
  turns: countedTurns("answers", 1_000_000),
  gates: streamGates({ later: inLaterTurn, timers: systemTimers }),
};

it("a body whose client left before it was asked for is refused, not waited for", async () => {
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    request.on("error", () => undefined);
    const exchange = exchangeOf(request, response, {
      certificate: undefined,
      isSecure: true,
      outflows,
    });
    request.once("close", () => {
      exchange.readBody(100, () => new Error("too large")).then(resolve, resolve);
    });
    client.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
  assert.ok(isSetpointError(await outcome, "request.invalid"));
  server.close();
});

it("a head that cannot be sent is no answer, and another one can be given", async () => {
  const server = createServer((request, response) => {
    const exchange = exchangeOf(request, response, {
      certificate: undefined,
      isSecure: true,
      outflows,
    });
    assert.throws(() => exchange.send(99, {}, "odd"));
    assert.throws(() => exchange.send(200, { odd: "a\r\nb" }, "odd"));
    assert.throws(() => exchange.begin(1_000, {}));
    assert.equal(exchange.isAnswered, false);
    exchange.send(500, {}, "broken");
    assert.equal(exchange.status, 500);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  assert.deepEqual([answer.status, await answer.text()], [500, "broken"]);
  server.close();
});
