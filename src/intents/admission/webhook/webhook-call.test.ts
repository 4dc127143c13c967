import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { builtinServedKinds } from "../../kinds/builtin-served.ts";
import { kindRegistry } from "../../kinds/registry.ts";
import type { LiveView } from "../../live-view.ts";
import type { AdmissionRequest } from "../admission.ts";
import { askWebhook } from "./webhook-call.ts";
import { webhooksOf } from "./webhook.ts";

const live = { all: () => [] } as unknown as LiveView;
const kinds = kindRegistry(builtinServedKinds({ live: () => live, clock: { nowMs: () => 0 } }));

async function ask(hook: object, isDryRun: boolean, answer: object): Promise<string> {
  const found = kinds.find("", "v1", "configmaps");
  const configuration = { metadata: { name: "c" }, webhooks: [hook] };
  const [webhook] = webhooksOf(configuration as unknown as Resource);
  assert.ok(found !== undefined && webhook !== undefined);
  const request: AdmissionRequest = {
    caller: {
      user: { name: "ann", groups: [], extra: {} },
      surface: "kube",
      warn: () => undefined,
    },
    operation: "CREATE",
    target: { ...found, namespace: "default", name: "a", subresource: "" },
    object: undefined,
    old: undefined,
    isDryRun,
    options: {},
  };
  const shown = { object: undefined, old: undefined };
  const ports = {
    ids: { uid: () => "1" },
    fetch: () =>
      Promise.resolve({
        status: 200,
        contentType: "application/json",
        body: JSON.stringify({
          apiVersion: "admission.k8s.io/v1",
          kind: "AdmissionReview",
          response: { uid: "1", ...answer },
        }),
      }),
  };
  try {
    await askWebhook({ candidate: { webhook, found }, request, shown, isMutating: false }, ports);
    return "allowed";
  } catch (error) {
    assert.ok(isSetpointError(error) || error instanceof Error);
    return error.message;
  }
}

const hook = {
  name: "h.example.dev",
  clientConfig: { service: { namespace: "n", name: "s", path: "/p" } },
  admissionReviewVersions: ["v1"],
};

test("a webhook with side effects refuses a dry run", async () => {
  const allowed = { allowed: true };
  const text = 'admission webhook "h.example.dev" does not support dry run';
  assert.equal(await ask({ ...hook, sideEffects: "Some" }, true, allowed), text);
  assert.equal(await ask({ ...hook, sideEffects: "Some" }, false, allowed), "allowed");
  assert.equal(await ask({ ...hook, sideEffects: "None" }, true, allowed), "allowed");
});

test("a denial is explained by its message, else by its reason", async () => {
  const denied = 'admission webhook "h.example.dev" denied the request';
  const answer = (status: object): object => ({ allowed: false, status });
  assert.equal(await ask(hook, false, answer({ message: "m", reason: "R" })), `${denied}: m`);
  assert.equal(await ask(hook, false, answer({ reason: "R" })), `${denied}: R`);
  assert.equal(await ask(hook, false, answer({})), `${denied} without explanation`);
});

test("an answer of the wrong type is a failure in the words of the decoder", async () => {
  const text = await ask(hook, false, { allowed: "yes" });
  assert.ok(text.startsWith('failed calling webhook "h.example.dev": failed to call webhook: '));
  assert.ok(text.endsWith("field AdmissionResponse.response.allowed of type bool"));
});
