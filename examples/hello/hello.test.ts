// The ten-line module of the README, in a server in memory.
//
//   setpoint test examples/hello/hello.test.ts

import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "setpoint/testing";
import hello from "./hello.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap", name: "hello-world" };

test("a Hello keeps a ConfigMap with its text, also after the ConfigMap was deleted", async () => {
  await using server = await startTestServer(hello);
  await server.apply({
    apiVersion: "example.dev/v1",
    kind: "Hello",
    metadata: { name: "world" },
    spec: { text: "Hello, world!" },
  });
  await server.pass();
  assert.deepEqual((await server.get(configMap))?.["data"], { text: "Hello, world!" });

  await server.delete(configMap);
  await server.pass();
  assert.deepEqual((await server.get(configMap))?.["data"], { text: "Hello, world!" });
});
