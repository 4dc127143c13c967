// What is refused when a user writes an OidcIssuer or an OidcClient.

import type { AdmissionPlugin, AdmissionRequest } from "../../intents/admission/admission.ts";
import { findShared } from "../../intents/admission/shared-resource.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { checkReferences } from "../../intents/auth/secret-access.ts";
import type { LiveView } from "../../intents/live-view.ts";
import { invalid } from "../../intents/refusals.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson } from "../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { clientErrors } from "./client-errors.ts";
import { issuerErrors } from "./issuer-errors.ts";
import { clientsKind } from "./kinds/client-kind.ts";
import { issuersKind, sharedIssuer } from "./kinds/issuer-kind.ts";

export interface OidcGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly authorizer: Authorizer;
}

export function oidcGuard({ live, authorizer }: OidcGuardPorts): AdmissionPlugin {
  return {
    name: "OidcClients",
    validate: (request) => {
      const { target, object, caller } = request;
      if (object === undefined || !isSpecWritten(request)) return;
      if (target.served.id === issuersKind) {
        refuse(request, issuerErrors(object));
        checkReferences(authorizer, caller.user, target, tokenReferences(object));
        return;
      }
      const name = textAt(object, "spec", "issuer");
      const reference = { ...sharedIssuer, field: "spec.issuer", name };
      const found = findShared(live, { ...reference, namespace: target.namespace });
      const errors = found.kind === "error" ? [found.error] : [];
      refuse(request, [...errors, ...clientErrors(object)]);
    },
  };
}

/** Writes of labels or the status are not checked: the OidcIssuer may have changed since. */
function isSpecWritten({ target, operation, object, old }: AdmissionRequest): boolean {
  const isOurs = [issuersKind, clientsKind].includes(target.served.id) && target.subresource === "";
  if (!isOurs || (operation !== "CREATE" && operation !== "UPDATE")) return false;
  return old === undefined || !equalJson(old.spec, object?.spec);
}

function refuse({ target }: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
}

function tokenReferences(issuer: Resource): Parameters<typeof checkReferences>[3] {
  const at = ["registration", "initialAccessToken", "secretRef"] as const;
  const secretRef = presentObjectAt(issuer.spec, ...at);
  if (secretRef === undefined) return [];
  const [namespace, name] = [textAt(secretRef, "namespace"), textAt(secretRef, "name")];
  return [{ field: `spec.${at.join(".")}`, namespace, name }];
}
