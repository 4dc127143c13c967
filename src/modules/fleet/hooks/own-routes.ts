// Turns the routes of user modules into routes of the APIs. The surface treats them as its own: it
// authorises the caller, checks query and body, counts, limits and audits the request.

import type { RouteAnswer } from "../../../contract/route.ts";
import type { ExtensionEntry } from "../../../contract/user-module.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { fleetErrorNumber } from "../api/error-catalogue.ts";
import type {
  ApiClass,
  CustomerPorts,
  ExtraRoutes,
  FleetAccess,
  FleetRequest,
  FleetRoute,
} from "../api/fleet-route.ts";
import { documentAnswer } from "../api/page-document.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { routesIn } from "./fleet-extension.ts";
import type { ModuleRoute } from "./fleet-extension.ts";
import type { OwnRequest } from "./own-route.ts";
import { visibleInstances } from "./visible-instances.ts";
import { HookTimedOut, withinLimit } from "./within-limit.ts";

const accessOf: Readonly<Record<ApiClass, FleetAccess>> = {
  public: "member",
  admin: "admin",
  agent: "agent",
};

export function extraRoutes(extensions: readonly ExtensionEntry[]): readonly ExtraRoutes[] {
  const all = routesIn(extensions);
  return (["public", "admin", "agent"] as const).map((apiClass) => ({
    apiClass,
    routesOf: (ports, offering) =>
      all
        .filter((own) => own.offering === offering.name && own.route.class === apiClass)
        .map((own) => fleetRoute(ports, offering, own)),
  }));
}

function fleetRoute(ports: CustomerPorts, offering: Offering, own: ModuleRoute): FleetRoute {
  const { route, module } = own;
  const { method, path, summary, description, parameters, query, body, answers } = route;
  return {
    method,
    path,
    summary,
    tag: `Added by ${module}`,
    access: { kind: accessOf[route.class] },
    answers,
    errors: [400, 401, 403, 404, 500],
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    handle: async (request) => await handle(ports, offering, own, request),
  };
}

async function handle(
  ports: CustomerPorts,
  offering: Offering,
  { module, route }: ModuleRoute,
  request: FleetRequest,
): Promise<RouteAnswer> {
  const name = `the route ${route.method} ${route.path} of the module ${module}`;
  const asked = ownRequest(ports, offering, route.class, route.query, request);
  const limitMs = fleetLimits.hookRouteMs;
  try {
    const answer: unknown = await withinLimit(ports.timers, limitMs, () => route.handle(asked));
    return routeAnswer(answer, Object.keys(route.answers));
  } catch (error) {
    // What the ports of the request refuse, and what the author refuses, is the answer.
    if (isSetpointError(error)) throw error;
    if (error instanceof HookTimedOut) {
      const message = `${name} took longer than ${limitMs / 1_000} s`;
      throw new SetpointError("module.unavailable", message, { cause: error });
    }
    throw new SetpointError("internal", `${name} failed`, { cause: error });
  }
}

function ownRequest(
  ports: CustomerPorts,
  offering: Offering,
  apiClass: ApiClass,
  querySchema: JsonObject | undefined,
  request: FleetRequest,
): OwnRequest {
  const { fleetCaller, path, query, body, operationId, signal } = request;
  const { user, organisation, isOrganisationAdmin, roles, clusterId } = fleetCaller;
  const names = Object.keys(objectAt(querySchema, "properties"));
  return {
    offering: offering.name,
    caller: { user, organisation, isOrganisationAdmin, roles, cluster: clusterId },
    path,
    query: Object.fromEntries(
      names.map((each) => [each, query.all(each)] as const).filter(([, all]) => all.length > 0),
    ),
    body,
    operationId,
    signal,
    instances: visibleInstances(ports, apiClass, request),
  };
}

/** An answer that the route does not declare would be missing in the documents. */
function routeAnswer(answer: unknown, statuses: readonly string[]): RouteAnswer {
  const { kind, status, document, error, reason } = Object(answer) as Record<string, unknown>;
  if (kind === "refused") return refuse(error, reason);
  if (kind !== "document") throw new TypeError("an answer has the kind document or refused");
  if (!statuses.includes(String(status))) {
    throw new TypeError(`the route does not declare the status ${String(status)}`);
  }
  if (document === undefined) return { kind: "document", status: Number(status) };
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new TypeError("the document of an answer is an object");
  }
  return documentAnswer(document as JsonObject, Number(status));
}

function refuse(error: unknown, reason: unknown): never {
  const number = typeof error === "number" ? fleetErrorNumber(String(error)) : undefined;
  if (number === undefined || typeof reason !== "string" || reason === "") {
    throw new TypeError("a refusal has a number of the error catalogue and a reason");
  }
  throw new SetpointError("fleet.refused", reason, { details: { number } });
}
