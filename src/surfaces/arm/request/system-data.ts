// Who made and who last changed a resource, and when. The resource manager tells it in a header; of
// others we know it ourselves. What a client writes about it in a body counts for nothing.

import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { ArmRequest } from "./arm-request.ts";

const header = "x-ms-arm-resource-system-data";
const maxChars = 4_096;

export function systemDataOf(
  request: ArmRequest,
  before: JsonObject | undefined,
  nowMs: number,
): JsonObject {
  const at = new Date(nowMs).toISOString();
  const told = request.isManager ? toldBy(request) : undefined;
  const by = textAt(told, "lastModifiedBy") || textAt(told, "createdBy") || request.user.name;
  const type = textAt(told, "lastModifiedByType") || textAt(told, "createdByType") || typeOf(by);
  const modified = {
    lastModifiedBy: by,
    lastModifiedByType: type,
    lastModifiedAt: timeOf(told, "lastModifiedAt") ?? at,
  };
  if (before !== undefined) return { ...before, ...modified };
  return {
    createdBy: textAt(told, "createdBy") || by,
    createdByType: textAt(told, "createdByType") || type,
    createdAt: timeOf(told, "createdAt") ?? at,
    ...modified,
  };
}

function toldBy({ exchange }: ArmRequest): JsonObject | undefined {
  const text = exchange.headers[header];
  if (typeof text !== "string" || text.length > maxChars) return undefined;
  try {
    const value = parseExact(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function timeOf(told: JsonObject | undefined, key: string): string | undefined {
  const text = textAt(told, key);
  return text !== "" && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** Programs have accounts of their own. */
function typeOf(name: string): string {
  return name.startsWith("system:") ? "Application" : "User";
}
