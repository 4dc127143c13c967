// How a policy binding's parameters are shown: by name, or by the text that kube-apiserver prints
// for a label selector.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { listAt, objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";

export function paramRefText(reference: Json | undefined): string {
  if (!isJsonObject(reference)) return "<unset>";
  const name = textAt(reference, "name");
  const namespace = textAt(reference, "namespace");
  if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`;
  const selector = valueAt(reference, "selector");
  return isJsonObject(selector) ? selectorText(selector) : "<unset>";
}

function selectorText(selector: JsonObject): string {
  const labels = objectAt(selector, "matchLabels");
  const labelTexts = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${textAt(labels, key)},`);
  const requirements = objectsAt(selector, "matchExpressions");
  const requirementTexts = requirements.map((item) => `${requirementText(item)},`);
  return [
    `&LabelSelector{MatchLabels:map[string]string{${labelTexts.join("")}},`,
    `MatchExpressions:[]LabelSelectorRequirement{${requirementTexts.join("")}},}`,
  ].join("");
}

function requirementText(requirement: JsonObject): string {
  const values = listAt(requirement, "values").map(String).join(" ");
  const key = textAt(requirement, "key");
  const operator = textAt(requirement, "operator");
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],}`;
}
