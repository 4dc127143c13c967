// `npm run docs`: writes src/client/rest-api.ts from the OpenAPI document of the REST API, which is
// built from the routes. So the client, the console and the program cannot disagree.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { getOwn } from "../../src/kernel/json.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openApiDocument } from "../../src/surfaces/rest/openapi.ts";
import { restApi } from "../../src/surfaces/rest/rest-api.ts";
import { allRoutes } from "../rest-doc.ts";
import { root } from "../stages.ts";
import { TypeNames, capital, comment } from "./type-text.ts";

export const clientTypes = "src/client/rest-api.ts";

const head = `// Written by \`npm run docs\` from the OpenAPI document of the REST API. Do not edit.

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
`;

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly document: JsonObject;
}

export async function renderClientTypes(): Promise<string> {
  const document = openApiDocument(await allRoutes(), restApi(""));
  const operations = operationsOf(document);
  const names = new TypeNames();
  for (const each of operations) {
    names.count(answerOf(each).schema);
    names.count(bodyOf(each));
  }
  for (const each of operations) {
    const { schema } = answerOf(each);
    const body = bodyOf(each);
    if (schema !== undefined) names.reserve(schema, `${capital(each.name)}Answer`);
    if (body !== undefined) names.reserve(body, `${capital(each.name)}Body`);
  }
  names.named(objectAt(document, "components", "schemas", "Problem"), "Problem");
  const entries = operations.map((each) => entryOf(each, names));
  const types = [...names.texts].map(([name, text]) => `export interface ${name} ${text}\n`);
  const table = operations.map(
    (each) => `  ${each.name}: ${quoted({ method: each.method, path: each.path }, each)},`,
  );
  return [
    head,
    ...types,
    `/** By the operationId of the OpenAPI document. */\nexport interface Operations {`,
    ...entries,
    "}\n",
    "/** Where each operation is. */\nexport const operations = {",
    ...table,
    "} as const;\n",
  ]
    .join("\n")
    .replaceAll(/ +$/gm, "");
}

/** Methods of WebDAV, for Terraform alone, are extensions of the document and left out. */
function operationsOf(document: JsonObject): readonly Operation[] {
  const paths = objectAt(document, "paths");
  return Object.keys(paths).flatMap((path) =>
    Object.entries(objectAt(paths, path)).flatMap(([method]) => {
      const operation = objectAt(paths, path, method);
      if (method.startsWith("x-")) return [];
      const name = textAt(operation, "operationId");
      return [{ name, method: method.toUpperCase(), path, document: operation }];
    }),
  );
}

function entryOf(operation: Operation, names: TypeNames): string {
  const { name, document } = operation;
  const { schema, isStream } = answerOf(operation);
  const body = bodyOf(operation);
  const answerType = schema && names.named(schema, `${capital(name)}Answer`);
  const bodyType = body && names.named(body, `${capital(name)}Body`);
  const lines = [
    ...comment(textAt(document, "summary"), "  "),
    `  readonly ${name}: {`,
    `    readonly path: ${parametersIn(document, "path", names)};`,
    `    readonly query: ${parametersIn(document, "query", names)};`,
    `    readonly body: ${bodyType};`,
    `    readonly answer: ${answerType};`,
    `    readonly isStream: ${isStream};`,
    "  };",
  ];
  return lines.join("\n");
}

function parametersIn(document: JsonObject, place: string, names: TypeNames): string {
  const found = objectsAt(document, "parameters").filter((each) => textAt(each, "in") === place);
  if (found.length === 0) return "undefined";
  const fields = found.flatMap((each) => {
    const key = textAt(each, "name");
    const mark = each["required"] === true ? "" : "?";
    const type = names.text(getOwn(each, "schema"), "", "      ");
    const value = mark === "" ? type : `${type} | undefined`;
    const field = /^\w+$/.test(key) ? key : JSON.stringify(key);
    const about = comment(textAt(each, "description"), "      ");
    return about.concat(`      readonly ${field}${mark}: ${value};`);
  });
  return ["{", ...fields, "    }"].join("\n");
}

interface Answer {
  readonly schema: JsonObject | undefined;
  readonly isStream: boolean;
}

/** Of the first status that is not an error. */
function answerOf({ document }: Operation): Answer {
  const responses = objectAt(document, "responses");
  const status = Object.keys(responses).find((each) => each.startsWith("2")) ?? "";
  const content = objectAt(responses, status, "content");
  const [mediaType = ""] = Object.keys(content);
  const schema = getOwn(objectAt(content, mediaType), "schema");
  const isObject = typeof schema === "object" && schema !== null && !Array.isArray(schema);
  return {
    schema: isObject ? (schema as JsonObject) : undefined,
    isStream: mediaType === "application/x-ndjson",
  };
}

function bodyOf({ document }: Operation): JsonObject | undefined {
  const schema = objectAt(document, "requestBody", "content", "application/json", "schema");
  return Object.keys(schema).length === 0 ? undefined : schema;
}

function quoted(entry: Readonly<Record<string, string>>, { name }: Operation): string {
  const fields = Object.entries(entry).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const line = `{ ${fields.join(", ")} }`;
  if (line.length + name.length < 95) return line;
  return `{\n${fields.map((field) => `    ${field},\n`).join("")}  }`;
}

if (import.meta.main) writeFileSync(join(root, clientTypes), await renderClientTypes());
