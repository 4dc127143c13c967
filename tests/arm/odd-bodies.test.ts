// Bodies that are not what they seem, on a real server, through both surfaces: texts that are not
// whole are refused and not repaired, and what was sent comes back in small pieces only.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { gzipSync } from "node:zlib";
import { pick, pickList, pickText } from "../kube/server.ts";
import { codeOf, oven, startArmServer } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const json = { "content-type": "application/json" };
const configMaps = "/api/v1/namespaces/default/configmaps";

/** The text with the byte in place of its question mark. */
function withByte(text: string, byte: number): Buffer {
  const [start = "", end = ""] = text.split("?");
  return Buffer.concat([Buffer.from(start), Buffer.from([byte]), Buffer.from(end)]);
}

it("bytes that are no UTF-8 are refused, and nothing is stored", async () => {
  const body = withByte('{"location":"westeurope","properties":{"secretCode":"?"}}', 0xff);
  const reply = await server.request("PUT", oven("bytes"), body, json);
  assert.equal(reply.status, 400, reply.text);
  assert.equal(codeOf(reply), "InvalidRequestContent");
  assert.match(pickText(reply.json, "error.message"), /not UTF-8 at byte 54\.$/);
  assert.equal((await server.get("bytes")).status, 404);

  const whole = { metadata: { name: "whole" }, data: { a: "b" } };
  assert.equal((await server.request("POST", configMaps, whole)).status, 201);
  for (const [method, path, text, type] of [
    ["POST", configMaps, '{"metadata":{"name":"bytes"},"data":{"a":"?"}}', "application/json"],
    ["POST", configMaps, "metadata: {name: bytes}\ndata: {a: ?}\n", "application/yaml"],
    ["PATCH", `${configMaps}/whole`, '{"data":{"a":"?"}}', "application/merge-patch+json"],
    [
      "PATCH",
      `${configMaps}/bytes?fieldManager=me`,
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bytes}\ndata: {a: ?}\n",
      "application/apply-patch+yaml",
    ],
  ] as const) {
    const headers = { "content-type": type };
    const refused = await server.request(method, path, withByte(text, 0xff), headers);
    assert.equal(refused.status, 400, `${method} ${type}: ${refused.text}`);
    assert.match(pickText(refused.json, "message"), /not UTF-8 at byte \d+/);
  }
  assert.equal((await server.request("GET", `${configMaps}/bytes`)).status, 404);
  const { json: kept } = await server.request("GET", `${configMaps}/whole`);
  assert.deepEqual(pick(kept, "data"), { a: "b" });
});

it("half of a surrogate pair is refused wherever it stands, and nothing is stored", async () => {
  for (const [rest, place] of [
    [String.raw`"properties":{"secretCode":"\ud800"}`, "properties.secretCode"],
    [String.raw`"properties":{},"tags":{"a":"\udfff"}`, "tags.a"],
    [String.raw`"properties":{},"tags":{"\ud800":"a"}`, "tags.\ufffd"],
  ] as const) {
    const body = `{"location":"westeurope",${rest}}`;
    const reply = await server.request("PUT", oven("half"), body, json);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(codeOf(reply), "InvalidRequestContent");
    assert.ok(pickText(reply.json, "error.message").includes(`'${place}'`), reply.text);
  }
  assert.equal((await server.get("half")).status, 404);
  const map = String.raw`{"metadata":{"name":"half"},"data":{"a":"\ud800"}}`;
  const refused = await server.request("POST", configMaps, map, json);
  assert.equal(refused.status, 400, refused.text);
  assert.match(pickText(refused.json, "message"), /at "data.a" has half of a surrogate pair/);
});

it("a body in another coding or charset is refused before it is read", async () => {
  const body = { location: "westeurope", properties: {} };
  for (const [sent, headers] of [
    [gzipSync(JSON.stringify(body)), { "content-encoding": "gzip" }],
    [JSON.stringify(body), { "content-encoding": "br" }],
    [
      Buffer.from(JSON.stringify(body), "utf16le"),
      { "content-type": "application/json; charset=utf-16" },
    ],
    [JSON.stringify(body), { "content-type": 'application/json; a=b; CHARSET="latin1"' }],
  ] as const) {
    const reply = await server.request("PUT", oven("coded"), sent, { ...json, ...headers });
    assert.equal(reply.status, 415, `${JSON.stringify(headers)}: ${reply.text}`);
    assert.equal(codeOf(reply), "UnsupportedMediaType");
  }
  assert.equal((await server.get("coded")).status, 404);
  const plain = {
    "content-type": 'application/json; charset="UTF-8"',
    "content-encoding": "identity",
  };
  assert.equal((await server.request("PUT", oven("coded"), body, plain)).status, 201);
});

it("conditions that contradict each other are refused", async () => {
  await server.made("guarded", { size: 1 });
  const twice = { "if-match": ['"1"', "*"] };
  const reply = await server.put("guarded", { size: 2 }, {}, twice);
  assert.equal(reply.status, 400, reply.text);
  assert.equal(codeOf(reply), "InvalidHeaderValue");
  const { headers } = await server.get("guarded");
  const weak = { "if-match": `W/${headers.etag}` };
  assert.equal((await server.put("guarded", { size: 2 }, {}, weak)).status, 412);
  assert.equal(pick((await server.get("guarded")).json, "properties.size"), 1);
});

it("a refusal quotes little of what was sent or stored, and still says what is wrong", async () => {
  const large = "q".repeat(900_000);
  const placed = { location: large, id: "i".repeat(100_000), properties: {} };
  const misplaced = await server.request("PUT", oven("large"), placed);
  assert.equal(misplaced.status, 400);
  assert.ok(misplaced.text.length < 20_000, String(misplaced.text.length));
  const details = pickList(misplaced.json, "error.details");
  assert.deepEqual(
    details.map((detail) => pick(detail, "target")),
    ["id", "location"],
  );

  await server.made("large", { model: large });
  const changed = await server.put("large", { model: "r".repeat(900_000) });
  assert.equal(changed.status, 400);
  assert.ok(changed.text.length < 20_000, String(changed.text.length));
  assert.equal(codeOf(changed), "PropertyChangeNotAllowed");
  const words = /^The property 'properties.model' cannot be changed from 'q+ \.\.\. r+'\.$/;
  assert.match(pickText(changed.json, "error.message"), words);

  const map = { metadata: { name: "large", labels: { a: large } } };
  const labelled = await server.request("POST", configMaps, map);
  assert.equal(labelled.status, 422);
  assert.ok(labelled.text.length < 100_000, String(labelled.text.length));
  assert.match(pickText(labelled.json, "message"), /metadata.labels: Invalid value/);
});
