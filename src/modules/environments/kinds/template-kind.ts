// The kind Template: one version of the description of an environment. Its spec cannot be changed;
// a change is another version.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { anything, choice, described, list, map } from "../../../kernel/schema-parts.ts";
import { name, object, text } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { displayName, entryPoints, expressionText, freeObject, key } from "./kind-parts.ts";
import { longText, seconds, statusEndpoints, tags, versions } from "./kind-parts.ts";

const parameter: JsonObject = described(
  object(
    {
      type: choice("string", "integer", "number", "boolean", "array", "object"),
      description: longText,
      default: anything,
      required: described({ type: "boolean" }, "Whether an Environment must state it."),
      secret: described(
        { type: "boolean" },
        "Whether it is stated in secretParameters. It can feed only secret fields.",
      ),
      enum: list(anything, 1_000),
      pattern: text,
      minLength: { type: "integer", minimum: 0 },
      maxLength: { type: "integer", minimum: 0 },
      minimum: { type: "number" },
      maximum: { type: "number" },
      minItems: { type: "integer", minimum: 0 },
      maxItems: { type: "integer", minimum: 0 },
      items: freeObject,
      properties: map(freeObject),
    },
    ["type"],
  ),
  "A parameter, as a part of JSON Schema.",
);

const target: JsonObject = described(
  object(
    {
      apiVersion: text,
      kind: text,
      metadata: object({
        name: described(expressionText, "Default: ENVIRONMENT.KEY, or ENVIRONMENT.KEY.INDEX."),
        labels: map(expressionText),
        annotations: map({ type: "string", maxLength: 65_536 }),
      }),
      spec: freeObject,
      data: freeObject,
      stringData: freeObject,
    },
    ["apiVersion", "kind"],
  ),
  "The document that is applied: any namespaced kind. Its texts may contain CEL in ${…}.",
);

const dependsOn: JsonObject = described(
  list({ type: "string", minLength: 1, maxLength: 300 }, environmentLimits.maxDependencies),
  "Keys of other resources, or external/NAME. References in expressions count without it.",
);

const resource: JsonObject = object(
  {
    key,
    name: displayName,
    description: longText,
    tags,
    count: described(
      { "x-kubernetes-int-or-string": true },
      "How many instances: a number, or an expression over parameters and environment.",
    ),
    dependsOn,
    group: described(key, "The id of a resource group."),
    template: target,
    readyWhen: described(
      expressionText,
      "CEL over `resource`: the target is ready. Default: its condition Ready is True.",
    ),
    outputs: described(
      map(expressionText, environmentLimits.maxOutputs),
      "CEL over `resource` by name. Default: status.outputs of the target.",
    ),
    entryPoints,
    statusEndpoints,
  },
  ["key", "template"],
);

const group: JsonObject = object(
  {
    id: key,
    name: displayName,
    description: longText,
    tags,
    resources: described(
      list(object({ id: key, template: name }, ["id"]), environmentLimits.maxTemplateResources),
      "Links: the key of a resource and the Template that creates it. Default: this one.",
    ),
    dependsOn: described(list(key, environmentLimits.maxGroups), "Groups that come before it."),
  },
  ["id"],
);

const external: JsonObject = object(
  {
    name: key,
    description: longText,
    resource: described(name, "Name of the ExternalResource. Default: the same name."),
  },
  ["name"],
);

const action: JsonObject = object(
  {
    name: key,
    description: longText,
    app: described(
      object({ url: expressionText, name: text, command: expressionText }),
      "The application that the action calls, and the command that it executes.",
    ),
    on: described(
      list(choice("Request", "AfterDeploy", "BeforeDestroy"), 3),
      "When it runs. Default: on request.",
    ),
    template: described(
      target,
      "What runs it. Expressions may read `action`. Default: an HttpCall of app.url.",
    ),
    readyWhen: expressionText,
  },
  ["name"],
);

const generatedSecret: JsonObject = object(
  {
    name: key,
    description: longText,
    bytes: described({ type: "integer", minimum: 16, maximum: 256 }, "Default: 32."),
    format: choice("base64url", "hex"),
  },
  ["name"],
);

const subjects: JsonObject = object({ users: list(text), groups: list(text) });

const permissions: JsonObject = described(
  object({
    deploy: subjects,
    approve: subjects,
    destroy: subjects,
    approval: described(
      choice("Automatic", "Required"),
      "Whether changes of its Environments need an approved Plan. Default: Automatic.",
    ),
    selfApproval: described(
      { type: "boolean" },
      "Whether users may approve their own changes. Default: true.",
    ),
  }),
  "Users and groups that may use it, besides what RBAC requires. An absent list restricts nothing.",
);

const spec: JsonObject = object(
  {
    id: key,
    version: { type: "integer", minimum: 1 },
    name: displayName,
    description: longText,
    tags,
    source: object({
      repository: text,
      commit: described(
        { type: "string", pattern: "^[0-9a-f]{7,64}$" },
        "The commit that contains this version.",
      ),
      path: text,
    }),
    parameters: map(parameter, environmentLimits.maxParameters),
    resources: list(resource, environmentLimits.maxTemplateResources),
    resourceGroups: list(group, environmentLimits.maxGroups),
    externals: list(external, environmentLimits.maxExternals),
    actions: list(action, environmentLimits.maxActions),
    secrets: described(
      list(generatedSecret, 100),
      "Secrets to generate once for each Environment; expressions read secrets.NAME.",
    ),
    entryPoints,
    statusEndpoints,
    validation: described(
      object({ timeoutSeconds: { ...seconds, minimum: 1 } }),
      "How long status endpoints may take to become healthy after a deployment. Default: 600 s.",
    ),
    lifetime: described(
      object({ defaultSeconds: seconds, maximumSeconds: seconds }),
      "Default and maximum time from the creation of an Environment to its planned destruction.",
    ),
    permissions,
  },
  ["id", "version", "resources"],
);

export const templateKind: KindInput = {
  group: environmentsGroup,
  names: { plural: "templates", kind: "Template", categories: ["environment-kinds"] },
  scope: "Namespaced",
  versions: versions(
    { spec },
    [
      { name: "Id", type: "string", jsonPath: ".spec.id" },
      { name: "Version", type: "integer", jsonPath: ".spec.version" },
      { name: "Display Name", type: "string", jsonPath: ".spec.name" },
      { name: "Commit", type: "string", jsonPath: ".spec.source.commit" },
    ],
    [".spec.id"],
  ),
  fieldRules: [{ path: "/spec", rule: "create-only" }],
};
