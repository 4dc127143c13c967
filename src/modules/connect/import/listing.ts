// Where the objects are in the answer to a list, and how its next page is asked for. x-ms-pageable
// says it; elsewhere it is the list of objects among the fields of the answer, and the usual names
// of links, tokens and page numbers.

import type { Paging } from "../binding.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import type { SchemaNode } from "../document/tree.ts";
import type { ServiceOperation } from "./operations.ts";

/** Pointer of the list; undefined when there is none. `isObject`: it answers with one object. */
export function itemsOf(
  operation: ServiceOperation,
  answer: SchemaNode,
  isObject: boolean,
): string | undefined {
  if (answer.items !== undefined || answer.types.includes("array")) return "";
  const named = textAt(operation.pageable, "itemName");
  if (named !== "" && answer.properties.has(named)) return `/${escapeToken(named)}`;
  const lists = [...answer.properties.values()].filter(({ items }) => items !== undefined);
  const usual = ["value", "items", "data", "results", "metadata", "list"];
  const found =
    usual.flatMap((name) => lists.find((list) => list.name === name) ?? [])[0] ??
    lists.find((list) => (list.items?.properties.size ?? 0) > 0) ??
    lists[0];
  if (found !== undefined) return `/${escapeToken(found.name)}`;
  // Documents name the schema of one object, or none, for a list of them.
  return isObject || answer.properties.size === 0 ? "" : undefined;
}

export function pagingOf(operation: ServiceOperation, answer: SchemaNode): Paging | undefined {
  const { pageable } = operation;
  if (pageable !== undefined) {
    const next = textAt(pageable, "nextLinkName");
    if (valueAt(pageable, "nextLinkName") !== undefined && next !== "") {
      return { kind: "link", next: `/${next.split(".").map(escapeToken).join("/")}` };
    }
    if (Object.hasOwn(pageable, "nextLinkName")) return undefined;
  }
  return byFields(operation, answer) ?? byHeader(operation) ?? byNumber(operation);
}

const links = [
  "/nextLink",
  "/next_link",
  "/next",
  "/links/next",
  "/links/pages/next",
  "/_links/next",
];
const tokens = [
  "/nextPageToken",
  "/next_page_token",
  "/nextToken",
  "/next_token",
  "/continuationToken",
  "/cursor",
  "/metadata/continue",
  "/nextCursor",
];
const tokenParameters =
  /^(?:pageToken|page_token|nextToken|token|continue|cursor|continuationToken)$/i;

function byFields(operation: ServiceOperation, answer: SchemaNode): Paging | undefined {
  const parameter = operation.parameters.find(
    ({ in: where, name }) => where === "query" && tokenParameters.test(name),
  );
  const token = tokens.find((pointer) => hasText(answer, pointer));
  if (parameter !== undefined && token !== undefined) {
    return { kind: "token", token, parameter: parameter.name };
  }
  const next = links.find((pointer) => hasText(answer, pointer));
  return next === undefined ? undefined : { kind: "link", next };
}

function byHeader({ answers }: ServiceOperation): Paging | undefined {
  const isLinked = answers.some(
    ({ status, headers }) => status === "200" && headers.includes("link"),
  );
  return isLinked ? { kind: "header" } : undefined;
}

function byNumber({ parameters }: ServiceOperation): Paging | undefined {
  const page = parameters.find(({ in: where, name }) => where === "query" && /^page$/i.test(name));
  if (page === undefined) return undefined;
  return { kind: "number", parameter: page.name, first: page.default === 0 ? 0 : 1 };
}

function hasText(answer: SchemaNode, pointer: string): boolean {
  let at: SchemaNode | undefined = answer;
  for (const key of pointer.slice(1).split("/")) at = at?.properties.get(key);
  return at !== undefined && (at.types.length === 0 || at.types.includes("string"));
}
