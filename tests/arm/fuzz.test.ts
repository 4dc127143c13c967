// Whatever is sent to the Resource Manager surface, it is the client's mistake: never a 500. And
// what is refused leaves nothing behind.
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { after, before, it } from "node:test";
import {
  array,
  assert as check,
  asyncProperty,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  uint8Array,
} from "fast-check";
import { anyCharacter } from "../../src/kernel/arbitraries.ts";
import { operationKind, subscriptionKind } from "../../src/modules/resource-provider/face.ts";
import { pick } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { codeOf, oven, ovens, startArmServer, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const properties = record(
  {
    size: oneof(jsonValue(), constantFrom(1, 5, 100)),
    mode: oneof(jsonValue(), constantFrom("quick", "broken")),
    doors: jsonValue(),
    secretCode: jsonValue(),
    provisioningState: jsonValue(),
  },
  { requiredKeys: [] },
);

const bodies = record(
  {
    location: oneof(constantFrom("westeurope", "eastus"), jsonValue()),
    tags: oneof(dictionary(string(), string()), jsonValue()),
    properties: oneof(properties, jsonValue()),
    id: jsonValue(),
    name: jsonValue(),
    ["__proto__"]: jsonValue(),
    systemData: jsonValue(),
  },
  { requiredKeys: ["location"] },
);

/** For an action. */
const inputs = record(
  {
    minutes: oneof(integer({ min: 1, max: 60 }), jsonValue()),
    how: oneof(constantFrom("well", "badly"), jsonValue()),
    soap: jsonValue(),
    ["__proto__"]: jsonValue(),
  },
  { requiredKeys: ["minutes"] },
);

const numRuns = 150;
const headers = { "content-type": "application/json" };

/** All that requests can change: what is wanted of resources, and the records of operations. */
async function wanted(): Promise<string> {
  const { store } = server;
  const kinds = ["ovens.bakery.tests.dev", "recipes.bakery.tests.dev", operationKind];
  const namespace = `sub-${subscription}`;
  const pages = await Promise.all([
    ...kinds.map((kind) => store.list({ kind, namespace, limit: 1_000 })),
    store.list({ kind: subscriptionKind, limit: 10 }),
  ]);
  return JSON.stringify(
    pages.map(({ records }) => records.map(({ body }) => wish(JSON.parse(String(body))))),
  );
}

/** Without what the engine writes meanwhile. */
function wish(item: unknown): unknown {
  const envelope = pick(item, "metadata.annotations") as Record<string, string> | undefined;
  const name = pick(item, "metadata.name");
  // How it ends is written into its record.
  if (pick(item, "kind") === "Operation") return name;
  return [name, pick(item, "spec"), envelope?.["arm.setpoint.dev/envelope"]];
}

/** What was wanted after the last refusal; nothing has changed since then. */
let last: string | undefined;

/** Sends it, and looks whether a refusal is one in every respect. */
async function send(
  method: string,
  path: string,
  body: string | Buffer | undefined,
  more: Readonly<Record<string, string>> = headers,
): Promise<Reply> {
  const known = last ?? (await wanted());
  last = undefined;
  const reply = await server.request(method, path, body, more);
  const what = `${method} ${path} ${String(body)}: ${reply.text}`;
  assert.ok(reply.status < 500, what);
  if (reply.status < 400) return reply;
  last = await wanted();
  assert.equal(last, known, what);
  const { error } = reply.json as { error: { code: string; message: string } };
  assert.match(error.code, /^[A-Z][A-Za-z]+$/);
  assert.ok(error.message.length > 0);
  return reply;
}

it("answers any body on any path without an error of its own", async () => {
  const paths = constantFrom(
    `${ovens}/fuzzed?${version}`,
    `${ovens}/fuzzed/recipes/one?${version}`,
    `${ovens}/fuzzed/listCodes?${version}`,
    `${ovens}/fuzzed/clean?${version}`,
    `/subscriptions/${subscription}?api-version=2.0`,
    `/subscriptions/${subscription}/providers/Example.Bakery/checkNameAvailability?${version}`,
    ovens.replace(/ovens$/, `deployments/d/preflight?${version}`),
    ovens.replace(/providers.*$/, `moveResources?${version}`),
  );
  const methods = constantFrom("PUT", "PATCH", "POST");
  const sent = oneof(bodies, inputs, jsonValue()).map((body) => JSON.stringify(body));
  const ask = async (method: string, path: string, body: string): Promise<void> => {
    await send(method, path, body);
  };
  await check(asyncProperty(methods, paths, sent, ask), { numRuns });
});

it("stores the texts of any bytes as they were sent, or refuses them", async () => {
  const bytes = oneof(
    uint8Array({ maxLength: 12 }).map((each) => Buffer.from(each)),
    string({ unit: anyCharacter, maxLength: 6 }).map((each) => Buffer.from(each)),
    string({ unit: anyCharacter, maxLength: 6 }).map((each) => Buffer.from(each, "latin1")),
  );
  await server.made("bytes");
  const [start, end] = [
    '{"location":"westeurope","properties":{},"tags":{"text":"',
    '"}}',
  ] as const;
  const ask = async (text: Buffer): Promise<void> => {
    const body = Buffer.concat([Buffer.from(start), text, Buffer.from(end)]);
    const reply = await send("PUT", oven("bytes"), body);
    if (reply.status < 400) {
      assert.ok(isUtf8(body));
      const meant = pick(JSON.parse(String(body)), "tags.text");
      assert.equal(pick(reply.json, "tags.text"), meant);
      return;
    }
    assert.equal(reply.status, 400, reply.text);
    assert.equal(codeOf(reply), "InvalidRequestContent");
  };
  await check(asyncProperty(bytes, ask), { numRuns });
});

it("answers any path, method and header without an error of its own", async () => {
  const segment = oneof(string(), constantFrom("providers", "%00", "..", "%2e%2e", "locations"));
  // Anywhere, and near to what is there.
  const starts = constantFrom("", ovens.slice("/subscriptions/".length));
  const ends = array(segment, { maxLength: 8 });
  const methods = constantFrom("GET", "PUT", "PATCH", "POST", "DELETE");
  const bodiless = new Set(["GET", "DELETE"]);
  const ask = async (
    method: string,
    start: string,
    segments: readonly string[],
    body: unknown,
    odd: string,
  ): Promise<void> => {
    const parts = segments.map((each) => encodeURIComponent(each.toWellFormed()));
    const path = `/subscriptions/${[start, ...parts].join("/")}?${version}`;
    const text = bodiless.has(method) ? undefined : JSON.stringify(body);
    await send(method, path, text, {
      ...headers,
      "if-match": JSON.stringify(odd).replaceAll(/[^\x20-\x7e]/g, "?"),
      "x-ms-client-request-id": "x".repeat(200),
    });
  };
  await check(asyncProperty(methods, starts, ends, bodies, string(), ask), { numRuns });
});
