// What a client reads through the Kubernetes surface: codes, messages and headers as those of
// kube-apiserver, each line of the checklist a test.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});

after(async () => {
  await server.stop();
});

describe("reading", () => {
  it("gives the newest state when no revision is named", async () => {
    const { status } = await server.request("GET", "/api/v1/namespaces/default");
    assert.equal(status, 200);
  });
});
