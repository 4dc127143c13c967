// The query of a request, checked against the schema of its route. Texts become numbers and
// booleans where the schema asks for them, and defaults are added. All problems are reported at
// once, and an unknown parameter is a problem: a misspelled filter must not select everything.

import { getOwn, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { compileSchema } from "../../kernel/schema/compile.ts";
import { applyDefaults } from "../../kernel/schema/defaults.ts";
import { validateValue } from "../../kernel/schema/validate.ts";
import { fieldProblem, invalidRequest } from "./field-problem.ts";
import type { FieldProblem } from "./field-problem.ts";

export type QueryReader = (search: string) => JsonObject;

/** A route without a schema takes no parameters. */
export function queryReader(schema: JsonObject = {}): QueryReader {
  const compiled = compileSchema({ type: "object", ...schema });
  const properties = objectAt(schema, "properties");
  return (search) => {
    const problems: FieldProblem[] = [];
    const sent = sentParameters(search, properties, problems);
    const value = applyDefaults(compiled, sent);
    for (const error of validateValue(compiled, value)) {
      problems.push(fieldProblem(error, "query."));
    }
    if (problems.length > 0) throw invalidRequest(problems);
    return value;
  };
}

function sentParameters(
  search: string,
  properties: JsonObject,
  problems: FieldProblem[],
): JsonObject {
  const sent: MutableJsonObject = {};
  for (const [name, text] of new URLSearchParams(search)) {
    const field = `query.${name.slice(0, 100)}`;
    const schema = getOwn(properties, name);
    if (!isJsonObject(schema)) {
      const known = Object.keys(properties).join(", ");
      const which = known === "" ? "this path has none" : `known parameters are ${known}`;
      problems.push({ field, kind: "unknown", detail: `unknown parameter: ${which}` });
    } else if (Object.hasOwn(sent, name)) {
      problems.push({ field, kind: "duplicate", detail: "the parameter may be given once" });
    } else {
      const value = converted(textAt(schema, "type"), text);
      if (value === undefined) {
        problems.push({ field, kind: "type", detail: `must be of type ${textAt(schema, "type")}` });
      } else setOwn(sent, name, value);
    }
  }
  return sent;
}

function converted(type: string, text: string): Json | undefined {
  switch (type) {
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "integer":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case "number": {
      const number = text.trim() === "" ? Number.NaN : Number(text);
      return Number.isFinite(number) ? number : undefined;
    }
    default:
      return text;
  }
}
