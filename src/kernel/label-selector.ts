// The object form of a label selector, as it stands in specs: matchLabels and matchExpressions.
// It becomes the same requirements as the text form. An empty object selects everything.

import { SetpointError } from "./errors.ts";
import { requirement } from "./selector.ts";
import type { Requirement } from "./selector.ts";

export interface LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const operators: ReadonlyMap<string, Requirement["operator"]> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "absent"],
]);

export function requirementsOf(selector: LabelSelector): readonly Requirement[] {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchLabels).map(([key, value]) => requirement(key, "in", [value]));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const known = operators.get(operator);
    if (known !== undefined) return requirement(key, known, values);
    throw new SetpointError("request.invalid", "a label selector has an unknown operator", {
      details: { key, operator },
      suggestion: "use In, NotIn, Exists or DoesNotExist",
    });
  });
  return [...equal, ...expressions];
}
