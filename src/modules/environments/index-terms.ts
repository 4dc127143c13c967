// The index terms of the kinds of this module: dependants of an EnvironmentResource, and the
// resources that use a Template, are found without a scan.

import { textAt, textsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { FieldEntry } from "../../kernel/terms.ts";
import { dependencyTerm, environmentsVersion, templateTerm } from "./names.ts";

const noTerms: readonly FieldEntry[] = [];

export function environmentTerms(resource: Resource): readonly FieldEntry[] {
  const { apiVersion, kind, spec, status } = resource;
  if (apiVersion !== environmentsVersion) return noTerms;
  if (kind === "Environment") {
    return textsAt(spec, "templates").map((value) => ({ path: templateTerm, value }));
  }
  if (kind !== "EnvironmentResource") return noTerms;
  // Until a changed document is applied, the resource also depends on what it depended on before.
  const names = new Set([...textsAt(spec, "dependsOn"), ...textsAt(status, "dependsOn")]);
  const dependencies = [...names].map((value) => ({ path: dependencyTerm, value }));
  return [...dependencies, { path: templateTerm, value: textAt(spec, "template") }];
}
