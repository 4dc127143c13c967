// What a kind with a scale must keep to, whatever its schema says: the numbers of replicas are
// whole and not negative, the selector is a text. Wrong types are called by their names in Go. The
// detail of a wrong type quotes its value, so the error names the field of that value: it may have
// hidden fields inside.

import { goText, goType } from "../../kernel/go-text.ts";
import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { hiddenText } from "../../kernel/hidden-values.ts";
import { isNumber } from "../../kernel/int64.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import type { ScalePaths } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";

const maxInt32 = 2_147_483_647;

export function scaleErrors(
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
  resource: Resource,
  part: "all" | "status",
): readonly FieldError[] {
  return [
    ...(part === "all" ? replicasErrors(resource, specReplicasPath) : []),
    ...replicasErrors(resource, statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : selectorErrors(resource, labelSelectorPath)),
  ];
}

function replicasErrors(resource: Resource, path: string): readonly FieldError[] {
  const found = lookUp(resource, path);
  if (found.kind === "absent") return [];
  if (found.kind === "broken") return [{ ...invalidField(path, 0, ""), ...found.problem }];
  const { value } = found;
  if (!isNumber(value) || (typeof value === "number" && !Number.isInteger(value))) {
    return [{ ...invalidField(path, 0, ""), ...accessProblem(path, path, value, "int64") }];
  }
  if (value < 0) return [invalidField(path, value, "should be a non-negative integer")];
  if (value <= maxInt32) return [];
  return [invalidField(path, value, `should be less than or equal to ${maxInt32}`)];
}

function selectorErrors(resource: Resource, path: string): readonly FieldError[] {
  const found = lookUp(resource, path);
  if (found.kind === "absent") return [];
  if (found.kind === "broken") return [{ ...invalidField(path, "", ""), ...found.problem }];
  if (typeof found.value === "string") return [];
  return [{ ...invalidField(path, "", ""), ...accessProblem(path, path, found.value, "string") }];
}

type Problem = Required<Pick<FieldError, "detail" | "computed">>;

type Found =
  | { readonly kind: "absent" }
  | { readonly kind: "broken"; readonly problem: Problem }
  | { readonly kind: "found"; readonly value: Json };

function lookUp(resource: Resource, path: string): Found {
  let at: Json = resource;
  const names = path.replace(/^\./, "").split(".");
  for (const [index, name] of names.entries()) {
    if (at === null) return { kind: "absent" };
    if (!isJsonObject(at)) {
      const problem = accessProblem(
        names.slice(0, index + 1).join("."),
        names.slice(0, index).join("."),
        at,
        "map[string]interface{}",
      );
      return { kind: "broken", problem };
    }
    const next: Json | undefined = getOwn(at, name);
    if (next === undefined) return { kind: "absent" };
    at = next;
  }
  return { kind: "found", value: at };
}

/** Kubernetes names the field that it looked up; the value may be that of the field around it. */
function accessProblem(path: string, of: string, value: Json, wanted: string): Problem {
  const start = `${path.startsWith(".") ? path : `.${path}`} accessor error:`;
  const type = value === null ? "<nil>" : goType(value);
  return {
    detail: `${start} ${goText(value)} is of the type ${type}, expected ${wanted}`,
    computed: { of, plain: `${start} ${hiddenText} is of the wrong type, expected ${wanted}` },
  };
}
