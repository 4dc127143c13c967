// An expression that reads a secret can fill only a secret field of the target. A field is secret
// when its kind says so, for it or for something that contains it. Pure.

import type { ReadPath } from "../../../kernel/cel/reads.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField } from "../../../kernel/field-error.ts";
import type { Kind } from "../../../kernel/kind.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import { secretPointers } from "../../../kernel/field-rules.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { formatPointer, parsePointer, removeAt } from "../../../kernel/pointer.ts";
import type { Tokens } from "../../../kernel/pointer.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { Template, TemplateText } from "../../../kernel/template/template.ts";

export type SealingKind = Pick<Kind, "fieldRules" | "group" | "names">;

/** Whether what is stored at a place of a document is sealed. */
export function isSecretPlace(kind: SealingKind, place: Tokens): boolean {
  if (isStringData(kind, place[0])) return true;
  return kind.fieldRules.some(({ rule, segments }) => {
    if (rule !== "secret" && rule !== "sealed") return false;
    if (segments.length > place.length) return false;
    return segments.every((segment, depth) => segment === "*" || segment === place[depth]);
  });
}

/** A Secret accepts its data as texts too, and stores them as data. */
function isStringData({ group, names }: SealingKind, field: string | undefined): boolean {
  return field === "stringData" && group === "" && names.kind === "Secret";
}

/** Pointers of the values that are sealed when the document is stored. */
export function sealedPointers(kind: SealingKind, document: JsonObject): readonly string[] {
  const found = secretPointers(kind, document);
  if (!isStringData(kind, "stringData")) return found;
  const texts = Object.keys(objectAt(document, "stringData"));
  return [...found, ...texts.map((key) => formatPointer(["stringData", key]))];
}

/** Without everything that is sealed or never shown. */
export function shownDocument(kind: SealingKind, document: JsonObject): JsonObject {
  let shown: Json = withoutHidden(kind, document);
  for (const path of secretPointers(kind, shown)) shown = removeAt(shown, parsePointer(path));
  const object = shown as JsonObject;
  return isStringData(kind, "stringData") ? withoutKey(object, "stringData") : object;
}

/** The first secret that a text reads, as it is written; undefined when it reads none. */
export function secretIn(
  { reads }: Pick<TemplateText, "reads">,
  secretParameters: ReadonlySet<string>,
): string | undefined {
  return reads.find((read) => isSecretRead(read, secretParameters))?.join(".");
}

function isSecretRead(read: ReadPath, secretParameters: ReadonlySet<string>): boolean {
  const [root, name = "", ...parts] = read;
  if (root === "secrets") return true;
  if (root === "parameters") return secretParameters.has(name);
  // Below a name, or below a position of it.
  return (root === "resources" || root === "externals") && parts.includes("secretOutputs");
}

/** `kind` is undefined when it is not served: no field of it is known to be secret. */
export function secretFlowErrors(
  document: Template,
  secretParameters: ReadonlySet<string>,
  kind: SealingKind | undefined,
): readonly FieldError[] {
  return document.texts.flatMap((text) => {
    const secret = secretIn(text, secretParameters);
    if (secret === undefined) return [];
    if (kind !== undefined && isSecretPlace(kind, text.place)) return [];
    const name = kind === undefined ? "the kind" : kind.names.kind;
    const detail =
      `reads the secret ${secret}, and ${text.place.join(".")} is not a secret field of ${name}: ` +
      "use a field that the kind declares as secret";
    return [forbiddenField(text.path, detail)];
  });
}

/** Links and status endpoints are shown to every reader. */
export function shownSecretErrors(
  texts: readonly TemplateText[],
  secretParameters: ReadonlySet<string>,
): readonly FieldError[] {
  return texts.flatMap((text) => {
    const secret = secretIn(text, secretParameters);
    if (secret === undefined) return [];
    return [forbiddenField(text.path, `reads the secret ${secret}, and the text is shown`)];
  });
}
