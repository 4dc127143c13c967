// What can be done with an environment besides reading and changing its document. Each request
// becomes a change of the Environment, or an Operation or a Plan that its reconciler carries out.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { keyOfTarget } from "../../../intents/request.ts";
import { timeText } from "../../../kernel/clock.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, textAt } from "../../../kernel/json-read.ts";
import { environmentLimits } from "../limits.ts";
import type { OperationType } from "../operations/operation.ts";
import { addressed, readOne, targetOf } from "./documents.ts";
import { accessTo, apiTag, itemAnswer, namespaceQuery } from "./item-routes.ts";
import { environmentNoun, operationNoun, planNoun } from "./nouns.ts";
import type { Noun } from "./nouns.ts";
import { change, create, writtenAnswer } from "./writes.ts";

interface ActionRoute {
  /** The last segments of the path, and of the name of the command. */
  readonly path: string;
  readonly verb: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: JsonObject;
  /** What the route writes: the caller needs the right to write it. */
  readonly writes: Noun;
  readonly needs: "create" | "patch";
  readonly errors?: readonly number[];
  readonly handle: (request: RouteRequest) => Promise<RouteAnswer>;
}

export function environmentActionRoutes(ports: RoutePorts): readonly Route[] {
  return [
    ...stateRoutes(ports).map((action) => actionRoute(action)),
    ...planAndCancelRoutes(ports).map((action) => actionRoute(action)),
    ...operationRoutes(ports).map((action) => actionRoute(action)),
  ];
}

function actionRoute(given: ActionRoute): Route {
  const { path, verb, writes, needs, body, description, errors = [] } = given;
  return {
    method: "POST",
    path: `/api/v1/environments/{id}/${path}`,
    summary: given.summary,
    ...(description === undefined ? {} : { description }),
    tag: apiTag,
    access: accessTo(writes, needs),
    parameters: { id: "The id of an environment.", action: "The name of an action." },
    query: namespaceQuery,
    ...(body === undefined ? {} : { body }),
    idempotency: "by-key",
    etag: true,
    answers: { 202: itemAnswer(writes, "The request is stored and will be carried out.") },
    errors: [403, 404, 409, 412, 422, ...errors],
    command: `environments.${verb}`,
    handle: given.handle,
  };
}

/** Those that change the spec of the Environment. */
function stateRoutes(ports: RoutePorts): readonly ActionRoute[] {
  const patchSpec = async (request: RouteRequest, spec: JsonObject): Promise<RouteAnswer> => {
    const target = addressed(ports, environmentNoun, request);
    return writtenAnswer(202, target, await change(ports, request, target, { spec }));
  };
  const common = { writes: environmentNoun, needs: "patch" } as const;
  return [
    {
      ...common,
      path: "destroy",
      verb: "destroy",
      summary: "Destroy an environment and keep its record.",
      handle: (request) => patchSpec(request, { desired: "Destroyed" }),
    },
    {
      ...common,
      path: "deploy",
      verb: "deploy",
      summary: "Deploy an environment that was destroyed.",
      handle: (request) => patchSpec(request, { desired: "Deployed" }),
    },
    {
      ...common,
      path: "extend",
      verb: "extend",
      summary: "Move the planned destruction of an environment.",
      body: {
        type: "object",
        properties: {
          at: { type: "string", format: "date-time", description: "The new date." },
          seconds: {
            type: "integer",
            minimum: 1,
            maximum: environmentLimits.maxLifetimeSeconds,
            description: "Seconds after the present date, or from now if that is later.",
          },
        },
      },
      handle: async (request) => {
        const at = await extendedTo(ports, request);
        return await patchSpec(request, { plannedDestruction: { at } });
      },
    },
    {
      ...common,
      path: "accept-drift",
      verb: "accept-drift",
      summary: "Accept the drift that was found.",
      body: {
        type: "object",
        required: ["digest"],
        properties: { digest: { type: "string", description: "status.drift.digest." } },
      },
      handle: (request) =>
        patchSpec(request, { drift: { accept: textAt(request.body, "digest") } }),
    },
  ];
}

async function extendedTo(ports: RoutePorts, request: RouteRequest): Promise<string> {
  const at = textAt(request.body, "at");
  const seconds = numberAt(request.body, "seconds");
  if ((at === "") === (seconds === undefined)) {
    const message = "body: exactly one of at and seconds is required";
    throw new SetpointError("request.invalid", message, { details: { field: "body.at" } });
  }
  if (seconds === undefined) return at;
  const { status } = await readOne(ports, addressed(ports, environmentNoun, request));
  const planned = Date.parse(textAt(status, "plannedDestructionAt"));
  const now = ports.intents.clock.nowMs();
  const from = Number.isNaN(planned) ? now : Math.max(planned, now);
  return timeText(from + seconds * 1_000);
}

const resourceBody = {
  type: "object",
  properties: {
    resource: {
      type: "string",
      description: "A key of the template, or the id of a resource. Default: all of them.",
    },
  },
};

function planAndCancelRoutes(ports: RoutePorts): readonly ActionRoute[] {
  return [
    {
      writes: planNoun,
      needs: "create",
      path: "plan",
      verb: "plan",
      summary: "Plan a deployment, without changing anything.",
      description: "Without templates and parameters, the plan is for those of the environment.",
      body: {
        type: "object",
        properties: {
          destroy: { type: "boolean", description: "Plan the destruction." },
          templates: { type: "array", items: { type: "string" }, minItems: 1 },
          parameters: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          secretParameters: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
      handle: async (request) => await createFor(ports, request, planNoun, { ...request.body }),
    },
    {
      writes: operationNoun,
      needs: "patch",
      path: "cancel",
      verb: "cancel",
      summary: "Cancel the operation that runs.",
      body: {
        type: "object",
        properties: {
          force: { type: "boolean", description: "Do not wait for a graceful end." },
        },
      },
      handle: (request) => cancelRunning(ports, request),
    },
  ];
}

/** Those that create an Operation. */
function operationRoutes(ports: RoutePorts): readonly ActionRoute[] {
  const begin = (
    type: OperationType,
    more: (request: RouteRequest) => JsonObject,
  ): Pick<ActionRoute, "writes" | "needs" | "handle"> => ({
    writes: operationNoun,
    needs: "create",
    handle: async (request) =>
      await createFor(ports, request, operationNoun, { type, ...more(request) }),
  });
  return [
    {
      path: "retry",
      verb: "retry",
      summary: "Run unfinished resources again, or one resource and its dependants.",
      body: resourceBody,
      ...begin("Retry", resourceOf),
    },
    {
      path: "rollback",
      verb: "rollback",
      summary: "Return to an earlier deployment.",
      body: {
        type: "object",
        required: ["to"],
        properties: { to: { type: "string", description: "The id of its operation." } },
      },
      ...begin("Rollback", ({ body }) => ({ to: textAt(body, "to") })),
    },
    {
      path: "actions/{action}",
      verb: "run-action",
      summary: "Run an action of the template.",
      ...begin("Action", ({ path }) => ({ action: path["action"] ?? "" })),
    },
    {
      path: "check-drift",
      verb: "check-drift",
      summary: "Compare an environment with the external systems now.",
      body: resourceBody,
      ...begin("CheckDrift", resourceOf),
    },
    {
      path: "reconcile-drift",
      verb: "reconcile-drift",
      summary: "Repair the drift of an environment.",
      body: resourceBody,
      ...begin("ReconcileDrift", resourceOf),
    },
  ];
}

function resourceOf({ body }: RouteRequest): JsonObject {
  const resource = textAt(body, "resource");
  return resource === "" ? {} : { resource };
}

async function createFor(
  ports: RoutePorts,
  request: RouteRequest,
  noun: Noun,
  spec: JsonObject,
): Promise<RouteAnswer> {
  const namespace = textAt(request.query, "namespace");
  const environment = request.path["id"] ?? "";
  // The caller may create it; an environment that does not exist is reported as such.
  await readOne(ports, addressed(ports, environmentNoun, request));
  const body = { spec: { environment, ...spec } };
  const written = await create(ports, request, noun, { namespace, body });
  return writtenAnswer(202, targetOf(ports, noun, { namespace, name: "" }), written);
}

async function cancelRunning(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const target = addressed(ports, environmentNoun, request);
  const { status } = await readOne(ports, target);
  const name = textAt(status, "operation");
  if (name === "") {
    const message = `no operation of the environment ${target.name} is running`;
    throw new SetpointError("resource.conflict", message, {
      suggestion: `list its operations: setpoint env operations ${target.name}`,
    });
  }
  const running = targetOf(ports, operationNoun, { namespace: target.namespace, name });
  return await cancelOperation(ports, request, running);
}

export async function cancelOperation(
  ports: RoutePorts,
  { caller, body }: RouteRequest,
  target: ReturnType<typeof targetOf>,
): Promise<RouteAnswer> {
  const cancel = isTrueAt(body, "force") ? "Force" : "Graceful";
  const patch = { spec: { cancel } };
  const written = await change(ports, { caller, ifMatch: undefined }, target, patch);
  return writtenAnswer(202, target, written);
}

/** Used by the routes of plans. */
export async function approvePlan(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const plan = addressed(ports, planNoun, request);
  const { spec } = await readOne(ports, plan);
  const name = textAt(spec, "environment");
  const environment = targetOf(ports, environmentNoun, { namespace: plan.namespace, name });
  const key = keyOfTarget(environment);
  if ((await ports.store.get(key)) === undefined) {
    const message = `the environment ${name} of the plan ${plan.name} does not exist`;
    throw new SetpointError("resource.not_found", message, {
      suggestion: "create a plan of an environment that exists",
    });
  }
  const patch = { spec: { approvedPlan: plan.name } };
  const { caller } = request;
  const written = await change(ports, { caller, ifMatch: undefined }, environment, patch);
  return writtenAnswer(202, environment, written);
}
