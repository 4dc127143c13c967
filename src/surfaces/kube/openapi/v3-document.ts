// The OpenAPI v3 document of one group and version: its paths, and the definitions they need.

import { setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { ServedVersion } from "../discovery/served-groups.ts";
import { bodyName, closureOf, ownDefinitions } from "./definition-closure.ts";
import { answerTypes, bodyTypes, bearerToken, codeTexts } from "./media-types.ts";
import { operationsOf } from "./operation.ts";
import type { Operation } from "./operation.ts";
import type { ParameterName } from "./parameters.ts";
import { describedParameter, pathFields, pathItems } from "./path-items.ts";
import type { ItemOperation } from "./path-items.ts";
import { reference } from "./reference.ts";

export function v3Document(version: ServedVersion, serverInfo: JsonObject): JsonObject {
  const isBuiltIn = version.resources.some(({ kind }) => kind.origin === "built-in");
  const operations = version.resources.flatMap(operationsOf);
  const own = ownDefinitions(version.resources, "v3");
  const paths: MutableJsonObject = {};
  for (const item of pathItems(operations)) {
    setOwn(paths, item.path, pathFields(item, operationFields, parameterFields));
  }
  return {
    openapi: "3.0.0",
    info: isBuiltIn ? serverInfo : definedInfo,
    paths,
    components: {
      schemas: closureOf(operations, own),
      ...(isBuiltIn ? { securitySchemes: { BearerToken: bearerToken } } : {}),
    },
  };
}

/** Groups of definitions do not change with the server, and neither does their document. */
const definedInfo: JsonObject = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

function operationFields({ operation, own }: ItemOperation): JsonObject {
  const { description, id, tag, body, answer, codes, action, gvk } = operation;
  const responses: MutableJsonObject = {};
  for (const code of codes) {
    responses[String(code)] = {
      description: codeTexts[code] ?? "",
      content: contentOf(answerTypes(operation), bodyName(answer)),
    };
  }
  responses["401"] = { description: "Unauthorized" };
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(own.length === 0
      ? {}
      : { parameters: own.map((name) => parameterFields(name, operation)) }),
    ...(body === undefined ? {} : { requestBody: requestBody(operation, bodyName(body)) }),
    responses,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { ...gvk },
  };
}

function requestBody(operation: Operation, name: string): JsonObject {
  const content = contentOf(bodyTypes(operation), name);
  return operation.body?.kind === "delete-options" ? { content } : { content, required: true };
}

function contentOf(types: readonly string[], name: string): JsonObject {
  const content: MutableJsonObject = {};
  for (const type of types) content[type] = { schema: reference(name) };
  return content;
}

function parameterFields(name: ParameterName, operation: Operation | undefined): JsonObject {
  const { in: place, type, description } = describedParameter(name, operation);
  return {
    name,
    in: place,
    description,
    ...(place === "path" ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}
