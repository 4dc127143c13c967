// An operation as a command to paste, and a command of the message bus as a message.

import { fieldsOf, resolved } from "./schema.ts";
import type { ApiDocument, Operation } from "./document.ts";
import type { JsonRecord, JsonValue } from "../../api/types.ts";
import { itemsOf } from "./json.ts";

/** `{name}` becomes NAME, as in other commands of the documentation. */
export function curlCommand(
  origin: string,
  { method, path, parameters, bodies }: Operation,
): string {
  const needed = parameters.filter(({ place, isRequired }) => place === "query" && isRequired);
  const query = needed.map(({ name }) => `${name}=${placeholder(name)}`).join("&");
  const url = path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => placeholder(name));
  const [body] = bodies;
  return [
    `curl --cacert ca.crt --header "authorization: Bearer $TOKEN"`,
    ...(method === "GET" ? [] : [`--request ${method}`]),
    ...(body === undefined ? [] : [`--header "content-type: ${body.type}" --data @body.json`]),
    `"${origin}${url}${query === "" ? "" : `?${query}`}"`,
  ].join(" \\\n  ");
}

function placeholder(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, "_").toUpperCase();
}

/** The body of a message with the fields that the command needs. */
export function commandMessage({ root }: ApiDocument, operation: Operation): string {
  const { parameters, bodies } = operation;
  const inPlace = (place: string) =>
    parameters.filter((each) => each.place === place && (place === "path" || each.isRequired));
  const [body] = bodies;
  const data = body === undefined ? undefined : exampleOf(root, body.schema);
  const message = {
    ...partOf(
      "path",
      inPlace("path").map(({ name }) => [name, placeholder(name)] as const),
    ),
    ...partOf(
      "query",
      inPlace("query").map(({ name }) => [name, placeholder(name)] as const),
    ),
    ...(data === undefined ? {} : { data }),
  };
  return JSON.stringify(message, undefined, 2);
}

function partOf(name: string, entries: readonly (readonly [string, string])[]): JsonRecord {
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}

const mostDepth = 4;

/** The fields that are required, with a value of their type. */
function exampleOf(root: JsonRecord, schema: JsonRecord, depth = 0): JsonValue {
  const found = resolved(root, schema);
  const [first] = itemsOf(found["enum"]);
  if (found["default"] !== undefined) return found["default"];
  if (first !== undefined) return first;
  switch (found["type"]) {
    case "string":
      return "TEXT";
    case "integer":
    case "number":
      return typeof found["minimum"] === "number" ? found["minimum"] : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    default: {
      const needed = fieldsOf(root, found).filter(({ isRequired }) => isRequired);
      if (depth >= mostDepth) return {};
      return Object.fromEntries(
        needed.map(({ name, schema: field }) => [name, exampleOf(root, field, depth + 1)]),
      );
    }
  }
}
