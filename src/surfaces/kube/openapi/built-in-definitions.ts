// The definitions of built-in types, each under the name that Kubernetes gives it and referring to
// others by name. They are read from the same tables as the protobuf encoding, so that what is
// documented is what is accepted.

import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { allMessages, messageOf } from "../../../intents/builtin/catalogue.ts";
import type { Message, Scalar, Shape } from "../../../intents/builtin/message.ts";
import { apiVersionText, kindText } from "./type-texts.ts";
import { metaPrefix, reference } from "./reference.ts";

export type Definitions = ReadonlyMap<string, JsonObject>;

/** The name of a built-in type, as in "io.k8s.api.core.v1.ConfigMap". */
export function builtInName(apiVersion: string, kind: string): string | undefined {
  return messageOf(apiVersion, kind)?.name;
}

/** All definitions; made at the first call, and the same for the life of the process. */
export function builtInDefinitions(): Definitions {
  made ??= allDefinitions();
  return made;
}

let made: Definitions | undefined;

function allDefinitions(): Definitions {
  const found = new Map<string, JsonObject>(Object.entries(plainDefinitions));
  const roots = rootKinds();
  for (const { message } of roots.values()) addDefinition(found, message, roots);
  return found;
}

interface Root {
  readonly message: Message;
  readonly kinds: JsonObject[];
}

/** Types that are documents of their own, with every group, version and kind they stand for. */
function rootKinds(): ReadonlyMap<string, Root> {
  const roots = new Map<string, Root>();
  const add = (apiVersion: string, kind: string, message: Message): void => {
    const root = roots.get(message.name) ?? { message, kinds: [] };
    roots.set(message.name, root);
    const [first = "", second] = apiVersion.split("/");
    const [group, version] = second === undefined ? ["", first] : [first, second];
    root.kinds.push({ group, kind, version });
  };
  for (const { apiVersion, kind, message } of allMessages()) {
    if (kind !== "Status" || apiVersion === "v1") add(apiVersion, kind, message);
  }
  const versions = new Set(allMessages().map(({ apiVersion }) => apiVersion));
  for (const apiVersion of versions) {
    const message = messageOf(apiVersion, "DeleteOptions");
    if (message !== undefined) add(apiVersion, "DeleteOptions", message);
  }
  return roots;
}

function addDefinition(
  found: Map<string, JsonObject>,
  message: Message,
  roots: ReadonlyMap<string, Root>,
): void {
  if (found.has(message.name)) return;
  const schema: MutableJsonObject = { description: message.description, type: "object" };
  found.set(message.name, schema);
  const root = roots.get(message.name);
  const properties: MutableJsonObject = root === undefined ? {} : { ...typeProperties };
  const required: string[] = [];
  const inner: Message[] = [];
  collectFields(message, { properties, required, inner });
  if (Object.keys(properties).length > 0) schema["properties"] = properties;
  if (required.length > 0) schema["required"] = required;
  Object.assign(schema, message.keywords);
  if (root !== undefined) {
    schema["x-kubernetes-group-version-kind"] = root.kinds.toSorted(byGroupAndVersion);
  }
  for (const other of inner) addDefinition(found, other, roots);
}

function byGroupAndVersion(a: JsonObject, b: JsonObject): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}

const typeProperties: JsonObject = {
  apiVersion: { description: apiVersionText, type: "string" },
  kind: { description: kindText, type: "string" },
};

interface Fields {
  readonly properties: MutableJsonObject;
  readonly required: string[];
  /** Messages referred to. */
  readonly inner: Message[];
}

function collectFields(message: Message, into: Fields): void {
  for (const [name, { shape, description, isInline }] of message.fields) {
    if (isInline && shape.type.kind === "message") {
      collectFields(shape.type.message(), into);
      continue;
    }
    const beside = description === "" ? {} : { description };
    const isZeroed = shape.isRequired || shape.isAlways;
    setOwn(into.properties, name, shapeSchema(shape, beside, { inner: into.inner, isZeroed }));
    if (shape.isRequired) into.required.push(name);
  }
}

interface Place {
  readonly inner: Message[];
  /** What is always written has a zero value by default; what may be left out has none. */
  readonly isZeroed: boolean;
}

function shapeSchema(shape: Shape, beside: JsonObject, place: Place): JsonObject {
  const { type, keywords, isPointer } = shape;
  const { inner, isZeroed } = place;
  const extra = { ...beside, ...keywords };
  switch (type.kind) {
    case "scalar": {
      const zero = isZeroed && !isPointer ? zeros[type.scalar] : undefined;
      return scalarSchema(type.scalar, zero === undefined ? extra : { ...extra, default: zero });
    }
    case "message":
      inner.push(type.message());
      return reference(type.message().name, isPointer ? extra : { ...extra, default: {} });
    case "list": {
      const items = shapeSchema(type.of, {}, { inner, isZeroed: true });
      return { ...extra, items, type: "array" };
    }
    case "map": {
      const values = shapeSchema(type.of, {}, { inner, isZeroed: true });
      return { ...extra, additionalProperties: values, type: "object" };
    }
    case "schemaOr":
      inner.push(type.message());
      return reference(schemaOrNames[type.other], extra);
    default:
      return type satisfies never;
  }
}

const zeros: Readonly<Partial<Record<Scalar, Json>>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

const extensionsPrefix = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const schemaOrNames = {
  bool: `${extensionsPrefix}.JSONSchemaPropsOrBool`,
  schemas: `${extensionsPrefix}.JSONSchemaPropsOrArray`,
  texts: `${extensionsPrefix}.JSONSchemaPropsOrStringArray`,
} as const;
const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const intOrStringName = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
const jsonName = `${extensionsPrefix}.JSON`;
const rawExtensionName = "io.k8s.apimachinery.pkg.runtime.RawExtension";

function scalarSchema(scalar: Scalar, beside: JsonObject): JsonObject {
  const known = scalars[scalar];
  return typeof known === "string" ? reference(known, beside) : { ...beside, ...known };
}

/** A name stands for a definition of its own. */
const scalars: Readonly<Record<Scalar, JsonObject | string>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { format: "int32", type: "integer" },
  int64: { format: "int64", type: "integer" },
  double: { format: "double", type: "number" },
  bytes: { format: "byte", type: "string" },
  time: `${metaPrefix}.Time`,
  microTime: `${metaPrefix}.MicroTime`,
  quantity: quantityName,
  intOrString: intOrStringName,
  json: jsonName,
  fieldsV1: `${metaPrefix}.FieldsV1`,
  rawExtension: rawExtensionName,
  texts: { items: { type: "string" }, type: "array" },
};

const plainDefinitions: Readonly<Record<string, JsonObject>> = {
  [`${metaPrefix}.Time`]: {
    description: "A time in RFC 3339, in seconds.",
    format: "date-time",
    type: "string",
  },
  [`${metaPrefix}.MicroTime`]: {
    description: "A time in RFC 3339, in microseconds.",
    format: "date-time",
    type: "string",
  },
  [`${metaPrefix}.FieldsV1`]: {
    description: "A set of fields: a tree whose keys are parts of paths.",
    type: "object",
  },
  [`${metaPrefix}.Patch`]: {
    description: "The body of a patch, in the format that the content type names.",
    type: "object",
  },
  [quantityName]: {
    description: 'A quantity with a unit, such as "500m" or "2Gi".',
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  [intOrStringName]: {
    description: "An integer or a string.",
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  [schemaOrNames.bool]: {
    description: "A JSON schema, or a boolean: whether any value is allowed.",
  },
  [schemaOrNames.schemas]: { description: "A JSON schema, or a list of them." },
  [schemaOrNames.texts]: { description: "A JSON schema, or a list of names." },
  [jsonName]: { description: "Any JSON value." },
  [rawExtensionName]: { description: "An object of any kind.", type: "object" },
};
