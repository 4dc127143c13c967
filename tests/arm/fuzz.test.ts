// Whatever is sent to the Resource Manager surface, it is the client's mistake: never a 500.
import assert from "node:assert/strict";
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
} from "fast-check";
import { ovens, startArmServer, subscription, version } from "./arm-server.ts";
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
  const headers = { "content-type": "application/json" };
  await check(
    asyncProperty(
      methods,
      paths,
      oneof(bodies, inputs, jsonValue()),
      async (method, path, body) => {
        const reply = await server.request(method, path, JSON.stringify(body), headers);
        assert.ok(reply.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${reply.text}`);
        if (reply.status < 400) return;
        const { error } = reply.json as { error: { code: string; message: string } };
        assert.match(error.code, /^[A-Z][A-Za-z]+$/);
        assert.ok(error.message.length > 0);
      },
    ),
    { numRuns },
  );
});

it("answers any path and any header without an error of its own", async () => {
  const segment = oneof(string(), constantFrom("providers", "%00", "..", "%2e%2e", "locations"));
  await check(
    asyncProperty(array(segment, { maxLength: 8 }), string(), async (segments, odd) => {
      const path = segments.map((each) => encodeURIComponent(each.toWellFormed())).join("/");
      const reply = await server.request("GET", `/subscriptions/${path}?${version}`, undefined, {
        "if-match": JSON.stringify(odd).replaceAll(/[^\x20-\x7e]/g, "?"),
        "x-ms-client-request-id": "x".repeat(200),
      });
      assert.ok(reply.status < 500, `${path}: ${reply.text}`);
    }),
    { numRuns },
  );
});
