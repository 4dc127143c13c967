// Names of the resources that quotas and limits are about, and the quantities given for them.

import { SetpointError } from "../../kernel/errors.ts";
import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { labelKeyProblems } from "../../kernel/labels.ts";
import { isQuantity, milliValue, parseQuantity, roundedToMilli } from "../../kernel/quantity.ts";
import type { Quantity } from "../../kernel/quantity.ts";
import { invalidEach } from "./syntax-checks.ts";

const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const compute = ["cpu", "memory", "ephemeral-storage"];
const quotaNames = new Set([
  ...counted,
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);
const countedNames = new Set(counted);
const containerNames = new Set(compute);

/** Quantities in a map, as text in their short form; throws as decoding would. */
export function normalQuantities(kind: string, given: JsonObject): JsonObject {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    const parsed = parseQuantity(quantityText(value));
    if (isQuantity(parsed)) setOwn(result, name, roundedToMilli(parsed).text);
    else {
      throw new SetpointError(
        "request.invalid",
        `${kind} in version "v1" cannot be handled as a ${kind}: ${parsed.problem}`,
        { details: { name } },
      );
    }
  }
  return result;
}

/** The quantities of a map that has been brought into normal form. */
export function quantitiesOf(map: JsonObject): ReadonlyMap<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const [name, value] of Object.entries(map)) {
    const parsed = parseQuantity(quantityText(value));
    if (isQuantity(parsed)) found.set(name, parsed);
  }
  return found;
}

export function isQuotaName(name: string): boolean {
  return quotaNames.has(name) || /^(requests\.)?hugepages-/.test(name);
}

export function quotaNameErrors(name: string, field: string): readonly FieldError[] {
  const errors = resourceNameErrors(name, field);
  if (name.includes("/") || isQuotaName(name)) return errors;
  return [...errors, invalidField(field, name, "must be a standard resource for quota")];
}

export function resourceNameErrors(name: string, field: string): readonly FieldError[] {
  const syntax = invalidEach(field, name, labelKeyProblems(name));
  if (syntax.length > 0 || name.includes("/") || name === "storage" || isQuotaName(name)) {
    return syntax;
  }
  return [invalidField(field, name, "must be a standard resource type or fully qualified")];
}

export function containerNameErrors(name: string, field: string): readonly FieldError[] {
  const errors = resourceNameErrors(name, field);
  if (!name.includes("/")) {
    if (containerNames.has(name) || name.startsWith("hugepages-")) return errors;
    return [...errors, invalidField(field, name, "must be a standard resource for containers")];
  }
  if (isNative(name) || isExtended(name)) return errors;
  return [...errors, invalidField(field, name, "doesn't follow extended resource name standard")];
}

/** Not negative, and whole where things are counted. */
export function quantityErrors(
  name: string,
  quantity: Quantity,
  field: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (quantity.nanos < 0n) {
    errors.push(invalidField(field, quantity.text, "must be greater than or equal to 0"));
  }
  const isCounted = countedNames.has(name) || isExtended(name);
  if (isCounted && milliValue(quantity) % 1_000n !== 0n) {
    errors.push(invalidField(field, quantity.text, "must be an integer"));
  }
  return errors;
}

/** Limits of such resources may exceed their requests. */
export function mayOvercommit(name: string): boolean {
  return isNative(name) && !name.startsWith("hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return labelKeyProblems(`requests.${name}`).length === 0;
}

function quantityText(value: Json): string {
  return typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
}
