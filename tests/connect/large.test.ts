// A document of several megabytes, with schemas that lead everywhere and into one another.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/kernel/json.ts";
import { connectLimits } from "../../src/modules/connect/limits.ts";
import { madeUp } from "../../src/modules/connect/document/made-up.ts";
import { propose } from "../../src/modules/connect/import/propose.ts";

test("a document of 4 MB is imported in seconds of work, with bounded kinds", async () => {
  const count = 25;
  const definitions: { [name: string]: Json } = {};
  const paths: { [path: string]: Json } = {};
  const description = "What it is for, at some length. ".repeat(100);
  for (let i = 0; i < count; i += 1) {
    const properties: { [name: string]: Json } = { id: { type: "string", readOnly: true } };
    for (let j = 0; j < 60; j += 1) {
      const isRef = j % 4 === 0;
      const to = { $ref: `#/definitions/T${(i * 7 + j) % count}` };
      properties[`field${j}`] = isRef ? to : { type: "string", description };
    }
    definitions[`T${i}`] = { properties };
    const schema = { $ref: `#/definitions/T${i}` };
    const responses = { "200": { description, schema } };
    const body = { in: "body", name: "body", schema };
    paths[`/things${i}`] = { get: { responses }, post: { parameters: [body], responses } };
    paths[`/things${i}/{id}`] = {
      get: { responses },
      put: { parameters: [body], responses },
      delete: { responses: { "204": { description } } },
    };
  }
  const text = JSON.stringify({ swagger: "2.0", paths, definitions });
  assert.ok(text.length > 3_500_000, String(text.length));
  const before = process.cpuUsage();
  const documents = await madeUp({ root: text });
  const { kinds } = propose(documents, { baseUrl: "https://example.com" });
  const { user } = process.cpuUsage(before);
  assert.equal(kinds.length, count);
  for (const { classified } of kinds) {
    assert.ok(classified.table.size <= connectLimits.maxFields);
    assert.ok(classified.table.size >= 60);
  }
  assert.ok(user < 60_000_000, `${Math.round(user / 1_000_000)} s of work`);
});
