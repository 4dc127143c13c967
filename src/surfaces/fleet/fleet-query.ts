// The query of a request. Only its names are checked here: a misspelled parameter must not select
// everything. Handlers read the values.

import type { FleetQuery, FleetRoute } from "../../modules/fleet/api/fleet-route.ts";
import { getOwn } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { invalidRequest } from "../rest/field-problem.ts";
import type { FieldProblem } from "../rest/field-problem.ts";

/** Throws request.invalid. */
export function readQuery({ query = {} }: Pick<FleetRoute, "query">, search: string): FleetQuery {
  const known = objectAt(query, "properties");
  const sent = new Map<string, string[]>();
  const problems: FieldProblem[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    const field = `query.${name.slice(0, 100)}`;
    const schema = getOwn(known, name);
    const before = sent.get(name);
    if (schema === undefined) {
      const names = Object.keys(known).join(", ");
      const detail = names === "" ? "this path has none" : `known parameters are ${names}`;
      problems.push({ field, kind: "unknown", detail: `unknown parameter: ${detail}` });
    } else if (before !== undefined && textAt(schema, "type") !== "array") {
      problems.push({ field, kind: "duplicate", detail: "the parameter may be given once" });
    } else sent.set(name, [...(before ?? []), value]);
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return {
    get: (name) => sent.get(name)?.[0],
    all: (name) => sent.get(name) ?? [],
  };
}
