// The body of a request: JSON within its limit, checked against the schema of its route. Unknown
// fields and fields that are given twice are problems, as a part of the request would be ignored.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textsAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { compileSchema } from "../../kernel/schema/compile.ts";
import { applyDefaults } from "../../kernel/schema/defaults.ts";
import { prune } from "../../kernel/schema/prune.ts";
import { validateValue } from "../../kernel/schema/validate.ts";
import { parseJson } from "../../kernel/strict-json.ts";
import { fieldProblem, invalidRequest } from "./field-problem.ts";
import type { FieldProblem } from "./field-problem.ts";

export type BodyReader = (bytes: Buffer, contentType: string | undefined) => JsonObject;

export function bodyReader(schema: JsonObject): BodyReader {
  const compiled = compileSchema({ type: "object", ...schema });
  const isOptional = textsAt(schema, "required").length === 0;
  return (bytes, contentType) => {
    if (bytes.length === 0 && isOptional) return applyDefaults(compiled, {});
    checkMediaType(contentType);
    if (bytes.length === 0) {
      throw invalidRequest([
        { field: "body", kind: "required", detail: "the request needs a JSON body" },
      ]);
    }
    const { value, duplicates } = parsed(bytes);
    if (!isJsonObject(value)) {
      throw invalidRequest([
        { field: "body", kind: "type", detail: "the body must be a JSON object" },
      ]);
    }
    const { unknown } = prune(compiled, value, { isRoot: false });
    const whole = applyDefaults(compiled, value);
    const problems: FieldProblem[] = [
      ...duplicates.map((detail) => ({ field: "body", kind: "duplicate" as const, detail })),
      ...unknown.map((path) => ({
        field: `body.${path}`,
        kind: "unknown" as const,
        detail: "unknown field",
      })),
      ...validateValue(compiled, whole).map((error) => fieldProblem(error, "body.")),
    ];
    if (problems.length > 0) throw invalidRequest(problems);
    return whole;
  };
}

/** The errors of the parser name no field. */
function parsed(bytes: Buffer): ReturnType<typeof parseJson> {
  try {
    return parseJson(bytes, { strict: true });
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    throw invalidRequest([{ field: "body", kind: "invalid", detail: error.message }]);
  }
}

export function bodyTooLarge(maxBytes: number = limits.maxRestBodyBytes): SetpointError {
  const message = `the body is larger than ${maxBytes} bytes`;
  return new SetpointError("request.too_large", message);
}

/** A missing type counts as JSON. */
function checkMediaType(contentType: string | undefined): void {
  const [type = ""] = (contentType ?? "application/json").split(";");
  if (type.trim().toLowerCase() === "application/json") return;
  throw new SetpointError("request.unsupported_media_type", "the body must be application/json", {
    details: { field: "Content-Type" },
    suggestion: "send the body as application/json",
  });
}
