// A Swagger 2.0 document for each api-version of each provider, made from the faces alone, so that
// it cannot say anything else than what is served. Documents are made when somebody asks, and kept
// until a face changes.

import type { ArmFace } from "../../../modules/resource-provider/faces/arm-face.ts";
import { setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { ArmFaces } from "../../../modules/resource-provider/faces/faces.ts";
import { markedSchema } from "../../../modules/resource-provider/faces/hidden-properties.ts";
import { examplesOf } from "./examples.ts";
import { commonDefinitions, commonParameters, ref } from "./envelope-definitions.ts";
import { providerPaths } from "./provider-paths.ts";
import { swaggerSchema } from "./swagger-schema.ts";
import { typeName } from "./type-names.ts";
import type { TypeInput } from "./type-names.ts";
import { typePaths } from "./type-paths.ts";

export interface SwaggerDocuments {
  /**
   * The answer for a path: the list at "/swagger", a document at
   * "/swagger/{provider}/{api-version}.json", and its examples below
   * "/swagger/{provider}/{api-version}/examples/"; undefined for what is not there. Versions
   * for operators are shown to them alone.
   */
  find(path: string, isOperator: boolean): JsonObject | undefined;
}

export const swaggerRoot = "/swagger";

export function swaggerDocuments(faces: ArmFaces): SwaggerDocuments {
  let generation = -1;
  const documents = new Map<string, JsonObject>();
  return {
    find: (path, isOperator) => {
      if (faces.generation !== generation) documents.clear();
      ({ generation } = faces);
      const places = placesOf(faces.all(), isOperator);
      if (path === swaggerRoot || path === `${swaggerRoot}/`) return listOf(places);
      const key = `${path.toLowerCase()} ${String(isOperator)}`;
      const known = documents.get(key) ?? documentAt(faces.all(), places, path, isOperator);
      if (known !== undefined) documents.set(key, known);
      return known;
    },
  };
}

function documentAt(
  faces: readonly ArmFace[],
  places: readonly ListedPlace[],
  path: string,
  isOperator: boolean,
): JsonObject | undefined {
  const wanted = path.toLowerCase();
  const place = places.find((each) => each.path.toLowerCase() === wanted);
  if (place !== undefined) return swaggerOf(faces, place, isOperator);
  for (const each of places) {
    const folder = each.path.replace(/\.json$/, "/examples/").toLowerCase();
    if (!wanted.startsWith(folder)) continue;
    const file = wanted.slice(folder.length);
    return typesOf(faces, each, isOperator)
      .flatMap(examplesOf)
      .find((example) => example.file.toLowerCase() === file)?.document;
  }
  return undefined;
}

export interface DocumentPlace {
  readonly provider: string;
  readonly apiVersion: string;
}

/** The types of a provider that have the api-version, in one document. */
export function swaggerOf(
  faces: readonly ArmFace[],
  { provider, apiVersion }: DocumentPlace,
  isOperator = false,
): JsonObject {
  const types = typesOf(faces, { provider, apiVersion }, isOperator);
  const paths: MutableJsonObject = { ...providerPaths(provider) };
  const definitions: MutableJsonObject = { ...commonDefinitions };
  for (const type of types) {
    for (const [path, item] of Object.entries(typePaths(type))) setOwn(paths, path, item);
    for (const [name, part] of Object.entries(typeDefinitions(type))) {
      setOwn(definitions, name, part);
    }
  }
  return {
    swagger: "2.0",
    info: {
      title: provider,
      version: apiVersion,
      description: `The resource provider ${provider}.`,
    },
    host: "management.azure.com",
    schemes: ["https"],
    consumes: ["application/json"],
    produces: ["application/json"],
    securityDefinitions: {
      bearer: {
        type: "apiKey",
        in: "header",
        name: "Authorization",
        description: "A bearer token.",
      },
    },
    security: [{ bearer: [] }],
    tags: types.map(({ face }) => ({ name: typeName(face) })),
    paths,
    definitions,
    parameters: commonParameters,
  };
}

interface ListedPlace extends DocumentPlace {
  readonly path: string;
}

function placesOf(faces: readonly ArmFace[], isOperator: boolean): readonly ListedPlace[] {
  const places = new Map<string, ListedPlace>();
  for (const { provider, versions } of faces) {
    for (const { apiVersion, isAdmin = false } of versions) {
      const path = `${swaggerRoot}/${provider}/${apiVersion}.json`;
      const isNew = !places.has(path.toLowerCase());
      if (isNew && (isOperator || !isAdmin)) {
        places.set(path.toLowerCase(), { provider, apiVersion, path });
      }
    }
  }
  return [...places.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function listOf(places: readonly ListedPlace[]): JsonObject {
  return { value: places.map((place) => ({ ...place })) };
}

function typesOf(
  faces: readonly ArmFace[],
  place: DocumentPlace,
  isOperator: boolean,
): readonly TypeInput[] {
  return faces.flatMap((face) => {
    if (face.provider.toLowerCase() !== place.provider.toLowerCase()) return [];
    const version = face.versions.find(({ apiVersion }) => apiVersion === place.apiVersion);
    const isShown = version !== undefined && (isOperator || version.isAdmin !== true);
    return isShown ? [{ face, version }] : [];
  });
}

function typeDefinitions({ face, version }: TypeInput): JsonObject {
  const name = typeName(face);
  const envelope = face.type.includes("/") ? "NestedResource" : "TrackedResource";
  const properties = (isPatch: boolean): JsonObject => {
    const model = `${name}${isPatch ? "Update" : ""}Properties`;
    const schema = swaggerSchema(markedSchema(version), { name: model, isPatch });
    if (isPatch) return schema;
    const fields = objectAt(schema, "properties");
    const state = { ...ref("ProvisioningState"), readOnly: true };
    return { ...schema, properties: { ...fields, provisioningState: state } };
  };
  const own = (part: string): JsonObject => ({
    ...ref(part),
    "x-ms-client-flatten": true,
    description: "The properties of the resource type.",
  });
  const tags = {
    type: "object",
    description: "Tags. They replace all existing tags.",
    additionalProperties: { type: "string" },
  };
  const description = described(version.schema) ?? `A resource of the type ${face.type}.`;
  return {
    [name]: {
      type: "object",
      description,
      allOf: [ref(envelope)],
      properties: { properties: own(`${name}Properties`) },
    },
    [`${name}Properties`]: properties(false),
    [`${name}Update`]: {
      type: "object",
      description: `An update of: ${description}`,
      properties: { tags, properties: own(`${name}UpdateProperties`) },
    },
    [`${name}UpdateProperties`]: properties(true),
    [`${name}ListResult`]: {
      type: "object",
      description: "A page of a list.",
      required: ["value"],
      properties: {
        value: { type: "array", description: "The resources of this page.", items: ref(name) },
        nextLink: {
          type: "string",
          format: "uri",
          readOnly: true,
          description: "URL of the next page.",
        },
      },
    },
  };
}

function described(schema: JsonObject): string | undefined {
  const { description } = schema;
  return typeof description === "string" ? description : undefined;
}
