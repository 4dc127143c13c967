// Content types of bodies and answers, and other words that both versions of OpenAPI share.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Operation } from "./operation.ts";

const json = "application/json";
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";
const definedPatches = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
];

export const codeTexts: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
};

export const bearerToken: JsonObject = {
  description: "Bearer Token authentication",
  in: "header",
  name: "authorization",
  type: "apiKey",
};

/** Only built-in kinds speak protobuf, and only lists can be watched. */
export function answerTypes({ isBuiltIn, action }: Operation): readonly string[] {
  if (!isBuiltIn) return [json, yaml];
  const plain = [json, yaml, protobuf];
  if (action !== "list") return plain;
  return [...plain, `${json};stream=watch`, `${protobuf};stream=watch`];
}

/** Of version 3, which calls any type that the server can read by a star. */
export function bodyTypes(operation: Operation): readonly string[] {
  const { isBuiltIn, action } = operation;
  if (action === "patch") return patchTypes(operation);
  return isBuiltIn ? ["*/*"] : [json, yaml];
}

/** Of version 2. */
export function consumedTypes(operation: Operation): readonly string[] {
  if (operation.action === "patch") return patchTypes(operation);
  return operation.isBuiltIn ? ["*/*"] : [json, yaml];
}

function patchTypes({ isBuiltIn }: Operation): readonly string[] {
  if (!isBuiltIn) return definedPatches;
  const [first = "", second = "", third = ""] = definedPatches;
  return [first, second, "application/strategic-merge-patch+json", third];
}
