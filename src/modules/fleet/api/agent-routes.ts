// The API of agents, below /api/{plural}_mgmt/v1/agent-clusters. The surface has checked that the
// caller is the agent of the cluster. Handlers read the ManagedInstances of the cluster, and write
// reports. An authorised agent whose cluster does not exist gets 404 with the reason.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Offering } from "../offering.ts";
import { agentCluster } from "./agent-cluster.ts";
import { instancesForAgent } from "./agent-list.ts";
import { agentClusterView } from "./agent-view.ts";
import { takeClusterReport, takeReports } from "./agent-writes.ts";
import type { FleetRoute } from "./fleet-route.ts";
import { watchFields } from "./watch.ts";
import type { WatchPorts } from "./watch.ts";

export function agentRoutes(ports: WatchPorts, offering: Offering): readonly FleetRoute[] {
  const { plural, kind } = offering.instances;
  const shared = { tag: "agents", access: { kind: "agent" }, parameters } as const;
  return [
    {
      ...shared,
      method: "GET",
      path: "/{cluster}",
      summary: "Read the settings of the cluster.",
      answers: { 200: { description: "The settings of the agent.", schema: anyObject } },
      errors: [404],
      handle: async (request) => {
        const document = agentClusterView(agentCluster(ports, request), request.offering);
        return { kind: "document", status: 200, document };
      },
    },
    {
      ...shared,
      method: "PUT",
      path: "/{cluster}/status",
      summary: "Report the state of the cluster.",
      description:
        "The condition Ready decides whether instances are placed on the cluster. Send the " +
        "report when it changes, and at least every minute as a sign of life.",
      body: clusterStatusSchema,
      answers: { 204: { description: "The report is stored." } },
      errors: [400, 404],
      handle: async (request) => {
        await takeClusterReport(ports, request);
        return { kind: "document", status: 204 };
      },
    },
    {
      ...shared,
      method: "GET",
      path: `/{cluster}/${plural}`,
      summary: "List the instances that the agent applies.",
      description:
        "All instances of the cluster, without pages. With watch=true the answer is a stream of " +
        "CHANGE, DELETED and BOOKMARK events.",
      query: { type: "object", properties: watchFields },
      isList: true,
      isWatchable: true,
      answers: {
        200: { description: `A Managed${kind}List.`, schema: listSchema },
      },
      errors: [400, 404, 410],
      handle: async (request) => await instancesForAgent(ports, request),
    },
    {
      ...shared,
      method: "PUT",
      path: `/{cluster}/${plural}/status`,
      summary: "Report the state of instances.",
      description:
        "The body maps ids of instances to reports. Each entry is judged alone. The answer is " +
        "200 also when entries were refused, and lists the first of them with a reason.",
      body: reportsSchema,
      answers: { 200: { description: "How many reports were stored.", schema: resultSchema } },
      errors: [400, 404],
      handle: async (request) => {
        const document = await takeReports(ports, request);
        return { kind: "document", status: 200, document };
      },
    },
  ];
}

const parameters = { cluster: "The id of the cluster." };
const anyObject: JsonObject = { type: "object" };
const anything: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };
const lenient: JsonObject = { type: "object", ...anything };

/** Fields that a newer agent sends are accepted and not used. */
const clusterStatusSchema: JsonObject = {
  ...lenient,
  properties: {
    conditions: { type: "array", items: lenient },
    operators: { type: "array", items: lenient },
    capacity: { type: "object", additionalProperties: lenient },
    unavailable: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Offerings that the cluster cannot host at present, with the reason.",
    },
  },
};

const listSchema: JsonObject = {
  type: "object",
  properties: {
    kind: { type: "string" },
    resource_version: { type: "string" },
    items: { type: "array", items: anyObject },
  },
};

const reportsSchema: JsonObject = { type: "object", additionalProperties: anything };

const resultSchema: JsonObject = {
  type: "object",
  properties: {
    kind: { type: "string" },
    stored: { type: "integer" },
    unchanged: { type: "integer" },
    refused: { type: "integer" },
    refusals: {
      type: "array",
      items: {
        type: "object",
        properties: { id: { type: "string" }, reason: { type: "string" } },
      },
    },
  },
};
