// The test of the example: a server in memory, and a clock that the test controls.
//
//   setpoint test examples/greeting/greeting.test.ts

import assert from "node:assert/strict";
import { test } from "node:test";
import { isReady } from "setpoint";
import { startTestServer } from "setpoint/testing";
import greeting from "./greeting.ts";

const hello = { apiVersion: "examples.setpoint.dev/v1", kind: "Greeting", name: "hello" };
const text = { apiVersion: "v1", kind: "ConfigMap", name: "greeting-hello" };

test("a greeting is written, follows its references, and is deleted", async () => {
  await using server = await startTestServer(greeting);
  const { apiVersion, kind, name } = hello;
  await server.apply({
    apiVersion,
    kind,
    metadata: { name },
    spec: { whom: "world", salutationFrom: "salutation" },
  });
  await server.pass();
  const waits = await server.get(hello);
  assert.ok(waits !== undefined && !isReady(waits), "waits for the salutation");

  await server.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "salutation" },
    data: { salutation: "Good morning" },
  });
  await server.pass();
  const ready = await server.get(hello);
  assert.ok(ready !== undefined && isReady(ready));
  assert.deepEqual((await server.get(text))?.["data"], { text: "Good morning, world!" });

  await server.delete(text);
  await server.pass();
  assert.ok(await server.get(text), "what is deleted by hand comes back");

  await server.delete(hello);
  await server.pass(10_000);
  assert.equal(await server.get(hello), undefined);
  assert.equal(await server.get(text), undefined);
});
