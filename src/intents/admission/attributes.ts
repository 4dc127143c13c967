// What rules and selectors of webhooks, policies and quotas look at: the request in the terms of
// the Kubernetes API. A namespace lies in itself there, so that rules about a namespace also hold
// for the namespace object.

import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { forbidden } from "../refusals.ts";
import type { Target } from "../request.ts";
import type { AdmissionRequest } from "./admission.ts";

export const namespacesKind = "namespaces";

const admissionGroup = "admissionregistration.k8s.io";

/** The name of the request; empty while the server has still to choose one. */
export function nameOf({ target, isNameGenerated = false }: AdmissionRequest): string {
  return isNameGenerated ? "" : target.name;
}

export function namespaceOf(request: AdmissionRequest): string {
  const { target } = request;
  return isNamespaceKind(target) ? nameOf(request) : target.namespace;
}

export function isNamespaceKind({ served }: Target): boolean {
  return served.id === namespacesKind;
}

/** Policies about policies could lock everybody out, so there are none. */
export function isExempt({ served }: Target): boolean {
  return served.kind.group === admissionGroup;
}

/** A refusal by a policy, about the object of the request. */
export function refusedBy(request: AdmissionRequest, why: string): SetpointError {
  const { target, object } = request;
  const generated = object?.metadata["generateName"];
  const chosen = nameOf(request);
  const name = chosen === "" && typeof generated === "string" ? generated : chosen;
  return forbidden(target.served.kind, name === "" ? "Unknown" : name, why);
}

export function internalError(why: string, cause?: unknown): SetpointError {
  const details: JsonObject = { causes: [{ message: why }] };
  return new SetpointError("webhook.failed", `Internal error occurred: ${why}`, { details, cause });
}
