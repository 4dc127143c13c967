// Integers of 64 bits in a module: a reconciler gets every digit, as a bigint where a number is not
// exact, and what it reports, remembers and applies keeps them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineModule, describeKind, done } from "../authoring/setpoint.ts";
import type { Context, Outcome } from "../authoring/setpoint.ts";
import type { Json } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import { startTestServer } from "./testing.ts";

const apiVersion = "tests.example.dev/v1";
const place = { apiVersion, kind: "Account", name: "one" };
const integer = { type: "integer", format: "int64" } as const;
const id = 9_007_199_254_740_993n;

it("an int64 reaches a reconciler, its status, its journal and its children exactly", async () => {
  const seen: Json[] = [];
  const text: string[] = [];
  const reconcile = async (resource: Resource, context: Context): Promise<Outcome> => {
    const spec = resource["spec"] as { readonly id: bigint; readonly small: number };
    seen.push(spec.id, spec.small, await context.remember("next", () => spec.id + 1n));
    text.push(JSON.stringify(spec));
    const metadata = { name: "child" };
    await context.children.apply({ apiVersion, kind: "Share", metadata, spec: { of: spec.id } });
    return done({ status: { id: spec.id } });
  };
  const kindOf = (kind: string, plural: string, spec: object): ReturnType<typeof describeKind> =>
    describeKind({
      apiVersion,
      kind,
      plural,
      spec: { type: "object", properties: { ...spec } },
      status: { type: "object", properties: { id: integer } },
    });
  const module = defineModule({
    name: "bank",
    version: 1,
    kinds: [
      {
        kind: kindOf("Account", "accounts", { id: integer, small: integer }),
        reconciler: { reconcile },
      },
      {
        kind: kindOf("Share", "shares", { of: integer }),
        reconciler: { reconcile: async () => done() },
      },
    ],
  });
  await using server = await startTestServer(module);
  await server.apply({
    apiVersion,
    kind: "Account",
    metadata: { name: "one" },
    spec: { id, small: 7 },
  });
  await server.pass();
  const { status, metadata } = (await server.get(place)) ?? {};
  assert.equal((status as { readonly id?: bigint }).id, id);
  const child = await server.get({ apiVersion, kind: "Share", name: "child" });
  assert.deepEqual(child?.["spec"], { of: id });
  await server.patch(place, { spec: { small: 8 } });
  await server.pass();
  assert.deepEqual(seen.slice(0, 3), [id, 7, id + 1n]);
  assert.deepEqual(seen.slice(-3), [id, 8, id + 1n]);
  assert.equal(text[0], '{"id":9007199254740993,"small":7}');
  const revision = (await server.get(place))?.metadata.resourceVersion;
  await server.pass(600_000);
  assert.equal((await server.get(place))?.metadata.resourceVersion, revision, "settled");
  assert.notEqual(revision, metadata?.resourceVersion);
});
