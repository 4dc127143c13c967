// The values of the variables for one request, in the version that was matched.

import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import type { CelValue } from "../../../kernel/cel/values.ts";
import type { Json, MutableJsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Authorizer } from "../../auth/policy.ts";
import type { Found } from "../../kinds/registry.ts";
import type { AdmissionRequest } from "../admission.ts";
import { nameOf, namespaceOf } from "../attributes.ts";
import type { ShownDocuments } from "../shown-version.ts";
import { authorizerValue, resourceCheckValue } from "./authorizer.ts";
import { requestDocument } from "./request-document.ts";

export type Bindings = Readonly<Record<string, CelValue | undefined>>;

export interface BindingsInput {
  readonly request: AdmissionRequest;
  readonly found: Found;
  readonly shown: ShownDocuments;
  readonly authorizer: Authorizer;
}

export function bindingsFor({ request, found, shown, authorizer }: BindingsInput): Bindings {
  const { target, caller, isDryRun, options } = request;
  const { kind } = target.served;
  const document = { ...requestDocument(request, found), dryRun: isDryRun, options };
  return {
    object: valueOf(shown.object),
    oldObject: valueOf(shown.old),
    request: dynamicValue(document),
    namespaceObject: null,
    params: null,
    authorizer: authorizerValue(authorizer, caller.user),
    "authorizer.requestResource": resourceCheckValue(authorizer, caller.user, {
      group: kind.group,
      resource: kind.names.plural,
      subresource: target.subresource,
      namespace: namespaceOf(request),
      name: nameOf(request),
    }),
  };
}

export function valueOf(document: Resource | undefined): CelValue {
  return document === undefined ? null : dynamicValue(document);
}

const namespaceMetadata = [
  "name",
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
] as const;

/** Of a namespace, expressions see what concerns the namespace and not who wrote it. */
export function namespaceValue(namespace: Resource): CelValue {
  const metadata: MutableJsonObject = {};
  for (const key of namespaceMetadata) {
    const value = namespace.metadata[key];
    if (value !== undefined) metadata[key] = value;
  }
  const { spec = {}, status = {} } = namespace as { spec?: Json; status?: Json };
  return dynamicValue({ metadata, spec, status });
}
