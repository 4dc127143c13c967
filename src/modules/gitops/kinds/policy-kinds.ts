// GitOpsPolicy and HealthRule: cluster-wide kinds of administrators.

import { allowedNamespaces } from "../../../kernel/allowed-namespaces.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { described, list, name, object } from "../../../kernel/schema-parts.ts";
import { anyText, flag, gitopsKind, healthChecks, longText, syncWindows } from "./kind-parts.ts";
import { textColumn } from "./kind-parts.ts";

const patterns = list({ type: "string", minLength: 1, maxLength: 2_048 }, 1_000);
const name256 = { type: "string", minLength: 1, maxLength: 256 };
const kinds = list(object({ group: anyText, kind: name }, ["kind"]), 1_000);

const spec: JsonObject = object({
  namespaces: allowedNamespaces,
  repositories: object({
    allow: described(patterns, "URLs with *; {namespace} is that of the tenant. Default: all."),
    deny: patterns,
    allowPrivate: described(
      object({
        cidrs: list({ type: "string", maxLength: 64 }, 100),
        hosts: list({ type: "string", maxLength: 253 }, 100),
      }),
      "Private, loopback and link-local addresses that may be reached. Default: none.",
    ),
    allowLocal: described(
      patterns,
      "What follows local:// in URLs that may be used, with * and {namespace}. Default: none.",
    ),
    requireSignature: described(flag, "Whether every source needs `verify`."),
  }),
  destinations: object({
    namespaces: described(
      patterns,
      "Namespaces that may be written, in this server. Default: {namespace}.",
    ),
    clusterScoped: described(flag, "Grants objects without a namespace, in this server."),
    clusters: described(
      list(
        object(
          {
            name: described(name256, "Of a data-plane cluster, with *."),
            namespaces: described(patterns, "Of the cluster, with *. Default: {namespace}."),
            clusterScoped: described(flag, "Grants objects without a namespace."),
          },
          ["name"],
        ),
        100,
      ),
      "Data-plane clusters whose agents apply objects. Default: none.",
    ),
    servers: described(patterns, "URLs of managed environments. Default: all public ones."),
  }),
  kinds: object({ allow: described(kinds, "Default: all."), deny: kinds }),
  render: object({
    remoteBases: described(flag, "Grants kustomize access to remote bases."),
    helm: described(flag, "Whether charts may be rendered. Default: true."),
  }),
  windows: syncWindows,
  maxDeployments: { type: "integer", minimum: 0, maximum: 1_000_000 },
});

/**
 * Restrictions hold when any policy for the namespace states them. Grants (allowPrivate,
 * allowLocal, clusterScoped, other namespaces, remoteBases) hold when one of them states them.
 */
export const policyKind = gitopsKind({
  names: { plural: "gitopspolicies", kind: "GitOpsPolicy" },
  scope: "Cluster",
  spec,
  columns: [textColumn("Namespaces", ".spec.namespaces.names")],
});

export const healthRuleKind = gitopsKind({
  names: { plural: "healthrules", kind: "HealthRule" },
  scope: "Cluster",
  spec: object(
    {
      rules: healthChecks,
      description: longText,
    },
    ["rules"],
  ),
  columns: [textColumn("Kinds", ".spec.rules[*].kind")],
});
