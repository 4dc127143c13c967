// Answers of lists.

import type { DocumentAnswer } from "../../../contract/route.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";

export interface PageOf {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly items: readonly Json[];
}

/** The shown size is that of the largest page with this many items. */
export function pageDocument(kind: string, { page, size, total, items }: PageOf): JsonObject {
  return { kind, page, size: Math.min(size, total), total, items };
}

/** A list that is never longer than one page. */
export function wholeDocument(kind: string, items: readonly Json[]): JsonObject {
  return pageDocument(kind, { page: 1, size: items.length, total: items.length, items });
}

export function documentAnswer(document: JsonObject, status = 200): DocumentAnswer {
  return { kind: "document", status, document };
}
