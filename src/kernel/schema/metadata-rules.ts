// The rules of metadata that has been read (see metadata.ts), for a resource embedded in
// another one: names that fit into a path, labels, annotations, owners and finalizers.

import { invalidField, tooLongField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { isNumber } from "../int64.ts";
import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { textAt } from "../json-read.ts";
import { labelKeyProblems, labelValueProblems } from "../labels.ts";
import { limits } from "../limits.ts";
import { dnsLabelProblems } from "../names.ts";

export function metadataProblems(metadata: JsonObject, path: string): readonly FieldError[] {
  return [
    ...named(metadata, "generateName", path, forbiddenParts),
    ...named(metadata, "name", path, segmentProblems),
    ...named(metadata, "namespace", path, dnsLabelProblems),
    ...generationProblems(metadata, path),
    ...labelProblems(getOwn(metadata, "labels"), `${path}.labels`),
    ...annotationProblems(getOwn(metadata, "annotations"), `${path}.annotations`),
    ...ownerProblems(getOwn(metadata, "ownerReferences"), `${path}.ownerReferences`),
    ...finalizerProblems(getOwn(metadata, "finalizers"), `${path}.finalizers`),
    ...managerProblems(getOwn(metadata, "managedFields"), `${path}.managedFields`),
  ];
}

function named(
  metadata: JsonObject,
  key: string,
  path: string,
  problemsOf: (name: string) => readonly string[],
): readonly FieldError[] {
  const name = getOwn(metadata, key);
  if (typeof name !== "string" || name === "") return [];
  return problemsOf(name).map((problem) => invalidField(`${path}.${key}`, name, problem));
}

function segmentProblems(name: string): readonly string[] {
  return name === "." || name === ".." ? [`may not be '${name}'`] : forbiddenParts(name);
}

function forbiddenParts(name: string): readonly string[] {
  return ["/", "%"]
    .filter((part) => name.includes(part))
    .map((part) => `may not contain '${part}'`);
}

function generationProblems(metadata: JsonObject, path: string): readonly FieldError[] {
  const generation = getOwn(metadata, "generation");
  if (!isNumber(generation) || generation >= 0) return [];
  return [invalidField(`${path}.generation`, generation, "must be greater than or equal to 0")];
}

function labelProblems(labels: Json | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of textsOf(labels)) {
    for (const problem of labelKeyProblems(key)) errors.push(invalidField(path, key, problem));
    for (const problem of labelValueProblems(value)) {
      errors.push(invalidField(path, value, problem));
    }
  }
  return errors;
}

function annotationProblems(annotations: Json | undefined, path: string): readonly FieldError[] {
  const texts = textsOf(annotations);
  const errors = texts.flatMap(([key]) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalidField(path, key, problem)),
  );
  const bytes = texts.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes > limits.maxAnnotationsBytes) {
    errors.push(tooLongField(path, limits.maxAnnotationsBytes));
  }
  return errors;
}

function ownerProblems(owners: Json | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of objectsOf(owners)) {
    const [apiVersion, kind, name] = ["apiVersion", "kind", "name"].map((key) =>
      textAt(owner, key),
    );
    if (apiVersion === undefined || apiVersion.endsWith("/") || apiVersion === "") {
      errors.push(invalidField(`${path}.apiVersion`, apiVersion, "version must not be empty"));
    }
    for (const key of ["kind", "name", "uid"]) {
      if (textAt(owner, key) !== "") continue;
      errors.push(invalidField(`${path}.${key}`, "", `${key} must not be empty`));
    }
    if (apiVersion === "v1" && kind === "Event") {
      const detail = "/v1, Kind=Event is disallowed from being an owner";
      errors.push(invalidField(path, owner, detail));
    }
    if (getOwn(owner, "controller") !== true) continue;
    const current = `${kind}/${name}`;
    if (controller === undefined) controller = current;
    else {
      const detail =
        'Only one reference can have Controller set to true. Found "true" in references for ' +
        `${controller} and ${current}`;
      errors.push(invalidField(path, owners, detail));
    }
  }
  return errors;
}

function finalizerProblems(finalizers: Json | undefined, path: string): readonly FieldError[] {
  if (!isJsonArray(finalizers)) return [];
  const names = finalizers.filter((name) => typeof name === "string");
  const errors = names.flatMap((name) =>
    labelKeyProblems(name).map((problem) => invalidField(path, name, problem)),
  );
  if (names.includes("orphan") && names.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalidField(path, finalizers, detail));
  }
  return errors;
}

function managerProblems(entries: Json | undefined, path: string): readonly FieldError[] {
  return objectsOf(entries).flatMap((entry, i) => {
    const errors: FieldError[] = [];
    const operation = getOwn(entry, "operation") ?? "";
    if (operation !== "Apply" && operation !== "Update") {
      const detail = "must be `Apply` or `Update`";
      errors.push(invalidField(`${path}[${i}].operation`, operation, detail));
    }
    const type = getOwn(entry, "fieldsType");
    if (type !== undefined && type !== "FieldsV1") {
      errors.push(invalidField(`${path}[${i}].fieldsType`, type, "must be `FieldsV1`"));
    }
    const manager = getOwn(entry, "manager");
    if (typeof manager === "string" && manager.length > limits.maxFieldManagerLength) {
      errors.push(tooLongField(`${path}[${i}].manager`, limits.maxFieldManagerLength));
    }
    return errors;
  });
}

function textsOf(map: Json | undefined): readonly (readonly [string, string])[] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).map(([key, value]) => [key, textAt(value)]);
}

function objectsOf(list: Json | undefined): readonly JsonObject[] {
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}
