// The checks of an OidcClient that its schema cannot express.

import { forbiddenField, invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { textAt, valueAt } from "../../kernel/json-read.ts";
import { subdomainProblems } from "../../kernel/names.ts";
import type { Resource } from "../../kernel/resource.ts";
import { metadataOf } from "./provider/client-metadata.ts";

export function clientErrors(client: Resource): readonly FieldError[] {
  const { grantTypes, redirectUris, scopes } = metadataOf(client);
  const errors = redirectUris.flatMap((uri, index): readonly FieldError[] => {
    const problem = uriProblem(uri);
    const field = `spec.redirectUris[${index}]`;
    return problem === undefined ? [] : [invalidField(field, uri, problem)];
  });
  if (grantTypes.includes("authorization_code") && redirectUris.length === 0) {
    const why = "is required for the grant type authorization_code";
    errors.push(requiredField("spec.redirectUris", why));
  }
  for (const [index, scope] of scopes.entries()) {
    if (/^[\u0021\u0023-\u005b\u005d-\u007e]+$/.test(scope)) continue;
    const why = "must be one scope: printable ASCII without spaces, quotes and backslashes";
    errors.push(invalidField(`spec.scopes[${index}]`, scope, why));
  }
  const secretName = textAt(client, "spec", "secretName");
  for (const problem of subdomainProblems(secretName)) {
    errors.push(invalidField("spec.secretName", secretName, problem));
  }
  const rotation = valueAt(client, "spec", "rotation");
  if (typeof rotation === "string" && rotation.length > maxRotationChars) {
    const why = `must have at most ${maxRotationChars} characters`;
    errors.push(forbiddenField("spec.rotation", why));
  }
  return errors;
}

const maxRotationChars = 100;

/** RFC 6749, section 3.1.2. The provider may have stricter rules. */
function uriProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an absolute URI";
  if (text.includes("#")) return "must not have a fragment";
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") return "must not contain a user name or a password";
  return undefined;
}
