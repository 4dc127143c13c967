// A key of a Secret, as cluster-wide kinds name it.

import { secretKey } from "../../../engine/external/secret-key.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { SecretReference } from "../../../intents/auth/secret-access.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { name, object, text } from "../../../kernel/schema-parts.ts";

export const secretRefSchema = object(
  { secretRef: object({ namespace: name, name, key: text }, ["namespace", "name", "key"]) },
  ["secretRef"],
);

/** Empty when the field is absent. A run waits until the Secret has the key. */
export async function readSecretRef(
  context: Pick<Context, "references">,
  holder: JsonObject,
): Promise<string> {
  const secretRef = objectAt(holder, "secretRef");
  if (textAt(secretRef, "name") === "") return "";
  return await secretKey(context, {
    namespace: textAt(secretRef, "namespace"),
    name: textAt(secretRef, "name"),
    key: textAt(secretRef, "key"),
  });
}

/** For the check that the writer may read the Secret. */
export function secretRefAt(spec: JsonObject, ...path: string[]): readonly SecretReference[] {
  const secretRef = objectAt(spec, ...path, "secretRef");
  if (textAt(secretRef, "name") === "") return [];
  const field = ["spec", ...path, "secretRef"].join(".");
  return [{ field, namespace: textAt(secretRef, "namespace"), name: textAt(secretRef, "name") }];
}
