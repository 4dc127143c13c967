// The checks of an OidcIssuer that its schema cannot express.

import { selectorFieldErrors } from "../../intents/builtin/syntax-checks.ts";
import { certificatesProblem } from "../../kernel/certificates.ts";
import { forbiddenField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { objectAt, presentObjectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { baseUrlProblem, isHttps, isLoopbackHttp } from "../../kernel/secure-url.ts";

export function issuerErrors(issuer: Resource): readonly FieldError[] {
  const spec = objectAt(issuer, "spec");
  const errors: FieldError[] = [];
  const problem = urlProblem(textAt(spec, "issuer"));
  // The value may contain a password, which is the mistake.
  if (problem !== undefined) errors.push(forbiddenField("spec.issuer", problem));
  const ca = textAt(spec, "ca");
  const wrongCa = ca === "" ? undefined : certificatesProblem(ca);
  if (wrongCa !== undefined) errors.push(forbiddenField("spec.ca", wrongCa));
  const isIdentified = textAt(spec, "registration", "softwareId") === "Identifies";
  const token = presentObjectAt(spec, "registration", "initialAccessToken");
  if (isIdentified && token === undefined) {
    const why =
      "is required when softwareId is Identifies: without it, any caller of the provider can " +
      "replace a client whose software_id is known";
    errors.push(requiredField("spec.registration.initialAccessToken", why));
  }
  const allowed = objectAt(spec, "allow", "namespaces");
  return [...errors, ...selectorFieldErrors(allowed, "selector", "spec.allow.namespaces")];
}

function urlProblem(text: string): string | undefined {
  const problem = baseUrlProblem(text);
  if (problem !== undefined || isHttps(text) || isLoopbackHttp(text)) return problem;
  return "must start with https://; http:// is allowed to loopback addresses only";
}
