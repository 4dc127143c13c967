/** Definitions near each of their limits, and documents of them. */
import type { Crafted, CraftTarget, JsonValue } from "./request.ts";
import { get, make, numbered, send, times } from "./request.ts";

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "crafted.example.com";

export type Schema = Readonly<Record<string, unknown>>;

interface DefinitionInput {
  readonly plural: string;
  readonly schemas: readonly Schema[];
  readonly version?: object;
  readonly spec?: object;
  readonly names?: object;
}

export function definition(input: DefinitionInput): object {
  const { plural, schemas, version = {}, spec = {}, names = {} } = input;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind: kindOf(plural), ...names },
      versions: times(schemas.length, (index) => ({
        name: `v${index + 1}`,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: schemas[index] },
        ...version,
      })),
      ...spec,
    },
  };
}

function kindOf(plural: string): string {
  return `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
}

export function specSchema(spec: Schema): Schema {
  return { type: "object", properties: { spec } };
}

export function objectSchema(properties: Schema, more: object = {}): Schema {
  return { type: "object", properties, ...more };
}

const text: Schema = { type: "string" };

/** Definitions by their plural names, each near one limit. */
const large: Readonly<Record<string, () => DefinitionInput["schemas"]>> = {
  wides: () => [specSchema(objectSchema(numbered(39_000, "f", () => text)))],
  objectives: () => [
    specSchema(objectSchema(numbered(9_700, "f", () => objectSchema({ a: text, b: text })))),
  ],
  deeps: () => {
    let schema: Schema = text;
    for (let depth = 0; depth < 55; depth++) {
      schema = objectSchema({ ...numbered(600, "f", () => text), deeper: schema });
    }
    return [specSchema(schema)];
  },
  versions: () =>
    times(64, (index) => specSchema(objectSchema(numbered(600, `f${index}_`, () => text)))),
  rules: () => [
    specSchema(
      objectSchema(
        numbered(3_600, "f", () => ({
          type: "integer",
          "x-kubernetes-validations": [{ rule: "self > 1 && self < 100 || self == 5" }],
        })),
      ),
    ),
  ],
  longs: () => [
    specSchema(
      objectSchema(
        { a: { type: "integer" } },
        {
          "x-kubernetes-validations": times(12, (rule) => ({
            rule: times(600, (index) => `self.a != ${index + rule}`).join(" && "),
          })),
        },
      ),
    ),
  ],
  nesteds: () => [
    specSchema({
      type: "array",
      maxItems: 10,
      items: { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
      "x-kubernetes-validations": times(700, (index) => ({
        rule: `self.all(x, x.all(y, self.exists(z, z.exists(w, w == y || w == 'a${index}'))))`,
      })),
    }),
  ],
  patterns: () => [
    specSchema(
      objectSchema(
        numbered(2_400, "f", (index) => ({ type: "string", pattern: `^a${index}[a-z]{30}$` })),
      ),
    ),
  ],
  repeats: () => [
    specSchema(
      objectSchema(
        numbered(60, "f", (index) => ({ type: "string", pattern: `^(ab?${index}){200}$` })),
      ),
    ),
  ],
  enums: () => [specSchema({ type: "string", enum: times(200_000, (index) => `v${index}`) })],
  requireds: () => [
    specSchema(
      objectSchema(
        numbered(10_000, "f", () => text),
        { required: times(100_000, (index) => `f${index}`) },
      ),
    ),
  ],
  defaults: () => [
    specSchema(
      objectSchema(numbered(19_000, "f", (index) => ({ type: "string", default: `d${index}` }))),
    ),
  ],
  lumps: () => [
    specSchema({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      default: numbered(38_000, "f", (index) => index),
    }),
  ],
  describeds: () => [specSchema({ type: "string", description: "d".repeat(2_900_000) })],
  junctions: () => [
    specSchema(
      objectSchema(
        numbered(4_000, "f", () => text),
        {
          anyOf: times(4_000, (index) => ({ required: [`f${index}`] })),
          allOf: times(4_000, (index) => ({ properties: { [`f${index}`]: { minLength: 1 } } })),
        },
      ),
    ),
  ],
  maps: () => [
    specSchema(
      objectSchema(
        numbered(3_000, "f", () => ({
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["a", "b"],
          items: objectSchema({ a: text, b: text }, { required: ["a", "b"] }),
        })),
      ),
    ),
  ],
  embeddeds: () => [
    specSchema(
      objectSchema(
        numbered(9_000, "f", () => ({
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        })),
      ),
    ),
  ],
  fieldrules: () => [
    specSchema(
      objectSchema(
        numbered(9_000, "f", () => ({ type: "string", "x-setpoint-field-rule": "secret" })),
      ),
    ),
  ],
};

/** Fewer and shorter parts of the other fields of a definition. */
const others: readonly DefinitionInput[] = [
  {
    plural: "columns",
    schemas: [specSchema(text)],
    version: {
      additionalPrinterColumns: times(20_000, (index) => ({
        name: `c${index}`,
        type: "string",
        jsonPath: `.spec.f${index}`,
      })),
    },
  },
  {
    plural: "paths",
    schemas: [specSchema(text)],
    version: {
      additionalPrinterColumns: times(600, (index) => ({
        name: `c${index}`,
        type: "string",
        jsonPath: `.spec${"[?(@.a==1)].b".repeat(300)}`,
      })),
    },
  },
  {
    plural: "selectables",
    schemas: [specSchema(text)],
    version: { selectableFields: times(50_000, (index) => ({ jsonPath: `.spec.f${index}` })) },
  },
  {
    plural: "shorts",
    schemas: [specSchema(text)],
    names: {
      shortNames: times(60_000, (index) => `s${index}`),
      categories: times(60_000, (index) => `c${index}`),
    },
  },
  {
    plural: "reviews",
    schemas: [specSchema(text)],
    spec: {
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: times(200_000, (index) => `v${index}`),
          clientConfig: { url: "https://localhost:1/x" },
        },
      },
    },
  },
];

function created(input: DefinitionInput): Crafted {
  return {
    name: `definition-${input.plural}`,
    send: async (target, round) => {
      if (round > 0) await remove(target, input.plural);
      return await send(target, "POST", definitionsPath, definition(input));
    },
  };
}

async function remove(target: CraftTarget, plural: string): Promise<void> {
  const path = `${definitionsPath}/${plural}.${group}`;
  await send(target, "DELETE", path);
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await target.ask(path);
    if (status === 404) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

/** A change of a definition, of which documents are stored. */
function changed(name: string, plural: string, patch: (round: number) => JsonValue): Crafted {
  return {
    name: `definition-${name}`,
    prepare: (target) => create(target, plural),
    send: (target, round) =>
      send(
        target,
        "PATCH",
        `${definitionsPath}/${plural}.${group}`,
        patch(round),
        "application/merge-patch+json",
      ),
  };
}

async function create(target: CraftTarget, plural: string): Promise<void> {
  const schemas = large[plural]?.() ?? [];
  await make(target, definitionsPath, definition({ plural, schemas }));
}

/** A small document of a large kind: the schema is compiled for it. */
function first(plural: string): Crafted {
  const path = `/apis/${group}/v1/namespaces/{ns}/${plural}`;
  return {
    name: `first-of-${plural}`,
    prepare: (target) => create(target, plural),
    send: (target, round) =>
      send(target, "POST", path, {
        apiVersion: `${group}/v1`,
        kind: kindOf(plural),
        metadata: { name: `first-${round}` },
      }),
  };
}

export const definitionRequests: readonly Crafted[] = [
  ...Object.entries(large).map(([plural, schemas]) => created({ plural, schemas: schemas() })),
  ...others.map(created),
  ...Object.keys(large).map(first),
  changed("relabelled", "wides", (round) => ({ metadata: { labels: { round: `r${round}` } } })),
  changed("renamed-column", "objectives", (round) => ({
    spec: { names: { shortNames: [`o${round}`] } },
  })),
  {
    name: "definition-replaced-schema",
    prepare: (target) => create(target, "wides"),
    send: async (target, round) => {
      const path = `${definitionsPath}/wides.${group}`;
      const { body } = await target.ask(path);
      const found = JSON.parse(body.toString()) as { spec: { versions: object[] } };
      const schema = specSchema(objectSchema(numbered(39_000, `g${round}_`, () => text)));
      found.spec.versions = [{ ...found.spec.versions[0], schema: { openAPIV3Schema: schema } }];
      return await send(target, "PUT", path, found);
    },
  },
  { name: "openapi-v2", prepare: (target) => create(target, "wides"), send: get("/openapi/v2") },
  {
    name: "openapi-v3-of-wides",
    prepare: (target) => create(target, "wides"),
    send: get(`/openapi/v3/apis/${group}/v1`),
  },
  {
    name: "openapi-v3-protobuf",
    prepare: (target) => create(target, "wides"),
    send: get(
      `/openapi/v3/apis/${group}/v1`,
      "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
    ),
  },
  {
    name: "openapi-v2-protobuf",
    prepare: (target) => create(target, "wides"),
    send: get("/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"),
  },
  {
    name: "definitions-as-table",
    send: get(definitionsPath, "application/json;as=Table;g=meta.k8s.io;v=v1"),
  },
  { name: "definitions-listed", send: get(definitionsPath) },
];
