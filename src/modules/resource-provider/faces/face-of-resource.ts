// From an ArmFace resource to the face that is served. `properties` are the spec of the version of
// the definition, and what its status has, as fields that can only be read. The kind's own
// conversion leads to the stored version and back.

import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import type { ServedKind, ServedVersion } from "../../../intents/kinds/served-kind.ts";
import { fieldRuleKey } from "../../../intents/kinds/definition-field-rules.ts";
import { withRule } from "../../../intents/kinds/kind-definition.ts";
import type { ArmFace, ArmVersion } from "./arm-face.ts";
import { getOwn, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import {
  isTrueAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../kernel/json-read.ts";
import type { FieldRule } from "../../../kernel/kind.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { withShared } from "./hidden-properties.ts";
import { lostFields } from "./lost-fields.ts";
import { withSurviving } from "./surviving-fields.ts";

export interface MadeFace {
  /** Only for being checked when there are problems. */
  readonly face: ArmFace;
  /** Each as "field: what is wrong with it"; those that any face can have are not among them. */
  readonly problems: readonly string[];
}

export function faceOfResource(resource: Resource, kinds: Pick<KindRegistry, "byId">): MadeFace {
  const spec = objectAt(resource, "spec");
  const id = textAt(spec, "kind");
  const served = kinds.byId(id);
  const problems: string[] = [];
  const versions = objectsAt(spec, "versions").map((version, index): ArmVersion => {
    const field = `versions[${index}]`;
    if (served === undefined) return standIn(version);
    const shown = served.versions.get(textAt(version, "version"));
    if (shown === undefined) {
      const known = [...served.versions.keys()].join(", ");
      problems.push(`${field}.version: ${id} has the versions ${known}`);
      return standIn(version);
    }
    const made = versionOf({ id, kinds, shown, version, field, problems });
    problems.push(...conversionProblems(served, shown, made, field));
    return made;
  });
  const awaitEndMs = numberAt(spec, "awaitEndMs");
  const timeout = numberAt(spec, "operationTimeoutSeconds");
  const retention = numberAt(spec, "operationRetentionSeconds");
  const face: ArmFace = {
    kind: id,
    provider: textAt(spec, "provider"),
    type: textAt(spec, "type"),
    locations: textsAt(spec, "locations"),
    // Its versions are those of the definition, which hides the same paths in all of them.
    versions: withShared(versions, served?.kind.fieldRules ?? [], () => true),
    ...(isFixed(spec) ? { isMovable: false } : {}),
    ...(textAt(spec, "afterFailedUpdate") === "revert" ? { afterFailedUpdate: "revert" } : {}),
    ...(awaitEndMs === undefined ? {} : { awaitEndMs }),
    ...(timeout === undefined ? {} : { operationTimeoutMs: timeout * 1_000 }),
    ...(retention === undefined ? {} : { operationRetentionMs: retention * 1_000 }),
  };
  return { face, problems };
}

/** Resources that were stored before have the older of the two names. */
function isFixed(spec: JsonObject): boolean {
  return (getOwn(spec, "isMovable") ?? getOwn(spec, "movable")) === false;
}

/** For a version that nobody knows, so that what else is wrong with the face can be told, too. */
function standIn(version: JsonObject): ArmVersion {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const toStored = (properties: JsonObject): JsonObject => properties;
  return { apiVersion: textAt(version, "apiVersion"), schema, toStored };
}

/** Without a converter, what is written in one version is stored under the schema of another. */
function conversionProblems(
  { hasConverter, storage }: ServedKind,
  shown: ServedVersion,
  { schema }: ArmVersion,
  field: string,
): readonly string[] {
  if (hasConverter || shown.name === storage.name) return [];
  const spec = objectAt(storage.definition.schema, "properties", "spec");
  return lostFields(schema, spec).map(
    (path) =>
      `${field}.version: spec${path} of ${shown.name} cannot be stored: ${storage.name}, ` +
      "the storage version, does not have the field, and there is no conversion",
  );
}

interface VersionInput {
  readonly id: string;
  readonly kinds: Pick<KindRegistry, "byId">;
  readonly shown: ServedVersion;
  readonly version: JsonObject;
  readonly field: string;
  readonly problems: string[];
}

function versionOf({ id, kinds, shown, version, field, problems }: VersionInput): ArmVersion {
  let schema = propertiesSchema(shown.definition.schema);
  for (const [index, given] of objectsAt(version, "fieldRules").entries()) {
    const rule = given as unknown as FieldRule;
    const ruled = withRule(schema, rule);
    if (ruled === schema) {
      problems.push(`${field}.fieldRules[${index}].path: ${rule.path} is not in the schema`);
    }
    schema = ruled;
  }
  const reported = Object.entries(objectAt(schema, "properties")).flatMap(([key, part]) =>
    isJsonObject(part) && part[fieldRuleKey] === "read-only" ? key : [],
  );
  const compiled = compileSchema(schema);
  const converted = async (to: "shown" | "stored", parts: JsonObject): Promise<JsonObject> => {
    const served = kinds.byId(id);
    const own = served?.versions.get(shown.name);
    if (served === undefined || own === undefined) throw new Error(`${id} is no longer served`);
    const [from, into] = to === "shown" ? [served.storage, own] : [own, served.storage];
    return await convertParts(served, from, into, parts);
  };
  return {
    apiVersion: textAt(version, "apiVersion"),
    schema,
    ...(isTrueAt(version, "isAdmin") ? { isAdmin: true } : {}),
    fromStored: async ({ spec, status }) => {
      const document = await converted("shown", { spec, status });
      const result: MutableJsonObject = { ...objectAt(document, "spec") };
      const found = objectAt(document, "status");
      for (const key of reported) {
        const value = found[key];
        if (Object.hasOwn(found, key) && value !== undefined) setOwn(result, key, value);
      }
      return result;
    },
    toStored: async (properties, before) => {
      if (before === undefined) {
        return objectAt(await converted("stored", { spec: properties }), "spec");
      }
      const old = objectAt(await converted("shown", { spec: before }), "spec");
      const spec = withSurviving(compiled, properties, old);
      return objectAt(await converted("stored", { spec }), "spec");
    },
  };
}

const ofTheEngine: ReadonlySet<string> = new Set(["observedGeneration", "conditions", "reconcile"]);

/** The schema of the spec, with the fields of the status that it has not itself. */
export function propertiesSchema(whole: JsonObject): JsonObject {
  const parts = objectAt(whole, "properties");
  const spec = objectAt(parts, "spec");
  const fields: MutableJsonObject = { ...objectAt(spec, "properties") };
  for (const [key, part] of Object.entries(objectAt(objectAt(parts, "status"), "properties"))) {
    const isTaken = Object.hasOwn(fields, key) || key === "provisioningState";
    if (isTaken || ofTheEngine.has(key) || !isJsonObject(part)) continue;
    setOwn(fields, key, { ...part, [fieldRuleKey]: "read-only" });
  }
  return { type: "object", ...spec, properties: fields };
}

/** Who converts is given a document, of which only spec and status are of interest here. */
async function convertParts(
  served: ServedKind,
  from: ServedVersion,
  into: ServedVersion,
  parts: JsonObject,
): Promise<JsonObject> {
  if (from.name === into.name) return parts;
  const document = {
    apiVersion: from.apiVersion,
    kind: served.kind.names.kind,
    metadata: { name: "properties", namespace: "arm", uid: "00000000-0000-0000-0000-000000000000" },
    ...parts,
  };
  const [converted] = await served.convert([document as unknown as Resource], into);
  if (converted === undefined) throw new Error("a conversion answers each document");
  return converted;
}
