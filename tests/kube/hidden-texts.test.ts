// Webhooks, policies and converters word their refusals themselves, and receive hidden values. What
// they quote is hidden again in answers, warnings and the audit log.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import { startWebhookServer } from "./webhook-server.ts";
import type { WebhookServer } from "./webhook-server.ts";

const sentinel = "5entine1-4711-0815";
const encoded = Buffer.from(sentinel).toString("base64");
const apiVersion = "admissionregistration.k8s.io/v1";
const group = `/apis/${apiVersion}`;
const namespace = "/api/v1/namespaces/default";
const policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n";
const resourceRules = [
  { apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"], operations: ["*"] },
];

let server: KubeServer;
let hooks: WebhookServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-texts-"));
  await writeFile(join(folder, "policy.yaml"), policy);
  hooks = await startWebhookServer();
  server = await startKubeServer({
    auditPolicy: join(folder, "policy.yaml"),
    auditLog: join(folder, "audit.log"),
  });
});

after(async () => {
  await server.stop();
  await hooks[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  for (const kind of ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"]) {
    await server.request("DELETE", `${group}/${kind}`);
  }
  await server.request("DELETE", `${group}/validatingadmissionpolicybindings`);
  await server.request("DELETE", `${group}/validatingadmissionpolicies`);
});

async function created(kind: string, body: object): Promise<void> {
  const plural = kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : undefined;
  const path = `${group}/${plural ?? `${kind.toLowerCase()}s`}`;
  const whole = { apiVersion, kind, metadata: { name: "test" }, ...body };
  const reply = await server.request("POST", path, whole);
  assert.equal(reply.status, 201, reply.text);
}

async function write(name: string): Promise<Reply> {
  return await server.request("POST", `${namespace}/secrets`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: { password: sentinel },
  });
}

/** The record of the creation in the audit log. */
async function recordOf(name: string): Promise<string> {
  const last = `${namespace}/configmaps/after-${name}`;
  await server.request("GET", last);
  return await waitUntil("the record", async () => {
    const text = await readFile(join(folder, "audit.log"), "utf8");
    return text.includes(last) && text;
  });
}

async function assertHidden(reply: Reply, name: string): Promise<void> {
  const headers = JSON.stringify(reply.headers);
  const body = reply.status >= 400 ? reply.text : "";
  const texts = [headers, body, await recordOf(name), ...server.lines];
  for (const text of texts) {
    for (const value of [sentinel, encoded]) assert.ok(!text.includes(value), text);
  }
}

describe("a hidden value that another author quotes", () => {
  for (const type of ["Validating", "Mutating"]) {
    it(`is hidden in the refusal, warnings and annotations of a ${type} webhook`, async () => {
      hooks.on("/quote", (review) => {
        const data = pickText(review, "request.object.data.password");
        const plain = Buffer.from(data, "base64").toString();
        return {
          allowed: false,
          warnings: [`weak: ${plain}`],
          auditAnnotations: { seen: plain, coded: data },
          status: {
            message: `bad ${plain} (${data})`,
            code: 422,
            reason: "Invalid",
            details: { causes: [{ message: `it is ${plain}`, field: "data" }] },
          },
        };
      });
      const webhook = {
        name: "quote.example.dev",
        clientConfig: { url: hooks.url("/quote"), caBundle: hooks.caBundle },
        rules: resourceRules,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      };
      await created(`${type}WebhookConfiguration`, { webhooks: [webhook] });
      const name = `by-${type.toLowerCase()}-webhook`;
      const reply = await write(name);
      assert.equal(reply.status, 422, reply.text);
      assert.match(pickText(reply.json, "message"), /: bad \[hidden\] \(\[hidden\]\)$/);
      assert.equal(pick(reply.json, "details.causes.0.message"), "it is [hidden]");
      await assertHidden(reply, name);
    });
  }

  it("is hidden in messages, warnings and audit annotations of a policy", async () => {
    for (const actions of [["Deny"], ["Warn", "Audit"]]) {
      await created("ValidatingAdmissionPolicy", {
        spec: {
          matchConstraints: { resourceRules },
          validations: [
            { expression: "false", messageExpression: "'it is ' + string(object.data.password)" },
          ],
          auditAnnotations: [
            { key: "seen", valueExpression: "'it was ' + string(object.data.password)" },
          ],
        },
      });
      await created("ValidatingAdmissionPolicyBinding", {
        spec: { policyName: "test", validationActions: actions },
      });
      const name = `by-policy-${actions.length}`;
      const reply = await waitUntil("the policy is followed", async () => {
        const tried = await write(name);
        if (tried.status === 422 || tried.headers["warning"] !== undefined) return tried;
        await server.request("DELETE", `${namespace}/secrets/${name}`);
        return false;
      });
      assert.match(`${reply.text}${reply.headers["warning"]}`, /it is \[hidden\]/);
      await assertHidden(reply, name);
      await server.request("DELETE", `${group}/validatingadmissionpolicybindings/test`);
      await server.request("DELETE", `${group}/validatingadmissionpolicies/test`);
    }
  });

  it("is hidden in the errors of a converter, and in what it returns", async () => {
    const version = (name: string, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: { password: { type: "string", "x-setpoint-field-rule": "secret" } },
            },
          },
        },
      },
    });
    const clientConfig = { url: hooks.url("/convert"), caBundle: hooks.caBundle };
    const definition = await server.request(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "safes.tests.dev" },
        spec: {
          group: "tests.dev",
          scope: "Namespaced",
          names: { plural: "safes", singular: "safe", kind: "Safe", listKind: "SafeList" },
          versions: [version("v1", true), version("v2", false)],
          conversion: {
            strategy: "Webhook",
            webhook: { conversionReviewVersions: ["v1"], clientConfig },
          },
        },
      },
    );
    assert.equal(definition.status, 201, definition.text);
    const safes = (name: string): string => `/apis/tests.dev/${name}/namespaces/default/safes`;
    await waitUntil("the kind is served", async () => {
      return (await server.request("GET", safes("v2"))).status === 200;
    });
    const body = { apiVersion: "tests.dev/v1", kind: "Safe", metadata: { name: "s" } };
    const spec = { password: sentinel };
    const stored = await server.request("POST", safes("v1"), { ...body, spec });
    assert.equal(stored.status, 201, stored.text);
    for (const isFailing of [true, false]) {
      hooks.on("/convert", (review) => {
        const object = pick(review, "request.objects.0") as object;
        const result = isFailing
          ? { status: "Failure", message: `cannot convert ${JSON.stringify(object)}` }
          : { status: "Success" };
        return JSON.stringify({
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "ConversionReview",
          response: {
            uid: pick(review, "request.uid"),
            result,
            convertedObjects: [{ ...object, kind: "" }],
          },
        });
      });
      const reply = await server.request("GET", `${safes("v2")}/s`);
      assert.equal(reply.status, 500, reply.text);
      assert.ok(reply.text.includes("[hidden]"), reply.text);
      await assertHidden(reply, `convert-${isFailing}`);
    }
  });
});
