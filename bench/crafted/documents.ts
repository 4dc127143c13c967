/** Documents that are large or odd in one way each. */
import type { Crafted } from "./request.ts";
import { jsonType, make, numbered, post, send, times, yamlType } from "./request.ts";
import { definition, definitionsPath, objectSchema, specSchema } from "./definitions.ts";
import type { Schema } from "./definitions.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const secrets = "/api/v1/namespaces/{ns}/secrets";
const strict = "?fieldValidation=Strict";

function map(name: string, content: object, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...content };
}

/** Replaces the object after the first call. */
function written(name: string, path: string, body: (name: string) => object): Crafted {
  return {
    name,
    send: async (target, round) => {
      const [collection = "", query = ""] = path.split("?");
      const suffix = query === "" ? "" : `?${query}`;
      return round === 0
        ? await send(target, "POST", `${collection}${suffix}`, body(name))
        : await send(target, "PUT", `${collection}/${name}${suffix}`, body(name));
    },
  };
}

function sent(name: string, path: string, body: () => unknown, type = jsonType): Crafted {
  return { name, send: post(path, body(), type) };
}

function managers(count: number, fields: (index: number) => object, operation: string): object {
  return {
    managedFields: times(count, (index) => ({
      manager: `forged-${index}`,
      operation,
      apiVersion: "v1",
      time: "2020-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: fields(index),
    })),
  };
}

function nested(depth: number, width: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < depth; level++) {
    value = { ...numbered(width, "w", () => "x"), n: value };
  }
  return value;
}

const configMaps: readonly Crafted[] = [
  written("map-24000-keys", maps, (name) => map(name, { data: numbered(24_000, "k", () => "v") })),
  written("map-100000-keys", maps, (name) =>
    map(name, { data: numbered(100_000, "k", () => "v") }),
  ),
  written("map-one-text", maps, (name) => map(name, { data: { k: "x".repeat(1_000_000) } })),
  written("map-escapes", maps, (name) => map(name, { data: { k: "\u0001".repeat(160_000) } })),
  written("map-bad-keys", maps, (name) =>
    map(name, { data: numbered(60_000, "bad key ", () => "v") }),
  ),
  written("map-labels", maps, (name) =>
    map(name, {}, { labels: numbered(1_000, "example.com/label-", () => "v") }),
  ),
  written("map-50000-labels", maps, (name) =>
    map(name, {}, { labels: numbered(50_000, "l", () => "v") }),
  ),
  written("map-annotations", maps, (name) =>
    map(name, {}, { annotations: numbered(20_000, "a", () => "v") }),
  ),
  written("map-bad-annotations", maps, (name) =>
    map(name, {}, { annotations: numbered(100_000, "bad key ", () => "v") }),
  ),
  written("map-owners", maps, (name) =>
    map(
      name,
      {},
      {
        ownerReferences: times(1_000, (index) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: `n${index}`,
          uid: `u${index}`,
        })),
      },
    ),
  ),
  written("map-20000-owners", maps, (name) =>
    map(
      name,
      {},
      {
        ownerReferences: times(20_000, (index) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: `n${index}`,
          uid: `u${index % 10_000}`,
        })),
      },
    ),
  ),
  written("map-finalizers", maps, (name) =>
    map(name, {}, { finalizers: times(100_000, (index) => `example.com/f${index}`) }),
  ),
  written("map-forged-fields", maps, (name) =>
    map(
      name,
      { data: numbered(24_000, "k", () => "v") },
      managers(1, () => ({ "f:data": numbered(45_000, "f:k", () => ({})) }), "Update"),
    ),
  ),
  written("map-forged-managers", maps, (name) =>
    map(
      name,
      {},
      managers(2_000, (index) => ({ "f:data": { [`f:k${index}`]: {} } }), "Apply"),
    ),
  ),
  written("map-forged-deep", maps, (name) => {
    let fields: object = {};
    for (let depth = 0; depth < 100; depth++) {
      fields = { ...numbered(200, "f:w", () => ({})), "f:n": fields };
    }
    return map(
      name,
      {},
      managers(1, () => fields, "Update"),
    );
  }),
  written("map-unknown-strict", `${maps}${strict}`, (name) =>
    map(
      name,
      numbered(100_000, "unknown", () => 1),
    ),
  ),
  written("map-unknown-warned", `${maps}?fieldValidation=Warn`, (name) =>
    map(
      name,
      numbered(100_000, "unknown", () => 1),
    ),
  ),
  sent("map-duplicates-strict", `${maps}${strict}`, () => {
    const fields = times(100_000, (index) => `"k${index % 1_000}":"v"`).join(",");
    return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"data":{${fields}}}`;
  }),
  sent("map-brackets", maps, () => "[".repeat(3_000_000)),
  sent("map-empty-lists", maps, () => `{"a":[${"[],".repeat(1_000_000)}[]]}`),
  sent("map-empty-objects", maps, () => `{"a":[${"{},".repeat(1_000_000)}{}]}`),
  sent("map-digits", maps, () => `{"a":${"1".repeat(3_000_000)}}`),
  sent("map-many-numbers", maps, () => `{"a":[${"9007199254740993,".repeat(160_000)}1]}`),
  sent("map-floats", maps, () => `{"a":[${"1.2345e-300,".repeat(240_000)}1]}`),
  sent("map-unicode-escapes", maps, () => `{"a":"${"\\u0061".repeat(500_000)}"}`),
  sent("map-surrogates", maps, () => `{"a":"${"\\ud800".repeat(500_000)}"}`),
  sent("map-syntax-error-last", maps, () => `{"a":"${"x".repeat(3_000_000)}"`),
  sent("map-null", maps, () => `{"a":[${"null,".repeat(600_000)}null]}`),
  sent("map-deep-wide", `${maps}${strict}`, () => map("deep", { extra: nested(110, 400) })),
  sent("map-wrong-types", maps, () => map("w", { data: times(200_000, () => 1) })),
  sent("map-numbers-in-data", maps, () => map("w", { data: numbered(150_000, "k", (i) => i) })),
];

const yamlTexts: Readonly<Record<string, string>> = {
  list: `a: [${"a,".repeat(250_000)}a]`,
  keys: times(40_000, (index) => `k${index}: v`).join("\n"),
  nested: times(100, (depth) => `${" ".repeat(depth)}k: `).join("\n"),
  quoted: `a: "${"\\x41".repeat(120_000)}"`,
  block: `a: |\n${"  line\n".repeat(70_000)}`,
  comments: `a: 1\n${"# c\n".repeat(120_000)}`,
  anchors: times(20_000, (index) => `k${index}: &a${index} v`).join("\n"),
  documents: "---\na: 1\n".repeat(50_000),
  tags: `a: [${"!!str a,".repeat(60_000)}a]`,
  merges: `b: &b {x: 1}\n${times(90, (index) => `k${index}: {<<: *b, y: 1}`).join("\n")}`,
  flow: `{a: ${"{a: ".repeat(120)}1${"}".repeat(121)}`,
  unclosed: "[".repeat(500_000),
  duplicates: times(40_000, () => "k: v").join("\n"),
};

const yamls = Object.entries(yamlTexts).map(([name, text]) =>
  sent(`yaml-${name}`, maps, () => text, yamlType),
);

const secretBodies: readonly Crafted[] = [
  written("secret-24000-keys", secrets, (name) => ({
    metadata: { name },
    data: numbered(24_000, "k", () => "dg=="),
  })),
  written("secret-bad-base64", secrets, (name) => ({
    metadata: { name },
    data: numbered(50_000, "k", () => "*"),
  })),
  written("secret-string-data", secrets, (name) => ({
    metadata: { name },
    stringData: numbered(24_000, "k", (index) => `value ${index}`),
  })),
  written("secret-one-text", secrets, (name) => ({
    metadata: { name },
    stringData: { k: "x".repeat(1_000_000) },
  })),
];

interface Kind {
  readonly spec: Schema;
  /** The spec of the document. */
  readonly document: () => unknown;
}

const integers = { type: "array", items: { type: "integer" } };
const text = { type: "string" };
const item = objectSchema({ name: text, value: text }, { required: ["name"] });

/** Kinds by their plural names, each with a document that is heavy for it. */
const kinds: Readonly<Record<string, Kind>> = {
  freeforms: {
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    document: () => numbered(24_000, "k", (index) => ({ v: index })),
  },
  atomics: {
    spec: { type: "array", "x-kubernetes-list-type": "atomic", items: item },
    document: () => times(60_000, (index) => ({ name: `n${index}`, value: "v" })),
  },
  keyeds: {
    spec: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: item,
    },
    document: () => times(8_000, (index) => ({ name: `n${index}`, value: "v" })),
  },
  sets: {
    spec: { type: "array", "x-kubernetes-list-type": "set", items: text },
    document: () => times(24_000, (index) => `n${index}`),
  },
  doubles: {
    spec: { type: "array", "x-kubernetes-list-type": "set", items: text },
    document: () => times(200_000, () => "n"),
  },
  longlists: { spec: integers, document: () => times(1_000_000, (index) => index % 10) },
  wronglists: { spec: integers, document: () => times(400_000, () => "x") },
  defaulteds: {
    spec: {
      type: "array",
      items: objectSchema(numbered(20, "f", (index) => ({ ...text, default: `d${index}` }))),
    },
    document: () => times(60_000, () => ({})),
  },
  patterneds: {
    spec: { type: "array", items: { ...text, pattern: "^(a|b|ab)*c?(a+b+)*$" } },
    document: () => times(100_000, () => "ababababababababab"),
  },
  longtexts: {
    spec: { ...text, pattern: "^(a|b|ab)*c?(a+b+)*$" },
    document: () => "ab".repeat(1_400_000),
  },
  dateds: {
    spec: { type: "array", items: { ...text, format: "date-time" } },
    document: () => times(100_000, () => "2020-01-01T00:00:00Z"),
  },
  emaileds: {
    spec: { type: "array", items: { ...text, format: "email" } },
    document: () => times(80_000, () => "someone.with.a.name@some.example.com"),
  },
  urleds: {
    spec: { type: "array", items: { ...text, format: "uri" } },
    document: () => times(80_000, () => "https://some.example.com/path"),
  },
  enumerateds: {
    spec: { type: "array", items: { ...text, enum: times(30_000, (index) => `v${index}`) } },
    document: () => times(100_000, () => "v29999"),
  },
  joineds: {
    spec: {
      type: "array",
      items: {
        ...text,
        anyOf: times(300, (index) => ({ pattern: `^x${index}$` })),
      },
    },
    document: () => times(20_000, () => "x299"),
  },
  excluded: {
    spec: {
      type: "array",
      items: { ...text, oneOf: times(300, (index) => ({ maxLength: index })) },
    },
    document: () => times(20_000, () => "x".repeat(100)),
  },
  lengths: {
    spec: { type: "array", items: { ...text, maxLength: 1_400_000 } },
    document: () => ["😀".repeat(600_000)],
  },
  ruleds: {
    spec: {
      type: "array",
      maxItems: 5_000,
      items: {
        ...text,
        maxLength: 200,
        "x-kubernetes-validations": [{ rule: "self.matches('^[a-z]*$') && !self.contains('q')" }],
      },
    },
    document: () => times(5_000, () => "abcdefgh".repeat(20)),
  },
  burneds: {
    spec: {
      type: "array",
      maxItems: 1_000,
      items: { type: "integer" },
      "x-kubernetes-validations": times(10, (index) => ({
        rule: `self.all(x, self.all(y, x + y + ${index} >= 0))`,
      })),
    },
    document: () => times(270, (index) => index),
  },
  embedded: {
    spec: {
      type: "array",
      items: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    },
    document: () =>
      times(20_000, (index) => ({ apiVersion: "v1", kind: "X", metadata: { name: `n${index}` } })),
  },
  hiddens: {
    spec: {
      type: "object",
      additionalProperties: { ...text, "x-setpoint-field-rule": "secret" },
    },
    document: () => numbered(20_000, "s", (index) => `secret ${index}`),
  },
  fixeds: {
    spec: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: objectSchema({ s: { ...text, "x-setpoint-field-rule": "create-only" } }),
    },
    document: () => times(40_000, (index) => ({ s: `v${index}` })),
  },
};

function document(plural: string, { spec, document: made }: Kind): Crafted {
  const path = `/apis/crafted.example.com/v1/namespaces/{ns}/${plural}`;
  const body = written(`document-${plural}`, path, (name) => ({
    apiVersion: "crafted.example.com/v1",
    kind: `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`,
    metadata: { name },
    spec: made(),
  }));
  return {
    ...body,
    prepare: (target) =>
      make(target, definitionsPath, definition({ plural, schemas: [specSchema(spec)] })),
    send: async (target, round) => {
      if (round === 0) return await body.send(target, 0);
      // A replacement needs the revision.
      const place = `${path}/document-${plural}`.replace("{ns}", target.namespace);
      const { body: found } = await target.ask(place);
      const old = JSON.parse(found.toString()) as Record<string, unknown>;
      return await send(target, "PUT", place, { ...old, spec: made() });
    },
  };
}

/** A small request about a large document: first without an effect. */
function deleted(plural: string, { spec, document: made }: Kind): Crafted {
  const path = `/apis/crafted.example.com/v1/namespaces/{ns}/${plural}`;
  const name = `deleted-${plural}`;
  return {
    name: `document-${name}`,
    prepare: async (target) => {
      await make(target, definitionsPath, definition({ plural, schemas: [specSchema(spec)] }));
      const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
      const metadata = { name, finalizers: ["crafted.example.com/held"] };
      const apiVersion = "crafted.example.com/v1";
      await make(target, path, { apiVersion, kind, metadata, spec: made() });
    },
    send: (target, round) =>
      send(target, "DELETE", `${path}/${name}${round === 0 ? "?dryRun=All" : ""}`),
  };
}

/** A small request that changes one label of a large document. */
function labelled(plural: string, { spec, document: made }: Kind): Crafted {
  const path = `/apis/crafted.example.com/v1/namespaces/{ns}/${plural}`;
  const name = `labelled-${plural}`;
  return {
    name: `document-${name}`,
    prepare: async (target) => {
      await make(target, definitionsPath, definition({ plural, schemas: [specSchema(spec)] }));
      const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
      const apiVersion = "crafted.example.com/v1";
      await make(target, path, { apiVersion, kind, metadata: { name }, spec: made() });
    },
    send: (target, round) => {
      const patch = { metadata: { labels: { round: `r${round}` } } };
      return send(target, "PATCH", `${path}/${name}`, patch, "application/merge-patch+json");
    },
  };
}

const stored = Object.entries(kinds).filter(([plural]) =>
  ["atomics", "longlists", "embedded", "hiddens", "sets"].includes(plural),
);

export const documentRequests: readonly Crafted[] = [
  ...configMaps,
  ...yamls,
  ...secretBodies,
  ...Object.entries(kinds).map(([plural, kind]) => document(plural, kind)),
  ...stored.map(([plural, kind]) => labelled(plural, kind)),
  ...stored.map(([plural, kind]) => deleted(plural, kind)),
];
