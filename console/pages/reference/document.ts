// An API document of the server, OpenAPI 3 or Swagger 2, as operations that a page can show.

import { isRecord, itemsOf, recordAt, textAt } from "./json.ts";
import { resolved } from "./schema.ts";
import type { JsonRecord } from "../../api/types.ts";

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonRecord;
}

/** A body of a request or a response, in one format. */
export interface Body {
  readonly type: string;
  readonly schema: JsonRecord;
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly bodies: readonly Body[];
}

export interface Operation {
  /** "GET /api/v1/counts": unique in its document. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  /** Of the message bus, which performs the same. */
  readonly command?: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Body[];
  readonly answers: readonly Answer[];
}

export interface ApiDocument {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** For references. */
  readonly root: JsonRecord;
}

const methods = new Set([
  "get",
  "post",
  "put",
  "patch",
  "delete",
  "head",
  "options",
  "lock",
  "unlock",
]);

export function readApiDocument(root: JsonRecord): ApiDocument {
  const info = recordAt(root, "info");
  const paths = recordAt(root, "paths");
  const base = textAt(root, "basePath").replace(/\/$/, "") || serverPath(root);
  return {
    title: textAt(info, "title"),
    version: textAt(info, "version"),
    description: textAt(info, "description"),
    operations: Object.entries(paths).flatMap(([path, item]) =>
      isRecord(item) ? operationsOf(root, base + path, item) : [],
    ),
    root,
  };
}

/** Paths of a document are below the path of its first server. */
function serverPath(root: JsonRecord): string {
  const first = itemsOf(root["servers"])[0];
  const url = isRecord(first) ? textAt(first, "url") : "";
  const path = url.replace(/^https?:\/\/[^/]*/, "");
  return path.startsWith("/") ? path.replace(/\/$/, "") : "";
}

/** LOCK and UNLOCK are extensions, because OpenAPI does not have them. */
function operationsOf(root: JsonRecord, path: string, item: JsonRecord): readonly Operation[] {
  return Object.entries(item).flatMap(([key, operation]) => {
    const method = key.replace(/^x-(?=lock$|unlock$)/, "");
    if (!methods.has(method) || !isRecord(operation)) return [];
    return [operationOf(root, { path, method: method.toUpperCase(), item, operation })];
  });
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly item: JsonRecord;
  readonly operation: JsonRecord;
}

function operationOf(root: JsonRecord, { path, method, item, operation }: Found): Operation {
  const description = textAt(operation, "description");
  const summary = textAt(operation, "summary") || firstSentence(description);
  const given = [...itemsOf(item["parameters"]), ...itemsOf(operation["parameters"])]
    .filter(isRecord)
    .map((parameter) => resolved(root, parameter));
  const command = textAt(operation, "x-setpoint-command");
  const [tag] = itemsOf(operation["tags"]);
  // Documents of Kubernetes have one tag for all; their topics are the kinds.
  const kind = textAt(recordAt(operation, "x-kubernetes-group-version-kind"), "kind");
  return {
    id: `${method} ${path}`,
    method,
    path,
    tag: kind || (typeof tag === "string" ? tag : ""),
    summary,
    description: description === summary ? "" : description,
    isDeprecated: operation["deprecated"] === true,
    ...(command === "" ? {} : { command }),
    parameters: given.filter((each) => textAt(each, "in") !== "body").map(parameterOf),
    bodies: requestBodies(root, operation, given),
    answers: Object.entries(recordAt(operation, "responses")).flatMap(([status, answer]) =>
      isRecord(answer) ? [answerOf(root, operation, status, resolved(root, answer))] : [],
    ),
  };
}

function firstSentence(text: string): string {
  const sentence = /^[^.]*(?:\.(?!\s|$)[^.]*)*\.?/.exec(text)?.[0] ?? text;
  const trimmed = sentence.trim();
  return trimmed === "" ? "" : (trimmed[0] ?? "").toUpperCase() + trimmed.slice(1);
}

/** The schema of a parameter of Swagger 2 is the parameter itself. */
function parameterOf(parameter: JsonRecord): Parameter {
  const schema = recordAt(parameter, "schema");
  return {
    name: textAt(parameter, "name"),
    place: textAt(parameter, "in"),
    isRequired: parameter["required"] === true,
    description: textAt(parameter, "description"),
    schema: Object.keys(schema).length === 0 ? parameter : schema,
  };
}

function requestBodies(
  root: JsonRecord,
  operation: JsonRecord,
  parameters: readonly JsonRecord[],
): readonly Body[] {
  const body = recordAt(operation, "requestBody");
  const contents = bodiesOf(recordAt(resolved(root, body), "content"));
  const old = parameters.filter((parameter) => textAt(parameter, "in") === "body");
  const type = typeOf(root, operation, "consumes");
  return [
    ...contents,
    ...old.map((parameter) => ({ type, schema: recordAt(parameter, "schema") })),
  ];
}

function answerOf(
  root: JsonRecord,
  operation: JsonRecord,
  status: string,
  answer: JsonRecord,
): Answer {
  const type = typeOf(root, operation, "produces");
  const schema = answer["schema"];
  return {
    status,
    description: textAt(answer, "description"),
    bodies: [
      ...bodiesOf(recordAt(answer, "content")),
      ...(isRecord(schema) ? [{ type, schema }] : []),
    ],
  };
}

function bodiesOf(content: JsonRecord): readonly Body[] {
  return Object.entries(content).flatMap(([type, media]) =>
    isRecord(media) ? [{ type, schema: recordAt(media, "schema") }] : [],
  );
}

function typeOf(root: JsonRecord, operation: JsonRecord, name: string): string {
  const [type] = [...itemsOf(operation[name]), ...itemsOf(root[name])];
  return typeof type === "string" ? type : "application/json";
}
