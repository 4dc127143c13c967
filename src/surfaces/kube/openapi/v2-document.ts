// The OpenAPI v2 document: one for everything that is served. Terraform and old versions of kubectl
// read it, and tools that only know version 2 must not be told what version 2 cannot say.

import { setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { ServedVersion } from "../discovery/served-groups.ts";
import { bodyName, closureOf, ownDefinitions } from "./definition-closure.ts";
import { answerTypes, bearerToken, codeTexts, consumedTypes } from "./media-types.ts";
import { operationsOf } from "./operation.ts";
import type { Operation } from "./operation.ts";
import type { ParameterName } from "./parameters.ts";
import { describedParameter, pathFields, pathItems } from "./path-items.ts";
import type { ItemOperation } from "./path-items.ts";
import { v2Reference } from "./reference.ts";
import { v2Schema } from "./v2-schema.ts";

export function v2Document(versions: readonly ServedVersion[], info: JsonObject): JsonObject {
  const resources = versions.flatMap((one) => one.resources);
  const operations = resources.flatMap(operationsOf);
  const own = ownDefinitions(resources, "v2");
  const paths: MutableJsonObject = {};
  for (const item of pathItems(operations)) {
    setOwn(paths, item.path, pathFields(item, operationFields, parameterFields));
  }
  return {
    swagger: "2.0",
    info,
    paths,
    definitions: closureOf(operations, own, v2Schema),
    securityDefinitions: { BearerToken: bearerToken },
    security: [{ BearerToken: [] }],
  };
}

function operationFields({ operation, own }: ItemOperation): JsonObject {
  const { description, id, tag, body, answer, codes, action, gvk } = operation;
  const responses: MutableJsonObject = {};
  const schema = v2Reference(bodyName(answer));
  for (const code of codes) {
    responses[String(code)] = { description: codeTexts[code] ?? "", schema };
  }
  responses["401"] = { description: "Unauthorized" };
  const parameters = own.map((name) => parameterFields(name, operation));
  if (body !== undefined) parameters.unshift(bodyParameter(body.kind, bodyName(body)));
  return {
    tags: [tag],
    description,
    consumes: consumedTypes(operation),
    produces: answerTypes(operation),
    schemes: ["https"],
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { ...gvk },
  };
}

function bodyParameter(kind: string, name: string): JsonObject {
  const schema = v2Reference(name);
  const isOptional = kind === "delete-options";
  return { name: "body", in: "body", ...(isOptional ? {} : { required: true }), schema };
}

function parameterFields(name: ParameterName, operation: Operation | undefined): JsonObject {
  const { in: place, type, description } = describedParameter(name, operation);
  return {
    uniqueItems: true,
    type,
    description,
    name,
    in: place,
    ...(place === "path" ? { required: true } : {}),
  };
}
