// Examples of requests and answers, made from the `properties` that the author of a face gives as
// examples. What a client never sees is not in the answers.

import type { JsonObject } from "../../../kernel/json.ts";
import { bodySchema } from "../../../modules/resource-provider/faces/body-schema.ts";
import { nameParameter, typeName } from "./type-names.ts";
import type { TypeInput } from "./type-names.ts";

export interface Example {
  readonly title: string;
  /** Its operationId. */
  readonly operation: string;
  readonly file: string;
  readonly document: JsonObject;
}

export function examplesOf({ face, version }: TypeInput): readonly Example[] {
  const name = typeName(face);
  const types = face.type.split("/");
  const [location = ""] = face.locations;
  const tracked = types.length === 1 ? { location } : {};
  const parameters: JsonObject = {
    "api-version": version.apiVersion,
    subscriptionId,
    resourceGroupName: "group",
    ...Object.fromEntries(types.map((type) => [nameParameter(type), "one"])),
  };
  const path = types.map((type) => `${type}/one`).join("/");
  const group = `/subscriptions/${subscriptionId}/resourceGroups/group`;
  return Object.entries(version.examples ?? {}).flatMap(([title, properties], index) => {
    const answer = (provisioningState: string): JsonObject => ({
      body: {
        id: `${group}/providers/${face.provider}/${path}`,
        name: "one",
        type: `${face.provider}/${face.type}`,
        ...tracked,
        properties: { ...bodySchema(version).show(properties), provisioningState },
      },
    });
    const example = (verb: string, given: JsonObject, responses: JsonObject): Example => {
      const operation = `${name}_${verb}`;
      const document = {
        title,
        operationId: operation,
        parameters: { ...parameters, ...given },
        responses,
      };
      return { title, operation, file: `${operation}_${index + 1}.json`, document };
    };
    return [
      example("Get", {}, { 200: answer("Succeeded") }),
      example(
        "CreateOrUpdate",
        { resource: { ...tracked, properties } },
        { 200: answer("Updating"), 201: answer("Creating") },
      ),
    ];
  });
}

const subscriptionId = "00000000-0000-0000-0000-000000000000";
