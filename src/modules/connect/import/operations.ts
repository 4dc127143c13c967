// The operations of a document, the same for Swagger 2.0 and OpenAPI 3: what each takes, in which
// media type, and what it answers. Paths with a query in them are variants of the path without it
// (some documents write them so, others list them in x-ms-paths). Nothing of a schema is looked at
// here.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../../kernel/json.ts";
import { isTrueAt, presentObjectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Documents } from "../document/load.ts";
import { below, follow, keyOf, objectOf, rootOf, rootsOf, textOf } from "../document/place.ts";
import type { Layers, Place } from "../document/place.ts";
import { partsOfPath } from "./paths.ts";
import type { PathParts } from "./paths.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export type Method = "get" | "put" | "post" | "patch" | "delete" | "head";

export interface ServiceOperation {
  readonly method: Method;
  readonly path: PathParts;
  /** Fixed by the path: `?recursion=1`. */
  readonly query: Readonly<Record<string, string>>;
  readonly parameters: readonly Parameter[];
  readonly body?: Content;
  readonly answers: readonly Answer[];
  readonly isLongRunning: boolean;
  /** x-ms-pageable. */
  readonly pageable?: JsonObject;
  readonly examples: readonly Place[];
  readonly description: string;
  readonly operationId: string;
  /** Of its document: what services call api-version. */
  readonly version: string;
  readonly place: Place;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly isRequired: boolean;
  readonly values: readonly Json[];
  readonly default?: Json;
}

export interface Content {
  /** The one that suits us best. */
  readonly mediaType: string;
  readonly mediaTypes: readonly string[];
  readonly schema?: Place;
  readonly examples: readonly Json[];
}

export interface Answer {
  readonly status: string;
  readonly schema?: Place;
  /** In lower case. */
  readonly headers: readonly string[];
  readonly examples: readonly Json[];
}

export function operationsOf(documents: Documents): readonly ServiceOperation[] {
  return rootsOf(documents).flatMap((root) =>
    ["paths", "x-ms-paths"].flatMap((key) => {
      const paths = below(root, key);
      if (paths === undefined) return [];
      return Object.keys(objectOf(paths)).flatMap((text) => {
        const place = text.startsWith("/") ? below(paths, text) : undefined;
        if (place === undefined) return [];
        return operationsAt({ documents, root }, text, follow(documents, place));
      });
    }),
  );
}

/** The document that an operation stands in, among all. */
interface Within {
  readonly documents: Documents;
  readonly root: Place;
}

/** Where the service says it is: the path that all its paths are below. */
export function basePathOf(documents: Documents): string {
  const { node } = rootOf(documents);
  const basePath = textAt(node, "basePath");
  if (basePath !== "") return withoutEndSlash(basePath);
  const servers = valueAt(node, "servers");
  const url = isJsonArray(servers) ? textAt(servers[0], "url") : "";
  try {
    return withoutEndSlash(new URL(url, "http://none").pathname);
  } catch {
    return "";
  }
}

function withoutEndSlash(path: string): string {
  return withoutTrailing(path, "/");
}

const methods: readonly Method[] = ["get", "put", "post", "patch", "delete", "head"];

function operationsAt(
  { documents, root }: Within,
  text: string,
  item: Layers,
): readonly ServiceOperation[] {
  const [path = "", query = ""] = text.split("?");
  const shared = parameterPlaces(documents, keyOf(item, "parameters"));
  return methods.flatMap((method) => {
    const given = keyOf(item, method);
    // Documents in many files have each operation in a file of its own.
    const place = given === undefined ? undefined : follow(documents, given).layers.at(-1);
    if (place === undefined || !isJsonObject(place.node)) return [];
    const own = parameterPlaces(documents, below(place, "parameters"));
    const parameters = [...own, ...shared];
    const body = bodyOf({ documents, root }, place, parameters);
    const pageable = presentObjectAt(place.node, "x-ms-pageable");
    return [
      {
        method,
        path: partsOfPath(path),
        query: Object.fromEntries(new URLSearchParams(query)),
        parameters: namedParameters(parameters),
        ...(body === undefined ? {} : { body }),
        answers: answersOf(documents, place),
        isLongRunning: isTrueAt(place.node, "x-ms-long-running-operation"),
        ...(pageable === undefined ? {} : { pageable }),
        examples: examplesOf(documents, place),
        description: [textAt(place.node, "summary"), textAt(place.node, "description")].join("\n"),
        operationId: textAt(place.node, "operationId"),
        version: textAt(root.node, "info", "version"),
        place,
      },
    ];
  });
}

function parameterPlaces(documents: Documents, list: Place | undefined): readonly Layers[] {
  if (list === undefined || !isJsonArray(list.node)) return [];
  return list.node.flatMap((_, index) => {
    const place = below(list, String(index));
    return place === undefined ? [] : [follow(documents, place)];
  });
}

/** Parameters of an operation come before those of its path, and win. */
function namedParameters(all: readonly Layers[]): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  for (const parameter of all) {
    const name = textOf(parameter, "name");
    const where = textOf(parameter, "in");
    const key = `${where} ${name}`;
    if (name === "" || where === "body" || found.has(key)) continue;
    const schema = keyOf(parameter, "schema")?.node;
    const value = keyOf(parameter, "default")?.node ?? valueAt(schema, "default");
    const values = keyOf(parameter, "enum")?.node ?? valueAt(schema, "enum");
    found.set(key, {
      name,
      in: where,
      isRequired: where === "path" || keyOf(parameter, "required")?.node === true,
      values: isJsonArray(values) ? values : [],
      ...(value === undefined ? {} : { default: value }),
    });
  }
  return [...found.values()];
}

function bodyOf(
  { documents, root }: Within,
  operation: Place,
  parameters: readonly Layers[],
): Content | undefined {
  const old = parameters.find((parameter) => textOf(parameter, "in") === "body");
  if (old !== undefined) {
    const schema = keyOf(old, "schema");
    const given = textsAt(operation.node, "consumes");
    const all = given.length > 0 ? given : textsAt(root.node, "consumes");
    const mediaTypes = all.length > 0 ? all : ["application/json"];
    const mediaType = bestMediaType(mediaTypes);
    return { mediaType, mediaTypes, ...(schema === undefined ? {} : { schema }), examples: [] };
  }
  const form = formOf(operation, parameters);
  if (form !== undefined) return form;
  const place = below(operation, "requestBody");
  if (place === undefined) return undefined;
  return contentOf(keyOf(follow(documents, place), "content"));
}

const formMedia = "application/x-www-form-urlencoded";
const fieldKeys = ["type", "format", "items", "enum", "default", "description", "pattern"];

/** Swagger 2.0 names the fields of a form one by one; here they are one schema. */
function formOf(operation: Place, parameters: readonly Layers[]): Content | undefined {
  const fields = parameters.filter((parameter) => textOf(parameter, "in") === "formData");
  const properties: MutableJsonObject = {};
  const required: string[] = [];
  for (const field of fields) {
    const name = textOf(field, "name");
    if (name === "" || textOf(field, "type") === "file") continue;
    const said = fieldKeys.map((key) => [key, keyOf(field, key)?.node] as const);
    const schema = Object.fromEntries(said.filter(([, value]) => value !== undefined));
    setOwn(properties, name, schema as JsonObject);
    if (keyOf(field, "required")?.node === true) required.push(name);
  }
  if (Object.keys(properties).length === 0) return undefined;
  const node = { type: "object", properties, required };
  const schema = { ...operation, pointer: `${operation.pointer}/formData`, node };
  return { mediaType: formMedia, mediaTypes: [formMedia], schema, examples: [] };
}

function contentOf(content: Place | undefined): Content | undefined {
  if (content === undefined) return undefined;
  const mediaTypes = Object.keys(objectOf(content));
  if (mediaTypes.length === 0) return undefined;
  const mediaType = bestMediaType(mediaTypes);
  const schema = below(content, mediaType, "schema");
  const examples = examplesIn(below(content, mediaType)?.node);
  return { mediaType, mediaTypes, ...(schema === undefined ? {} : { schema }), examples };
}

const wanted = [
  /^application\/merge-patch\+json/,
  /^application\/json/,
  /^application\/json-patch\+json/,
  /\+json(?:$|;)/,
  /^\*\/\*/,
  /^application\/x-www-form-urlencoded/,
];

function bestMediaType(mediaTypes: readonly string[]): string {
  for (const pattern of wanted) {
    const found = mediaTypes.find((type) => pattern.test(type.toLowerCase()));
    if (found !== undefined) return found;
  }
  return mediaTypes[0] ?? "application/json";
}

export function isJsonMedia(mediaType: string): boolean {
  return /[/+]json|^\*\/\*/i.test(mediaType);
}

function answersOf(documents: Documents, operation: Place): readonly Answer[] {
  const responses = below(operation, "responses");
  if (responses === undefined) return [];
  return Object.keys(objectOf(responses)).flatMap((status) => {
    const place = below(responses, status);
    if (place === undefined || !isJsonObject(place.node)) return [];
    const response = follow(documents, place);
    const content = contentOf(keyOf(response, "content"));
    const schema = keyOf(response, "schema") ?? content?.schema;
    const headers = keyOf(response, "headers");
    const examples = keyOf(response, "examples")?.node;
    const old = isJsonObject(examples) ? Object.values(examples) : [];
    return [
      {
        status,
        ...(schema === undefined ? {} : { schema }),
        headers: headers === undefined ? [] : Object.keys(objectOf(headers)).map(lower),
        examples: [...old, ...(content?.examples ?? [])],
      },
    ];
  });
}

const lower = (text: string): string => text.toLowerCase();

/** OpenAPI 3: `example`, or `examples` by name with a value each. */
function examplesIn(media: Json | undefined): readonly Json[] {
  const one = valueAt(media, "example");
  const many = presentObjectAt(media, "examples") ?? {};
  const values = Object.values(many).map((example) => valueAt(example, "value"));
  return [one, ...values].filter((value) => value !== undefined);
}

/** Files of x-ms-examples that were read, or examples that stand there themselves. */
function examplesOf(documents: Documents, operation: Place): readonly Place[] {
  const holder = below(operation, "x-ms-examples");
  if (holder === undefined) return [];
  return Object.keys(objectOf(holder)).flatMap((name) => {
    const place = below(holder, name);
    const ref = isJsonObject(place?.node) ? getOwn(place.node, "$ref") : undefined;
    if (place === undefined) return [];
    if (typeof ref !== "string") return [place];
    const file = new URL(ref, place.file).href;
    const node = documents.files.get(file);
    return node === undefined ? [] : [{ file, pointer: "", node }];
  });
}
