// All routes of the module.

import type { Route, RoutePorts } from "../../../contract/route.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { environmentLabel } from "../names.ts";
import { addressed } from "./documents.ts";
import { approvePlan, cancelOperation, environmentActionRoutes } from "./environment-routes.ts";
import { graphRoute } from "./graph-route.ts";
import { accessTo, apiTag, changeRoute, createRoute, deleteRoute } from "./item-routes.ts";
import { getRoute, itemAnswer, namespaceQuery, replaceRoute } from "./item-routes.ts";
import { hasTags, listRoute } from "./lists.ts";
import type { Filter } from "./lists.ts";
import { logRoute } from "./log-route.ts";
import { environmentNoun, externalNoun, groupNoun, operationNoun } from "./nouns.ts";
import { planNoun, resourceNoun, rolloutNoun, templateNoun } from "./nouns.ts";

const tags: Filter = {
  kind: "test",
  summary: "Tags that it must have, such as team=payments,stage=test.",
  matches: (document, value) => hasTags(objectAt(document, "spec", "tags"), value),
};

const ofEnvironment: Filter = {
  kind: "label",
  key: environmentLabel,
  summary: "Only those of this environment.",
};

const inEnvironment: Filter = {
  kind: "field",
  path: "spec.environment",
  summary: "Only those of this environment.",
};

export function environmentRoutes(ports: RoutePorts): readonly Route[] {
  return [
    ...collectionOfEnvironments(ports),
    ...templateRoutes(ports),
    listRoute(ports, resourceNoun, {
      environment: ofEnvironment,
      state: equal("Only those in this state.", "status", "state"),
      tags,
    }),
    ...editableRoutes(ports, groupNoun),
    ...editableRoutes(ports, externalNoun),
    ...operationRoutes(ports),
    ...planRoutes(ports),
    ...rolloutRoutes(ports),
  ];
}

function collectionOfEnvironments(ports: RoutePorts): readonly Route[] {
  const noun = environmentNoun;
  return [
    listRoute(ports, noun, {
      phase: equal("Only those in this phase, such as DeployedOk.", "status", "phase"),
      template: {
        kind: "test",
        summary: "Only those of this template.",
        matches: (document, value) => textsAt(document, "spec", "templates").includes(value),
      },
      tags,
    }),
    createRoute(ports, noun),
    getRoute(ports, noun),
    replaceRoute(ports, noun),
    changeRoute(ports, noun),
    deleteRoute(
      ports,
      noun,
      "Destroys the environment in reverse order. A DestroyedEnvironment keeps its record.",
    ),
    ...environmentActionRoutes(ports),
    graphRoute(ports),
    logRoute(ports),
  ];
}

function templateRoutes(ports: RoutePorts): readonly Route[] {
  const noun = templateNoun;
  const id: Filter = { kind: "field", path: "spec.id", summary: "Only versions of this template." };
  return [
    listRoute(ports, noun, { id, tags }),
    createRoute(ports, noun),
    getRoute(ports, noun),
    deleteRoute(ports, noun, "A template that an environment uses cannot be deleted."),
  ];
}

function editableRoutes(ports: RoutePorts, noun: typeof groupNoun): readonly Route[] {
  return [
    listRoute(ports, noun, noun === groupNoun ? { environment: ofEnvironment, tags } : { tags }),
    createRoute(ports, noun),
    getRoute(ports, noun),
    replaceRoute(ports, noun),
    changeRoute(ports, noun),
    deleteRoute(ports, noun),
  ];
}

function operationRoutes(ports: RoutePorts): readonly Route[] {
  const noun = operationNoun;
  const phase = equal("Only those in this phase, such as Running.", "status", "phase");
  return [
    listRoute(ports, noun, { environment: inEnvironment, phase }),
    getRoute(ports, noun),
    {
      method: "POST",
      path: "/api/v1/operations/{id}/cancel",
      summary: "Cancel an operation.",
      tag: apiTag,
      access: accessTo(noun, "patch"),
      parameters: { id: "The id of an operation." },
      query: namespaceQuery,
      body: { type: "object", properties: { force: { type: "boolean" } } },
      idempotency: "by-key",
      etag: true,
      answers: { 202: itemAnswer(noun, "The operation will be cancelled.") },
      errors: [403, 404, 409],
      command: "operations.cancel",
      handle: (request) => cancelOperation(ports, request, addressed(ports, noun, request)),
    },
  ];
}

function planRoutes(ports: RoutePorts): readonly Route[] {
  const noun = planNoun;
  const phase = equal("Only those in this phase, such as Ready.", "status", "phase");
  return [
    listRoute(ports, noun, { environment: inEnvironment, phase }),
    getRoute(ports, noun),
    deleteRoute(ports, noun, "Discards the plan."),
    {
      method: "POST",
      path: "/api/v1/plans/{id}/approve",
      summary: "Approve a plan, which is then carried out.",
      description: "A plan is refused when the environment has changed since it was made.",
      tag: apiTag,
      access: accessTo(noun, "approve"),
      parameters: { id: "The id of a plan." },
      query: namespaceQuery,
      idempotency: "by-key",
      etag: true,
      answers: { 202: itemAnswer(environmentNoun, "The environment with the approved plan.") },
      errors: [403, 404, 409, 422],
      command: "plans.approve",
      handle: (request) => approvePlan(ports, request),
    },
  ];
}

function rolloutRoutes(ports: RoutePorts): readonly Route[] {
  const noun = rolloutNoun;
  const phase = equal("Only those in this phase, such as Rolling.", "status", "phase");
  return [
    listRoute(ports, noun, { phase }),
    createRoute(ports, noun),
    getRoute(ports, noun),
    changeRoute(ports, noun),
    deleteRoute(ports, noun, "Environments that were moved stay as they are."),
  ];
}

function equal(summary: string, ...path: readonly string[]): Filter {
  return {
    kind: "test",
    summary,
    matches: (document: JsonObject, value) => textAt(document, ...path) === value,
  };
}
