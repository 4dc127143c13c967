import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { anyCharacter } from "../../../kernel/arbitraries.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { allMessages } from "../../../intents/builtin/catalogue.ts";
import type { Message, Scalar, Shape } from "../../../intents/builtin/message.ts";
import { normalDocument } from "../../../intents/builtin/normal-form.ts";
import { decodeProtobuf, encodeProtobuf, encodeWatchFrame, hasProtobuf } from "./envelope.ts";

/** Bodies as kubectl 1.32 sent them. */
const sent: readonly (readonly [what: string, hex: string, json: JsonObject])[] = [
  [
    "create configmap c --from-literal=a=b",
    "6b3873000a0f0a0276311209436f6e6669674d6170121f0a150a016312001a0464656d6f22002a0032003800" +
      "420012060a01611201621a002200",
    {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "c", namespace: "demo" },
      data: { a: "b" },
    },
  ],
  [
    "create secret generic s --from-literal=p=q",
    "6b3873000a0c0a027631120653656372657412210a150a017312001a0464656d6f22002a0032003800420012" +
      "060a01701201711a001a002200",
    {
      kind: "Secret",
      apiVersion: "v1",
      metadata: { name: "s", namespace: "demo" },
      data: { p: "cQ==" },
    },
  ],
  [
    "create namespace n1",
    "6b3873000a0f0a02763112094e616d657370616365121a0a120a026e3112001a0022002a0032003800420012" +
      "001a020a001a002200",
    { kind: "Namespace", apiVersion: "v1", metadata: { name: "n1" }, spec: {}, status: {} },
  ],
  [
    "create quota q --hard=count/configmaps=3,cpu=1",
    "6b3873000a130a027631120d5265736f7572636551756f746112400a150a017112001a0464656d6f22002a00" +
      "32003800420012250a170a10636f756e742f636f6e6669676d61707312030a01330a0a0a0363707512030a" +
      "01311a001a002200",
    {
      kind: "ResourceQuota",
      apiVersion: "v1",
      metadata: { name: "q", namespace: "demo" },
      spec: { hard: { "count/configmaps": "3", cpu: "1" } },
      status: {},
    },
  ],
  [
    "create rolebinding rb --role=r --user=u",
    "6b3873000a2b0a1c726261632e617574686f72697a6174696f6e2e6b38732e696f2f7631120b526f6c654269" +
      "6e64696e6712660a160a02726212001a0464656d6f22002a0032003800420012260a04557365721219726261" +
      "632e617574686f72697a6174696f6e2e6b38732e696f1a017522001a240a19726261632e617574686f72697a" +
      "6174696f6e2e6b38732e696f1204526f6c651a01721a002200",
    {
      kind: "RoleBinding",
      apiVersion: "rbac.authorization.k8s.io/v1",
      metadata: { name: "rb", namespace: "demo" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    },
  ],
  [
    "auth can-i get pods",
    "6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374" +
      "41636365737352657669657712390a100a0012001a0022002a00320038004200121b0a190a0464656d6f1203" +
      "6765741a0022002a04706f647332003a001a08080012001a0020001a002200",
    {
      kind: "SelfSubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: { resourceAttributes: { namespace: "demo", verb: "get", resource: "pods" } },
      status: { allowed: false },
    },
  ],
  [
    "create token sa1",
    "6b3873000a280a1861757468656e7469636174696f6e2e6b38732e696f2f7631120c546f6b656e5265717565" +
      "7374121a0a100a0012001a0022002a0032003800420012001a040a0012001a002200",
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {},
      spec: {},
      status: { token: "", expirationTimestamp: null },
    },
  ],
];

describe("protobuf bodies of kubectl", () => {
  for (const [what, hex, json] of sent) {
    it(`are read: ${what}`, () => {
      assert.deepEqual(decodeProtobuf(Buffer.from(hex, "hex")), json);
    });
    it(`are written the same: ${what}`, () => {
      assert.equal(Buffer.from(encodeProtobuf(json)).toString("hex"), hex);
    });
  }
});

describe("protobuf of built-in kinds", () => {
  it("survives the way there and back, for every message", () => {
    for (const { apiVersion, kind, message } of allMessages()) {
      const documents = arbitraryDocument(apiVersion, kind, message);
      fc.assert(
        fc.property(documents, (document) => {
          const decoded = decodeProtobuf(encodeProtobuf(document));
          assert.deepEqual(normalDocument(message, decoded), normalDocument(message, document));
        }),
        { numRuns: 20 },
      );
    }
  });

  it("has the same bytes for a document and its normal form", () => {
    for (const { apiVersion, kind, message } of allMessages()) {
      const documents = arbitraryDocument(apiVersion, kind, message);
      fc.assert(
        fc.property(documents, (document) => {
          const normal = encodeProtobuf(normalDocument(message, document));
          assert.deepEqual(normal, encodeProtobuf(document));
        }),
        { numRuns: 10 },
      );
    }
  });

  it("reads a schema within a definition in full", () => {
    const schema = {
      type: "object",
      properties: {
        m: { type: "object", additionalProperties: { type: "string" } },
        n: { type: "object", additionalProperties: false },
        l: { type: "array", items: { type: "integer", default: 3, maximum: 1.5 } },
        e: { enum: ["a", 1, null], "x-kubernetes-preserve-unknown-fields": true },
      },
    };
    const versions = [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
    ];
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {},
      spec: { group: "g.dev", names: { plural: "a", kind: "A" }, scope: "Cluster", versions },
    };
    const decoded = decodeProtobuf(encodeProtobuf(definition));
    assert.deepEqual(decoded["spec"], definition.spec);
  });

  it("tells an empty pointer from an absent one", () => {
    const lease = {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: {},
      spec: { holderIdentity: "", renewTime: "2024-01-02T03:04:05.000006Z" },
    };
    assert.deepEqual(decodeProtobuf(encodeProtobuf(lease)), lease);
  });

  it("keeps negative and large integers", () => {
    const document = {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { generation: 2 ** 53 - 1, deletionGracePeriodSeconds: -7 },
      spec: { replicas: -1 },
      status: { replicas: 2 ** 31 - 1 },
    };
    assert.deepEqual(decodeProtobuf(encodeProtobuf(document)), document);
  });

  it("keeps every integer of 64 bits", () => {
    for (const generation of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 53n) - 1n, 3]) {
      const metadata = { generation };
      const document = { kind: "Scale", apiVersion: "autoscaling/v1", metadata };
      const { metadata: decoded } = decodeProtobuf(encodeProtobuf(document)) as typeof document;
      assert.equal(decoded.generation, generation);
    }
  });

  it("skips fields that are not known", () => {
    const body = Buffer.from(sent[2]?.[1] ?? "", "hex");
    // Field 99 of the namespace, as a varint: the message and its length grow by three bytes.
    const at = body.indexOf(Buffer.from("121a0a12", "hex"));
    const end = at + 2 + 0x1a;
    const longer = Buffer.concat([
      body.subarray(0, at + 1),
      Buffer.from([0x1d]),
      body.subarray(at + 2, end),
      Buffer.from("980605", "hex"),
      body.subarray(end),
    ]);
    assert.deepEqual(decodeProtobuf(longer), sent[2]?.[2]);
  });

  it("frames events of a watch by their length", () => {
    const frame = Buffer.from(encodeWatchFrame("ADDED", sent[0]?.[2] ?? {}));
    assert.equal(frame.readUInt32BE(0), frame.length - 4);
    assert.equal(frame.subarray(4, 11).toString("latin1"), "\n\u0005ADDED");
    const inner = Buffer.from(sent[0]?.[1] ?? "", "hex");
    assert.ok(frame.subarray(-inner.length).equals(inner));
  });

  it("is there for kinds of the tables only", () => {
    assert.ok(hasProtobuf({ apiVersion: "v1", kind: "SecretList" }));
    assert.ok(!hasProtobuf({ apiVersion: "example.dev/v1", kind: "Widget" }));
  });
});

describe("hostile protobuf", () => {
  it("is refused and never crashes, whatever the bytes", () => {
    const heads = ["", ...sent.map(([, hex]) => hex.slice(0, 60))];
    const bodies = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 80 }));
    fc.assert(
      fc.property(bodies, ([head, tail]) => {
        refusesOrReads(Buffer.concat([Buffer.from(head, "hex"), tail]));
      }),
      { numRuns: 500 },
    );
  });

  it("is refused when it ends early, at every length", () => {
    const whole = Buffer.from(sent[4]?.[1] ?? "", "hex");
    for (let length = 0; length < whole.length; length++) refusesOrReads(whole.subarray(0, length));
  });

  it("names what is wrong with the envelope", () => {
    assert.throws(() => decodeProtobuf(Buffer.from("{}")), {
      message:
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    });
    assert.throws(() => decodeProtobuf(new Uint8Array()), { message: "empty data" });
    const wrong = Buffer.from("6b3873000a080a0276311202586112001a002200", "hex");
    assert.throws(() => decodeProtobuf(wrong), /no kind "Xa" is registered for version "v1"/);
  });

  it("cannot nest without end", () => {
    let schema: Buffer = Buffer.alloc(0);
    for (let i = 0; i < 400; i++) {
      const length = varint(schema.length);
      schema = Buffer.concat([Buffer.from([0xe2, 0x01]), length, schema]);
    }
    let body = schema;
    for (const tag of [0x0a, 0x22, 0x3a, 0x12]) {
      body = Buffer.concat([Buffer.from([tag]), varint(body.length), body]);
    }
    const type = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    const raw = Buffer.concat([Buffer.from([0x12]), varint(body.length), body]);
    const whole = Buffer.concat([Buffer.from("k8s\0"), raw]);
    assert.throws(() => decodeProtobuf(whole, type), /nested too deeply/);
  });

  it("cannot reach a prototype through the keys of a map", () => {
    const data: MutableJsonObject = {};
    setOwn(data, "__proto__", "x");
    const decoded = decodeProtobuf(encodeProtobuf({ apiVersion: "v1", kind: "ConfigMap", data }));
    assert.deepEqual(Object.keys(decoded["data"] ?? {}), ["__proto__"]);
  });
});

function refusesOrReads(body: Uint8Array): void {
  try {
    decodeProtobuf(body);
  } catch (error) {
    assert.ok(isSetpointError(error, "request.invalid"), String(error));
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
    if (rest < 0x80) return Buffer.from(bytes);
  }
}

function arbitraryDocument(
  apiVersion: string,
  kind: string,
  message: Message,
): fc.Arbitrary<JsonObject> {
  return arbitraryMessage(message, 0).map((object) => Object.assign({ kind, apiVersion }, object));
}

function arbitraryMessage(message: Message, depth: number): fc.Arbitrary<JsonObject> {
  const fields: [string, fc.Arbitrary<Json | undefined>][] = [];
  collectFields(fields, message, depth);
  return fc.tuple(...fields.map(([, values]) => values)).map((values) => {
    const object: MutableJsonObject = {};
    for (const [index, [name]] of fields.entries()) {
      const value = values[index];
      if (value !== undefined) setOwn(object, name, value);
    }
    return object;
  });
}

function collectFields(
  fields: [string, fc.Arbitrary<Json | undefined>][],
  message: Message,
  depth: number,
): void {
  for (const [name, { shape, isInline }] of message.fields) {
    if (isInline && shape.type.kind === "message") {
      collectFields(fields, shape.type.message(), depth);
    } else fields.push([name, fc.option(arbitraryValue(shape, depth), { nil: undefined })]);
  }
}

function arbitraryValue(shape: Shape, depth: number): fc.Arbitrary<Json> {
  const { type } = shape;
  const isDeep = depth > 5;
  switch (type.kind) {
    case "scalar":
      return scalars[type.scalar];
    case "message":
      return isDeep ? fc.constant({}) : arbitraryMessage(type.message(), depth + 1);
    case "list":
      return fc.array(arbitraryValue(type.of, depth + 1), { minLength: 1, maxLength: 2 });
    case "map":
      return fc.dictionary(fc.string({ maxLength: 4 }), arbitraryValue(type.of, depth + 1), {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      });
    case "schemaOr":
      return type.other === "bool" ? fc.boolean() : fc.constant({ type: "string" });
    default:
      return type satisfies never;
  }
}

const seconds = fc.integer({ min: 0, max: 2 ** 31 }).map((s) => new Date(s * 1_000).toISOString());
const anyJson = fc.constantFrom<Json>("a", 1, true, { a: [null] });

const scalars: Readonly<Record<Scalar, fc.Arbitrary<Json>>> = {
  string: fc.string({ maxLength: 6, unit: anyCharacter }),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  bytes: fc
    .uint8Array({ minLength: 1, maxLength: 5 })
    .map((raw) => Buffer.from(raw).toString("base64")),
  time: seconds.map((text) => text.replace(".000Z", "Z")),
  microTime: seconds.map((text) => text.replace(".000Z", ".012345Z")),
  quantity: fc.constantFrom("1", "500m", "1Gi"),
  intOrString: fc.oneof(fc.integer(), fc.string()),
  json: anyJson,
  fieldsV1: fc.constant({ "f:data": {} }),
  rawExtension: fc.constant({ kind: "A" }),
  texts: fc.array(fc.string(), { maxLength: 2 }),
};
