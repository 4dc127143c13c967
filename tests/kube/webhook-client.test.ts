// The client that calls webhooks, against a server with a certificate of its own authority.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openWebhookClient } from "../../src/app/webhook-client.ts";
import type { WebhookClient } from "../../src/app/webhook-client.ts";
import type { WebhookAnswer } from "../../src/intents/kinds/conversion-webhook-call.ts";
import { startWebhookServer } from "./webhook-server.ts";
import type { WebhookServer } from "./webhook-server.ts";

let hooks: WebhookServer;
let client: WebhookClient;

before(async () => {
  hooks = await startWebhookServer();
  hooks.on("/echo", () => "{}");
  hooks.on("/large", () => "x".repeat(2_000));
  client = openWebhookClient({
    maxAnswerBytes: 1_000,
    resolveService: (host) =>
      host === "hook.test.svc" || host === "other.test.svc"
        ? { host: "127.0.0.1", port: hooks.port }
        : undefined,
  });
});

after(async () => {
  client[Symbol.dispose]();
  await hooks[Symbol.asyncDispose]();
});

async function post(url: string): Promise<WebhookAnswer> {
  const { caBundle } = hooks;
  return await client.fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
    caBundle,
    timeoutMs: 5_000,
  });
}

describe("the webhook client", () => {
  it("finds services where it is told, and expects their names in the certificate", async () => {
    assert.equal((await post("https://hook.test.svc:443/echo")).body, "{}");
    await assert.rejects(
      post("https://other.test.svc:443/echo"),
      /x509: certificate is valid for .*hook\.test\.svc.*, not other\.test\.svc$/,
    );
  });

  it("does not read more than it is told", async () => {
    const late = /response body is larger than 1000 bytes/;
    await assert.rejects(post(hooks.url("/large")), late);
  });

  it("gives answers that are not good as they are", async () => {
    hooks.on("/moved", (_, response) => {
      response.writeHead(302, { location: hooks.url("/echo") }).end("gone");
      return undefined;
    });
    const { status, body } = await post(hooks.url("/moved"));
    assert.deepEqual([status, body], [302, "gone"]);
  });

  it("keeps connections for the next call", async () => {
    const sockets = new Set<unknown>();
    hooks.on("/again", (_, response) => {
      sockets.add(response.socket);
      return "{}";
    });
    for (let turn = 0; turn < 3; turn++) await post(hooks.url("/again"));
    assert.equal(sockets.size, 1);
  });
});
