// The example's own test, which also keeps the tutorial true.
//
//   setpoint test examples/bakery/bakery.test.ts

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isReady } from "setpoint";
import { startTestServer } from "setpoint/testing";
import bakery from "./bakery.ts";

test("an oven is heated, shows its address, and is deleted", async () => {
  await using server = await startTestServer(bakery);
  const place = { apiVersion: "bakery.example/v1", kind: "Oven", name: "one" };
  const { apiVersion, kind, name } = place;
  await server.apply({ apiVersion, kind, metadata: { name }, spec: { city: "ghent" } });
  await server.pass();
  const oven = await server.get(place);
  assert.ok(oven !== undefined && isReady(oven));
  assert.match(JSON.stringify(oven.status), /"address":"oven-\d+\.ghent\.example"/);
  await server.delete(place);
  await server.pass(10_000);
  assert.equal(await server.get(place), undefined);
});

test("the tutorial shows this very file", () => {
  const at = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
  const tutorial = at("../../docs/tutorials/resource-provider.md");
  const shown = tutorial.split("```ts\n")[1]?.split("```")[0] ?? "";
  const file = at("bakery.ts");
  assert.equal(shown, file.slice(file.indexOf("import {")));
});
