// The kinds ResourceGroup and ExternalResource. A ResourceGroup of an Environment is written by the
// module from its Template; users may create their own, with links to EnvironmentResources. An
// ExternalResource is something that Setpoint does not create and that templates may depend on.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { conditionColumn, count, displayName, freeObject, key } from "./kind-parts.ts";
import { entryPoints, longText, shownHealth, statusEndpoints } from "./kind-parts.ts";
import { tags, versions } from "./kind-parts.ts";
import { anyText as text } from "./kind-parts.ts";

const link: JsonObject = object(
  {
    id: described(name, "Name of an EnvironmentResource."),
    template: described(name, "The Template that creates it."),
    dependsOn: described(list(name), "Ids of links of this group that come before it."),
  },
  ["id"],
);

const groupSpec: JsonObject = object({
  id: key,
  name: displayName,
  description: longText,
  tags,
  environment: name,
  resources: list(link, environmentLimits.maxTemplateResources),
  dependsOn: described(list(name), "Names of the ResourceGroups that come before it."),
});

const groupStatus: JsonObject = object({
  state: choice("Waiting", "Deploying", "Ready", "Failed", "Removing"),
  resources: object({ total: count, ready: count, failed: count }),
});

export const groupKind: KindInput = {
  group: environmentsGroup,
  names: { plural: "resourcegroups", kind: "ResourceGroup", categories: ["environment-kinds"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions({ spec: groupSpec, status: groupStatus }, [
    { name: "Environment", type: "string", jsonPath: ".spec.environment" },
    { name: "Display Name", type: "string", jsonPath: ".spec.name" },
    { name: "State", type: "string", jsonPath: ".status.state" },
  ]),
};

const secretReference: JsonObject = object({ name }, ["name"]);

const externalSpec: JsonObject = object({
  name: displayName,
  description: longText,
  tags,
  outputs: described(freeObject, "Values that templates read as externals.NAME.outputs."),
  secretRef: described(
    secretReference,
    "A Secret of the namespace, read as externals.NAME.secretOutputs.",
  ),
  resource: described(
    object({ apiVersion: text, kind: text, name }, ["apiVersion", "kind", "name"]),
    "A resource of the namespace that it stands for. It must be ready, and has the outputs.",
  ),
  entryPoints,
  statusEndpoints,
});

export const externalKind: KindInput = {
  group: environmentsGroup,
  names: {
    plural: "externalresources",
    kind: "ExternalResource",
    categories: ["environment-kinds"],
  },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions(
    {
      spec: externalSpec,
      status: object({ outputs: freeObject, statusEndpoints: shownHealth }),
    },
    [
      { name: "Display Name", type: "string", jsonPath: ".spec.name" },
      conditionColumn("Ready", "Ready", "status"),
    ],
  ),
};
