// What a kind says about a spec that a face made for it. A client can only mend fields that its
// api-version has: those are told as they are. A field that it does not have was filled by the
// functions of the version out of something else, so no field of the client is named, and the
// author finds in the log which it is. What an action wants is its author's alone to mend, since
// what clients give it was judged before: that is a fault of ours.

import { isSetpointError } from "../../../kernel/errors.ts";
import { fieldErrorsOf } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Addressed } from "../request/addressed.ts";
import { armRefusals, fieldProblem, distinctProblems, fieldCode } from "../protocol/arm-error.ts";
import type { ArmProblem } from "../protocol/arm-error.ts";
import type { ArmSurface, FaceMistake } from "../request/surface-state.ts";
import type { ArmAction } from "../../../modules/resource-provider/face.ts";
import { plainWords, sentence } from "../../../kernel/field-error-words.ts";

/** The write of what a client sent, refused in terms of what it sent. */
export async function asSentTo<T>(
  { onMistake }: Pick<ArmSurface, "onMistake">,
  found: Pick<Addressed, "face" | "version">,
  write: Promise<T>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const causes = specCauses(error);
    const { schema } = found.version;
    const strange = causes.filter(({ path }) => !isOf(schema, tokensOf(path)));
    if (strange.length === 0) throw error;
    onMistake?.(mistakeOf(found, "refused", fieldsOf(strange)));
    const problems = causes.map((cause) =>
      strange.includes(cause) ? strangeProblem(cause) : fieldProblem(cause),
    );
    throw armRefusals(distinctProblems(problems));
  }
}

/** The write of what an action wants. */
export async function asWantedBy<T>(
  { found, action }: { readonly found: Addressed; readonly action: ArmAction },
  write: Promise<T>,
): Promise<T> {
  return await write.catch((error: unknown) => {
    throw actionFault(found, action, error) ?? error;
  });
}

/** It does not tell what is in the fields, and so has no cause, which would. */
function actionFault(found: Addressed, action: ArmAction, error: unknown): Error | undefined {
  const causes = specCauses(error);
  if (causes.length === 0) return undefined;
  const { type, kind, apiVersion, fields } = mistakeOf(found, "refused", fieldsOf(causes));
  return new Error(
    `the action ${action.name} of ${type} (${apiVersion}) returned a spec that the kind ${kind} ` +
      `refuses: ${fields.join(", ")}`,
  );
}

/** None when it is refused for something else as well. */
function specCauses(error: unknown): readonly FieldError[] {
  if (!isSetpointError(error, "resource.invalid")) return [];
  const causes = fieldErrorsOf(error.details);
  return causes.every(({ path }) => /^spec(?=$|[.[])/.test(path)) ? causes : [];
}

/** A secret that a client has taken away stays when the function of the version brings it back. */
export function tellKept(
  { onMistake }: Pick<ArmSurface, "onMistake">,
  found: Pick<Addressed, "face" | "version">,
  kept: readonly string[],
): void {
  if (kept.length > 0) onMistake?.(mistakeOf(found, "kept", kept));
}

function mistakeOf(
  { face, version }: Pick<Addressed, "face" | "version">,
  what: FaceMistake["what"],
  fields: readonly string[],
): FaceMistake {
  const { provider, type, kind } = face;
  const { apiVersion } = version;
  return { what, type: `${provider}/${type}`, kind, apiVersion, fields };
}

function fieldsOf(causes: readonly FieldError[]): readonly string[] {
  return [...new Set(causes.map(({ path }) => path))];
}

function strangeProblem(error: FieldError): ArmProblem {
  const name = error.path.replace(/^spec\.?/, "");
  const text = `The properties cannot be stored because '${name}' ${plainWords(error)}`;
  const isChange = fieldCode(error) === "PropertyChangeNotAllowed";
  const code = isChange ? "PropertyChangeNotAllowed" : "InvalidParameter";
  return { code, message: sentence(text), target: "properties" };
}

function tokensOf(field: string): readonly string[] {
  return field
    .split(/[.[\]]+/)
    .filter((token) => token !== "")
    .slice(1);
}

/** Whether the schema has the field; below what may hold anything, it has. */
function isOf(schema: Json, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!isJsonObject(schema)) return false;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return true;
  const open = getOwn(schema, "additionalProperties");
  if (open !== undefined && open !== false) return true;
  const items = getOwn(schema, "items");
  if (items !== undefined) return isOf(items, rest);
  const fields = getOwn(schema, "properties");
  const field = isJsonObject(fields) ? getOwn(fields, key) : undefined;
  return field !== undefined && isOf(field, rest);
}
