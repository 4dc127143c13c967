// The paths of one type in one api-version: what each verb takes and answers, which of them are
// long-running, and examples where the author of the face gives some.

import type { ArmAction, ArmVersion } from "../../../modules/resource-provider/faces/arm-face.ts";
import { setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { examplesOf } from "./examples.ts";
import type { Example } from "./examples.ts";
import { parameterRef, ref } from "./envelope-definitions.ts";
import { capital, swaggerSchema } from "./swagger-schema.ts";
import { nameParameter, typeName } from "./type-names.ts";
import type { TypeInput } from "./type-names.ts";

export function typePaths(input: TypeInput): JsonObject {
  const { face } = input;
  const name = typeName(face);
  const types = face.type.split("/");
  const holders = types.slice(0, -1).map((type) => `${type}/{${nameParameter(type)}}`);
  const last = types.at(-1) ?? "";
  const own = [...holders, last].join("/");
  const inGroup = `${groupPath}/providers/${face.provider}/${own}`;
  const one = `${inGroup}/{${nameParameter(last)}}`;
  const paths: MutableJsonObject = {};
  if (holders.length === 0) {
    const path = `/subscriptions/{subscriptionId}/providers/${face.provider}/${own}`;
    setOwn(paths, path, { get: listOperation(name, "ListBySubscription", [subscription]) });
  }
  const holderNames = types.slice(0, -1).map(nameInPath);
  const verb = holders.length === 0 ? "ListByResourceGroup" : "ListByParent";
  const above = [subscription, group, ...holderNames];
  setOwn(paths, inGroup, { get: listOperation(name, verb, above) });
  setOwn(paths, one, oneOperations(input, [...above, nameInPath(last)]));
  for (const action of face.actions ?? []) {
    const operation = actionOperation(name, action, [...above, nameInPath(last)]);
    setOwn(paths, `${one}/${action.name}`, { post: operation });
  }
  return paths;
}

const groupPath = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}";
const apiVersion = parameterRef("ApiVersion");
const subscription = parameterRef("SubscriptionId");
const group = parameterRef("ResourceGroupName");

function nameInPath(type: string): JsonObject {
  return {
    name: nameParameter(type),
    in: "path",
    required: true,
    type: "string",
    minLength: 1,
    maxLength: 260,
    description: "The name of the resource. Not case-sensitive.",
  };
}

const failure: JsonObject = {
  description: "The error.",
  schema: ref("ErrorResponse"),
};

/** Beside what it answers, a request that goes on tells where to look. */
const asyncHeaders: JsonObject = {
  "Azure-AsyncOperation": { type: "string", description: "URL of the operation status." },
  "Retry-After": {
    type: "integer",
    format: "int32",
    description: "Seconds to wait before the next request.",
  },
};
const locationHeaders: JsonObject = {
  ...asyncHeaders,
  Location: { type: "string", description: "URL of the operation result." },
};

function listOperation(name: string, verb: string, where: readonly JsonObject[]): JsonObject {
  return {
    operationId: `${name}_${verb}`,
    tags: [name],
    description: `Lists resources of the type ${name}.`,
    parameters: [apiVersion, ...where, parameterRef("Top"), parameterRef("SkipToken")],
    responses: {
      200: { description: "A page of resources.", schema: ref(`${name}ListResult`) },
      default: failure,
    },
    "x-ms-pageable": { nextLinkName: "nextLink" },
  };
}

function oneOperations({ face, version }: TypeInput, where: readonly JsonObject[]): JsonObject {
  const name = typeName(face);
  const base = (verb: string): JsonObject => ({ operationId: `${name}_${verb}`, tags: [name] });
  const parameters = [apiVersion, ...where];
  const resource = (description: string): JsonObject => ({ description, schema: ref(name) });
  const examples = examplesOf({ face, version });
  return {
    get: {
      ...base("Get"),
      description: "Gets a resource.",
      parameters,
      responses: { 200: resource("The resource."), default: failure },
      ...withExamples(examples, version, `${name}_Get`),
    },
    put: {
      ...base("CreateOrUpdate"),
      description: "Creates or replaces a resource.",
      parameters: [...parameters, bodyParameter("resource", name), ...preconditions],
      responses: {
        200: { ...resource("Update accepted."), headers: asyncHeaders },
        201: { ...resource("Creation accepted."), headers: asyncHeaders },
        default: failure,
      },
      ...longRunning("azure-async-operation"),
      ...withExamples(examples, version, `${name}_CreateOrUpdate`),
    },
    patch: {
      ...base("Update"),
      description: "Updates the fields in the body (merge patch). Tags are replaced as a whole.",
      parameters: [...parameters, bodyParameter("properties", `${name}Update`), ...preconditions],
      responses: {
        200: resource("Done."),
        202: { ...resource("Accepted."), headers: locationHeaders },
        default: failure,
      },
      ...longRunning("location"),
    },
    delete: {
      ...base("Delete"),
      description: "Deletes a resource.",
      parameters: [...parameters, ...preconditions],
      responses: {
        200: { description: "Deleted." },
        202: { description: "Accepted.", headers: locationHeaders },
        204: { description: "The resource does not exist." },
        default: failure,
      },
      ...longRunning("location"),
    },
  };
}

function bodyParameter(name: string, definition: string): JsonObject {
  const description = "The desired resource.";
  return { name, in: "body", required: true, description, schema: ref(definition) };
}

const preconditions: readonly JsonObject[] = ["If-Match", "If-None-Match"].map((name) => ({
  name,
  in: "header",
  required: false,
  type: "string",
  description: "An ETag, or * for any.",
}));

function longRunning(final: string): JsonObject {
  return {
    "x-ms-long-running-operation": true,
    "x-ms-long-running-operation-options": { "final-state-via": final },
  };
}

function actionOperation(
  name: string,
  action: ArmAction,
  where: readonly JsonObject[],
): JsonObject {
  const { inputSchema, outputSchema } = action;
  const model = name + capital(action.name);
  const input =
    inputSchema === undefined
      ? []
      : [
          {
            name: "input",
            in: "body",
            required: true,
            description: "The input of the action.",
            schema: swaggerSchema(inputSchema, { name: `${model}Input` }),
          },
        ];
  const schema = swaggerSchema(outputSchema ?? { type: "object" }, {
    name: `${model}Result`,
    isAnswer: true,
  });
  return {
    operationId: `${name}_${capital(action.name)}`,
    tags: [name],
    description: action.description ?? `Performs ${action.name} on a resource.`,
    parameters: [apiVersion, ...where, ...input],
    responses: {
      200: { description: "The result of the action.", schema },
      ...(action.change === undefined
        ? {}
        : { 202: { description: "Accepted.", headers: locationHeaders } }),
      204: { description: "The action has no result." },
      default: failure,
    },
    ...(action.change === undefined ? {} : longRunning("location")),
  };
}

/** Each is in a file of its own beside the document, as tools want it. */
function withExamples(
  examples: readonly Example[],
  { apiVersion: folder }: ArmVersion,
  operation: string,
): JsonObject {
  const own = examples.filter((example) => example.operation === operation);
  if (own.length === 0) return {};
  const entries = own.map(({ title, file }): [string, JsonObject] => [
    title,
    { $ref: `./${folder}/examples/${file}` },
  ]);
  return { "x-ms-examples": Object.fromEntries(entries) };
}
