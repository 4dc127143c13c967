// The variables of admission expressions and their types. Objects are whatever they are; the
// request and the namespace have fixed fields, so that a misspelt one is found when the expression
// is compiled.

import type { CelType } from "../../../kernel/cel/types.ts";
import { boolType, dynType, intType, listType, mapType } from "../../../kernel/cel/types.ts";
import { stringType, structType, timestampType } from "../../../kernel/cel/types.ts";
import { authorizerType, resourceCheckType } from "./authorizer.ts";

export interface VariableChoice {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Variables that a policy defines itself, by name. */
  readonly own?: ReadonlyMap<string, CelType>;
}

export function variableTypes({
  hasParams,
  hasAuthorizer,
  own,
}: VariableChoice): Readonly<Record<string, CelType>> {
  return {
    object: dynType,
    oldObject: dynType,
    namespaceObject: namespaceType,
    request: requestType,
    ...(hasParams ? { params: dynType } : {}),
    ...(hasAuthorizer
      ? { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType }
      : {}),
    ...(own === undefined ? {} : { variables: structType("kubernetes.variables", own) }),
  };
}

const struct = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  structType(name, new Map(Object.entries(fields)));

const texts = listType(stringType);
const labels = mapType(stringType, stringType);

const kindType = struct("kubernetes.GroupVersionKind", {
  group: stringType,
  version: stringType,
  kind: stringType,
});

const resourceType = struct("kubernetes.GroupVersionResource", {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const userType = struct("kubernetes.UserInfo", {
  username: stringType,
  uid: stringType,
  groups: texts,
  extra: mapType(stringType, texts),
});

const requestType = struct("kubernetes.AdmissionRequest", {
  kind: kindType,
  resource: resourceType,
  subResource: stringType,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: userType,
  dryRun: boolType,
  options: dynType,
});

const namespaceType = struct("kubernetes.Namespace", {
  metadata: struct("kubernetes.NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels,
    annotations: labels,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  spec: struct("kubernetes.NamespaceSpec", { finalizers: texts }),
  status: struct("kubernetes.NamespaceStatus", {
    conditions: listType(
      struct("kubernetes.NamespaceCondition", {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});
