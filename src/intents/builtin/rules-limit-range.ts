// Limits: every minimum below its maximum, every default between them, and ratios that can be met.

import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, objectAt, textAt } from "../../kernel/json-read.ts";
import { labelKeyProblems } from "../../kernel/labels.ts";
import type { Quantity } from "../../kernel/quantity.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withEach, withField, withInner } from "./parts.ts";
import {
  containerNameErrors,
  mayOvercommit,
  normalQuantities,
  quantitiesOf,
  resourceNameErrors,
} from "./resource-names.ts";
import type { KindRules } from "./rules.ts";
import { invalidEach } from "./syntax-checks.ts";

const types = new Set(["Pod", "Container", "PersistentVolumeClaim"]);
const maps = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

type Amounts = Readonly<Record<(typeof maps)[number], ReadonlyMap<string, Quantity>>>;

export const limitRangeRules: KindRules = {
  allowsCreateOnUpdate: true,
  defaulting: (range) => withInner(range, "spec", (spec) => withEach(spec, "limits", defaulted)),
  validateCreate: limitRangeErrors,
  validateUpdate: limitRangeErrors,
};

function defaulted(item: JsonObject): JsonObject {
  let result = item;
  for (const name of maps) {
    result = withInner(result, name, (map) => normalQuantities("LimitRange", map));
  }
  if (textAt(item, "type") !== "Container") return result;
  const limit = { ...objectAt(result, "max"), ...objectAt(result, "default") };
  const request = {
    ...objectAt(result, "min"),
    ...limit,
    ...objectAt(result, "defaultRequest"),
  };
  return withMap(withMap(result, "default", limit), "defaultRequest", request);
}

function withMap(item: JsonObject, key: string, map: JsonObject): JsonObject {
  return Object.keys(map).length === 0 ? item : withField(item, key, map);
}

function limitRangeErrors(range: Resource): readonly FieldError[] {
  const seen = new Set<string>();
  return listAt(range, "spec", "limits").flatMap((item, index) => {
    const field = `spec.limits[${index}]`;
    const type = textAt(item, "type");
    const again = seen.has(type) ? [duplicateField(`${field}.type`, type)] : [];
    seen.add(type);
    return typeErrors(type, `${field}.type`).concat(again, itemErrors(item, type, field));
  });
}

function typeErrors(type: string, field: string): readonly FieldError[] {
  const syntax = invalidEach(field, type, labelKeyProblems(type));
  if (syntax.length > 0 || type.includes("/") || types.has(type)) return syntax;
  return [invalidField(field, type, "must be a standard limit type or fully qualified")];
}

function itemErrors(item: Json, type: string, field: string): readonly FieldError[] {
  const nameErrors =
    type === "Pod" || type === "Container" ? containerNameErrors : resourceNameErrors;
  const isPod = type === "Pod";
  const errors: FieldError[] = [];
  for (const map of maps) {
    const names = Object.keys(objectAt(item, map));
    if (isPod && (map === "default" || map === "defaultRequest")) {
      if (names.length === 0) continue;
      const detail = "may not be specified when `type` is 'Pod'";
      errors.push(forbiddenField(`${field}.${map}`, detail));
    } else for (const name of names) errors.push(...nameErrors(name, `${field}.${map}[${name}]`));
  }
  if (type === "PersistentVolumeClaim") {
    const hasStorage = ["min", "max"].some((map) => Object.hasOwn(objectAt(item, map), "storage"));
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    if (!hasStorage) errors.push(requiredField(`${field}.limits`, detail));
  }
  const amounts = amountsOf(item, isPod);
  const names = new Set(maps.flatMap((map) => Array.from(amounts[map].keys())));
  return [...errors, ...[...names].flatMap((name) => orderErrors(amounts, name, field))];
}

function amountsOf(item: Json, isPod: boolean): Amounts {
  const read = (map: string): ReadonlyMap<string, Quantity> => quantitiesOf(objectAt(item, map));
  const none = new Map<string, Quantity>();
  return {
    max: read("max"),
    min: read("min"),
    default: isPod ? none : read("default"),
    defaultRequest: isPod ? none : read("defaultRequest"),
    maxLimitRequestRatio: read("maxLimitRequestRatio"),
  };
}

function orderErrors(amounts: Amounts, name: string, field: string): readonly FieldError[] {
  const [min, max] = [amounts.min.get(name), amounts.max.get(name)];
  const [limit, request] = [amounts.default.get(name), amounts.defaultRequest.get(name)];
  const errors: FieldError[] = [];
  const order = (
    low: Quantity | undefined,
    high: Quantity | undefined,
    blamed: [map: string, value: Quantity | undefined],
    [lowName, highName]: readonly [string, string],
  ): void => {
    if (low === undefined || high === undefined || low.nanos <= high.nanos) return;
    const detail = `${lowName} value ${low.text} is greater than ${highName} value ${high.text}`;
    const [map, value] = blamed;
    errors.push(invalidField(`${field}.${map}[${name}]`, value?.text, detail));
  };
  order(min, max, ["min", min], ["min", "max"]);
  order(min, request, ["defaultRequest", request], ["min", "default request"]);
  order(request, max, ["defaultRequest", request], ["default request", "max"]);
  order(request, limit, ["defaultRequest", request], ["default request", "default limit"]);
  order(min, limit, ["default", min], ["min", "default"]);
  order(limit, max, ["default", max], ["default", "max"]);
  errors.push(...ratioErrors(amounts, name, field));
  if (limit !== undefined && request !== undefined && !mayOvercommit(name)) {
    if (limit.nanos === request.nanos) return errors;
    const detail = `default value ${limit.text} must equal to defaultRequest value ${request.text}`;
    const at = `${field}.defaultRequest[${name}]`;
    errors.push(invalidField(at, request.text, `${detail} in ${name}`));
  }
  return errors;
}

function ratioErrors(amounts: Amounts, name: string, path: string): readonly FieldError[] {
  const ratio = amounts.maxLimitRequestRatio.get(name);
  if (ratio === undefined) return [];
  const field = `${path}.maxLimitRequestRatio[${name}]`;
  const errors: FieldError[] = [];
  if (ratio.nanos < 1_000_000_000n) {
    errors.push(invalidField(field, ratio.text, `ratio ${ratio.text} is less than 1`));
  }
  const [min, max] = [amounts.min.get(name), amounts.max.get(name)];
  if (min === undefined || max === undefined) return errors;
  const most = Number(max.nanos) / Number(min.nanos);
  if (Number(ratio.nanos) / 1e9 > most) {
    const detail = `ratio ${ratio.text} is greater than max/min = ${most.toFixed(6)}`;
    errors.push(invalidField(field, ratio.text, detail));
  }
  return errors;
}
