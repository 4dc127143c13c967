import assert from "node:assert/strict";
import { test } from "node:test";
import { gnosticDocument } from "./gnostic.ts";

/** What a message holds, by field number; a test says itself what is text and what is a message. */
type Decoded = ReadonlyMap<number, readonly (Buffer | number)[]>;

test("a small document has exactly the bytes that its messages ask for", () => {
  const document = { swagger: "2.0", info: { title: "T", version: "1" } };
  const expected = "0a03322e3012060a0154120131";
  assert.equal(gnosticDocument(document).toString("hex"), expected);
});

test("definitions carry types, limits, required names and extensions", () => {
  const schema = {
    type: "object",
    required: ["a", "b"],
    maximum: 1.5,
    maxLength: 300,
    uniqueItems: true,
    enum: ["x", 2],
    default: ["d"],
    additionalProperties: { $ref: "#/definitions/B" },
    properties: { a: { type: "array", items: { type: "string" } } },
    "x-kubernetes-group-version-kind": [{ group: "g", version: "v1", kind: "K" }],
    unknown: 1,
  };
  const root = decode(gnosticDocument({ definitions: { A: schema } }));
  const pair = decode(message(decode(message(root, 9)), 1));
  assert.equal(text(pair, 1), "A");
  const found = decode(message(pair, 2));
  assert.equal(text(decode(message(found, 22)), 1), "object");
  assert.deepEqual(found.get(19)?.map(String), ["a", "b"]);
  assert.equal(message(found, 7).readDoubleLE(), 1.5);
  assert.deepEqual(found.get(11), [300]);
  assert.deepEqual(found.get(16), [1]);
  assert.deepEqual(
    found.get(20)?.map((value) => text(decode(value), 2)),
    ['"x"\n', "2\n"],
  );
  assert.equal(text(decode(message(found, 5)), 2), '["d"]\n');
  const others = decode(message(decode(message(found, 21)), 1));
  assert.equal(text(others, 1), "#/definitions/B");
  const property = decode(message(decode(message(found, 25)), 1));
  assert.equal(text(property, 1), "a");
  const items = decode(message(decode(message(property, 2)), 23));
  assert.equal(text(decode(message(decode(message(items, 1)), 22)), 1), "string");
  const extension = decode(message(found, 31));
  assert.equal(text(extension, 1), "x-kubernetes-group-version-kind");
  const yaml = text(decode(message(extension, 2)), 2);
  assert.equal(yaml, '[{"group":"g","version":"v1","kind":"K"}]\n');
});

test("documents larger than the first buffer are whole", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `Definition${index}`);
  const definitions = Object.fromEntries(names.map((name) => [name, { title: `é${name}` }]));
  const pairs = decode(message(decode(gnosticDocument({ definitions })), 9)).get(1) ?? [];
  const found = pairs.map((pair) => decode(pair));
  assert.deepEqual(
    found.map((pair) => text(pair, 1)),
    names,
  );
  const titles = found.map((pair) => text(decode(message(pair, 2)), 3));
  assert.deepEqual(
    titles,
    names.map((name) => `é${name}`),
  );
});

test("paths carry operations, parameters by place, bodies and answers", () => {
  const patch = {
    operationId: "p",
    consumes: ["a/b", "c/d"],
    parameters: [
      { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/A" } },
      { name: "force", in: "query", type: "boolean", uniqueItems: true },
    ],
    responses: { 200: { description: "OK", schema: { $ref: "#/definitions/A" } } },
    "x-kubernetes-action": "patch",
  };
  const parameters = [{ name: "name", in: "path", type: "string", required: true }];
  const root = decode(gnosticDocument({ paths: { "/a": { patch, parameters } } }));
  const path = decode(message(decode(message(root, 8)), 2));
  assert.equal(text(path, 1), "/a");
  const item = decode(message(path, 2));
  const operation = decode(message(item, 8));
  assert.equal(text(operation, 5), "p");
  assert.deepEqual(operation.get(7)?.map(String), ["a/b", "c/d"]);
  const [body, query] = (operation.get(8) ?? []).map((each) => decode(message(decode(each), 1)));
  assert.ok(body && query);
  const bodyFields = decode(message(body, 1));
  assert.equal(text(bodyFields, 2), "body");
  assert.deepEqual(bodyFields.get(4), [1]);
  const queryFields = decode(message(decode(message(query, 2)), 3));
  assert.deepEqual([text(queryFields, 4), text(queryFields, 6)], ["force", "boolean"]);
  const inPath = decode(message(decode(message(decode(message(item, 9)), 1)), 2));
  const pathFields = decode(message(inPath, 4));
  assert.deepEqual([text(pathFields, 4), text(pathFields, 5)], ["name", "string"]);
  const response = decode(message(decode(message(operation, 9)), 1));
  assert.equal(text(response, 1), "200");
  const answer = decode(message(decode(message(response, 2)), 1));
  assert.equal(text(answer, 1), "OK");
  const schema = decode(message(decode(message(answer, 2)), 1));
  assert.equal(text(schema, 1), "#/definitions/A");
  assert.equal(text(decode(message(operation, 13)), 1), "x-kubernetes-action");
});

function message(decoded: Decoded, number: number): Buffer {
  const value = decoded.get(number)?.[0];
  assert.ok(Buffer.isBuffer(value), `field ${number} is there`);
  return value;
}

function text(decoded: Decoded, number: number): string {
  return message(decoded, number).toString("utf8");
}

function decode(bytes: Buffer | number): Decoded {
  assert.ok(Buffer.isBuffer(bytes));
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes.readUInt8(at++);
      value += (byte % 128) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag % 8;
    let value: Buffer | number = 0;
    if (wireType === 0) value = varint();
    else {
      const length = wireType === 1 ? 8 : varint();
      value = bytes.subarray(at, at + length);
      at += length;
    }
    const number = (tag - wireType) / 8;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}
