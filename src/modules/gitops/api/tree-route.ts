// The objects of a deployment with those that they own, as far as the caller may read them.

import type { Route, RoutePorts } from "../../../contract/route.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { gitopsLimits } from "../limits.ts";
import type { SyncInput } from "../sync/sync-input.ts";
import { readTree } from "../tree/read-tree.ts";
import {
  contextOf,
  deploymentAccess,
  deploymentOf,
  deploymentPath,
  parameters,
} from "./request.ts";

const text = (description: string): JsonObject => ({ type: "string", description });

const node: JsonObject = {
  type: "object",
  required: ["group", "version", "kind", "namespace", "name", "children"],
  properties: {
    group: { type: "string" },
    version: { type: "string" },
    kind: { type: "string" },
    namespace: { type: "string" },
    name: { type: "string" },
    status: text("Of a managed object: Synced, OutOfSync or Unknown."),
    health: {
      type: "object",
      properties: { status: { type: "string" }, message: { type: "string" } },
      description: "Absent where the kind has no rule.",
    },
    hook: { type: "boolean" },
    prune: { type: "boolean" },
    children: {
      type: "array",
      items: { type: "object" },
      description: "The objects that name this one as an owner, as nodes.",
    },
  },
};

const tree: JsonObject = {
  type: "object",
  required: ["namespace", "name", "environment", "nodes", "hidden", "omitted", "notes"],
  properties: {
    namespace: { type: "string" },
    name: { type: "string" },
    environment: text("The managed environment; empty for this server."),
    nodes: { type: "array", items: node, description: "The managed objects." },
    hidden: { type: "integer", description: "Objects that the caller may not read." },
    omitted: { type: "integer", description: "Objects beyond the bounds of the tree." },
    notes: {
      type: "array",
      items: { type: "string" },
      description: "What is not known about the objects below the managed ones, and why.",
    },
  },
};

export function treeRoute(input: SyncInput, ports: RoutePorts): Route {
  return {
    method: "GET",
    path: `${deploymentPath}/tree`,
    parameters,
    summary: "Show the objects of a deployment, and below each the objects that it owns.",
    description:
      "Managed objects are those of status.resources. Objects of this server that the caller may " +
      "not read are counted. Those below the managed objects of another server are read with the " +
      "kubeconfig of the environment, and shown to callers who may read it.",
    tag: "GitOps",
    access: deploymentAccess("get"),
    isList: true,
    answers: { 200: { description: "The tree.", schema: tree } },
    errors: [403, 404],
    handle: async (request) => {
      const deployment = await deploymentOf(ports, request);
      const limit = AbortSignal.timeout(gitopsLimits.targetTimeoutMs);
      const signal = AbortSignal.any([request.signal, limit]);
      const context = contextOf(input.ports, ports, { ...request, signal }, deployment);
      const { health, targets } = input;
      const document = await readTree({ ports, health, targets, request, context }, deployment);
      return { kind: "document", status: 200, document };
    },
  };
}
