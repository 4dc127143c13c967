// What is wrong with a declared face, each problem with the field it is about. Nothing is believed:
// modules may be written without types, and faces also come from resources that users write. A face
// that passes can be served without asking again.

import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { ArmFace } from "./arm-face.ts";
import { providerLimits } from "../limits.ts";
import { strangeFields } from "./face-fields.ts";
import { schemaProblems, versionProblems } from "./version-check.ts";

/** What else is there, which a face must fit. */
export interface FaceSurroundings {
  kind(id: string): Pick<ServedKind, "kind" | "storage"> | undefined;
  find(provider: string, type: string): ArmFace | undefined;
  byKind(id: string): ArmFace | undefined;
}

/** Each as "field: what is wrong with it"; none when the face can be served. */
export function faceProblems(face: ArmFace, around: FaceSurroundings): readonly string[] {
  const given: Readonly<Record<string, unknown>> = { ...face };
  const problems: string[] = [...strangeFields("face", given)];
  if (!matches(given["provider"], providerPattern)) {
    problems.push(`provider: must be two or more words separated by dots, such as Example.Shop`);
  }
  if (!matches(given["type"], typePattern)) {
    problems.push("type: must consist of letters and digits; separate nested types with slashes");
  }
  problems.push(...kindProblems(given["kind"], around), ...locationProblems(given["locations"]));
  const served = typeof given["kind"] === "string" ? around.kind(given["kind"]) : undefined;
  problems.push(...versionsProblems(given["versions"], served));
  problems.push(...actionsProblems(given["actions"]));
  for (const field of ["operationTimeoutMs", "operationRetentionMs"]) {
    const value = given[field];
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
    problems.push(`${field}: must be a positive integer (milliseconds)`);
  }
  const { awaitEndMs = 0 } = given;
  if (
    !Number.isSafeInteger(awaitEndMs) ||
    Number(awaitEndMs) < 0 ||
    Number(awaitEndMs) > mostAwaitMs
  ) {
    problems.push(`awaitEndMs: must be an integer from 0 to ${mostAwaitMs} (milliseconds)`);
  }
  if (![undefined, true, false].includes(given["isMovable"] as boolean | undefined)) {
    problems.push("isMovable: must be true or false");
  }
  if (![undefined, "keep", "revert"].includes(given["afterFailedUpdate"] as string | undefined)) {
    problems.push("afterFailedUpdate: must be keep or revert");
  }
  return [...problems, ...placeProblems(given, around)];
}

/** A longer wait would hold up other requests, and clients would give up. */
export const mostAwaitMs = providerLimits.awaitEndMs;

export const apiVersionPattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:-preview)?$/;

/** It is a part of the URLs of operations. */
const locationPattern = /^[A-Za-z0-9](?:[A-Za-z0-9 -]*[A-Za-z0-9])?$/;
const providerPattern = /^[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*)+$/;
const typePattern = /^[A-Za-z][A-Za-z0-9]*(?:\/[A-Za-z][A-Za-z0-9]*)*$/;
const namePattern = /^[A-Za-z][A-Za-z0-9]*$/;

/** Types that mean something else where a type stands in a path. */
const takenTypes = new Set(["operations", "locations", "deployments", "checknameavailability"]);

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && value.length <= 128 && pattern.test(value);
}

function kindProblems(id: unknown, around: FaceSurroundings): readonly string[] {
  if (typeof id !== "string") return ["kind: must be the id of a kind, such as shops.example.com"];
  const served = around.kind(id);
  if (served === undefined) return [`kind: the kind ${id} does not exist`];
  if (served.kind.scope === "Namespaced") return [];
  return [`kind: ${id} is cluster-scoped; a face needs a namespaced kind`];
}

function locationProblems(locations: unknown): readonly string[] {
  if (!Array.isArray(locations)) return ["locations: must be a list"];
  if (locations.length === 0) return ["locations: must not be empty"];
  const seen = new Set<string>();
  return (locations as readonly unknown[]).flatMap((location, index) => {
    const field = `locations[${index}]`;
    if (!matches(location, locationPattern)) {
      return [`${field}: must consist of letters, digits, spaces and hyphens`];
    }
    const plain = location.toLowerCase().replaceAll(" ", "");
    if (seen.has(plain)) return [`${field}: ${location} is a duplicate`];
    seen.add(plain);
    return [];
  });
}

function versionsProblems(
  versions: unknown,
  served: ReturnType<FaceSurroundings["kind"]>,
): readonly string[] {
  if (!Array.isArray(versions)) return ["versions: must be a list"];
  if (versions.length === 0) return ["versions: must not be empty"];
  const seen = new Set<string>();
  return (versions as readonly unknown[]).flatMap((version, index) => {
    const field = `versions[${index}]`;
    if (!isObject(version)) return [`${field}: must have an apiVersion and a schema`];
    return versionProblems(version, field, served).concat(
      apiVersionProblems(version["apiVersion"], `${field}.apiVersion`, seen),
    );
  });
}

function apiVersionProblems(given: unknown, field: string, seen: Set<string>): readonly string[] {
  if (!matches(given, apiVersionPattern)) {
    return [`${field}: must be YYYY-MM-DD or YYYY-MM-DD-preview`];
  }
  if (seen.has(given)) return [`${field}: is a duplicate`];
  seen.add(given);
  return [];
}

function actionsProblems(actions: unknown): readonly string[] {
  if (actions === undefined) return [];
  if (!Array.isArray(actions)) return ["actions: must be a list"];
  const seen = new Set<string>();
  return (actions as readonly unknown[]).flatMap((action, index) => {
    const field = `actions[${index}]`;
    if (!isObject(action)) return [`${field}: must have a name and a function perform`];
    return strangeFields("action", action, `${field}.`).concat(
      actionNameProblems(action["name"], field, seen),
      actionFunctionProblems(action, field),
      actionSchemaProblems(action, field),
    );
  });
}

/** The right to an action is one to a subresource of its name, and these have a meaning already. */
const takenActions = new Set(["admin", "status", "scale"]);

function actionNameProblems(name: unknown, field: string, seen: Set<string>): readonly string[] {
  if (!matches(name, namePattern)) return [`${field}.name: must consist of letters and digits`];
  const plain = name.toLowerCase();
  if (takenActions.has(plain)) {
    return [
      `${field}.name: ${name} is reserved: permissions on that subresource have another meaning`,
    ];
  }
  if (seen.has(plain)) return [`${field}.name: ${name} is a duplicate`];
  seen.add(plain);
  return [];
}

function actionFunctionProblems(
  { perform, change }: Readonly<Record<string, unknown>>,
  field: string,
): readonly string[] {
  return [
    ...(typeof perform === "function" ? [] : [`${field}.perform: must be a function`]),
    ...(change === undefined || typeof change === "function"
      ? []
      : [`${field}.change: must be a function`]),
  ];
}

function actionSchemaProblems(
  action: Readonly<Record<string, unknown>>,
  field: string,
): readonly string[] {
  return ["inputSchema", "outputSchema"].flatMap((key) => {
    const schema = action[key];
    return schema === undefined ? [] : schemaProblems(schema, `${field}.${key}`);
  });
}

/** What only shows beside the other faces; a name that is none has no place there. */
function placeProblems(
  { kind, provider, type }: Readonly<Record<string, unknown>>,
  around: FaceSurroundings,
): readonly string[] {
  const problems: string[] = [];
  if (!matches(type, typePattern)) return problems;
  if (takenTypes.has(type.split("/")[0]?.toLowerCase() ?? "")) {
    problems.push(`type: ${type} is reserved: every provider has that path`);
  }
  if (!matches(provider, providerPattern)) return problems;
  const same = around.find(provider, type);
  if (same !== undefined) {
    problems.push(`type: ${provider}/${type} already presents the kind ${same.kind}`);
  }
  const other = typeof kind === "string" ? around.byKind(kind) : undefined;
  if (other !== undefined && other !== same) {
    problems.push(`kind: ${other.kind} is already presented as ${other.provider}/${other.type}`);
  }
  const parent = type.slice(0, Math.max(type.lastIndexOf("/"), 0));
  if (parent !== "" && around.find(provider, parent) === undefined) {
    problems.push(`type: the parent type ${provider}/${parent} of ${type} does not exist`);
  }
  return problems;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
