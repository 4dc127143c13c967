// What a run needs of an OidcIssuer to call its provider.

import { secretKey } from "../../engine/external/secret-key.ts";
import { waiting } from "../../engine/outcome.ts";
import type { Context } from "../../engine/reconciler.ts";
import { RunEnded } from "../../engine/run/run-ended.ts";
import { presentObjectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { issuersKind } from "./kinds/issuer-kind.ts";
import type { IssuerAccess } from "./provider/provider-call.ts";

export function issuerAccess(issuer: Resource): IssuerAccess {
  const ca = textAt(issuer, "spec", "ca");
  return {
    resourceName: issuer.metadata.name,
    issuer: textAt(issuer, "spec", "issuer"),
    ca: ca === "" ? undefined : ca,
  };
}

/** As the OidcIssuer has discovered it. A run without it waits. */
export function registrationEndpoint({ metadata: { name }, status }: Resource): string {
  const endpoint = textAt(status, "registrationEndpoint");
  if (endpoint !== "") return endpoint;
  const message = `the OidcIssuer ${name} has not found its registration endpoint`;
  throw new RunEnded(waiting({ kind: issuersKind, name, condition: "Ready" }, { message }));
}

/** Undefined where registration needs none. */
export async function initialTokenOf(
  issuer: Resource,
  context: Pick<Context, "references">,
): Promise<string | undefined> {
  const secretRef = presentObjectAt(issuer.spec, "registration", "initialAccessToken", "secretRef");
  if (secretRef === undefined) return undefined;
  return await secretKey(context, {
    namespace: textAt(secretRef, "namespace"),
    name: textAt(secretRef, "name"),
    key: textAt(secretRef, "key"),
  });
}
