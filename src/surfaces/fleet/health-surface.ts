// The health endpoint of fleet managers: GET /healthcheck is 200, or 503 while the server stops or
// an administrator has taken it down with POST /healthcheck/down. The flag is part of /readyz as
// well: see modules/fleet/maintenance.ts.

import type { Maintenance } from "../../modules/fleet/maintenance.ts";
import type { ModuleLog } from "../../contract/ports.ts";
import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import { writeCost } from "../http/admit.ts";
import type { Exchange } from "../http/exchange.ts";
import { challengeHeaders } from "../http/identify.ts";
import { noResource } from "../http/metrics.ts";
import type { HttpSurface, ParsedRequest, SurfaceRequest } from "../http/surface.ts";
import { ExchangeIds } from "../http/trace.ts";
import { problemOf } from "../rest/problem.ts";

export interface HealthSurfaceInput {
  readonly maintenance: Maintenance;
  readonly authorizer: Authorizer;
  readonly ids: Ids;
  readonly log: ModuleLog;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

interface HealthRequest extends ParsedRequest {
  readonly path: string;
}

const surfaceName = "fleet-health";
const root = "/healthcheck";

export function healthSurface(input: HealthSurfaceInput): HttpSurface<HealthRequest> {
  return {
    name: surfaceName,
    prefixes: [{ path: root }],
    parse: (exchange) => {
      const [whole = ""] = exchange.url.split("?", 1);
      const path = whole.replace(/\/$/, "");
      const isOpen = path === root && isRead(exchange);
      return { ids: new ExchangeIds(exchange, input.ids.uid()), isOpen, path };
    },
    auditFacts: ({ parsed, exchange }) => ({
      verb: exchange.method.toLowerCase(),
      isResource: false,
      path: parsed.path,
      ...noResource,
      namespace: "",
      name: "",
      hasHidden: false,
    }),
    namespaceOf: () => "",
    costOf: () => writeCost,
    handle: async (request) => {
      if (request.parsed.isOpen) answer(input, request.exchange);
      else change(input, request);
    },
    envelope: (error, { exchange, parsed }) => {
      const { status, contentType, headers, document } = problemOf(error, parsed.ids.trace);
      const all = { "content-type": contentType, ...challengeHeaders(error), ...headers };
      exchange.send(status, all, JSON.stringify(document));
    },
    isFault: (error) => !isSetpointError(error) || error.code === "internal",
    labels: ({ exchange, parsed: { path } }) => ({
      ...noResource,
      surface: surfaceName,
      verb: exchange.method.toLowerCase(),
      route: path === root || targets.has(path) ? path : "",
    }),
  };
}

const targets: ReadonlyMap<string, boolean> = new Map([
  [`${root}/down`, true],
  [`${root}/up`, false],
]);

function change(input: HealthSurfaceInput, request: SurfaceRequest<HealthRequest>): void {
  const { exchange, parsed, user } = request;
  const isDown = targets.get(parsed.path);
  if (isDown === undefined && parsed.path !== root) {
    throw new SetpointError("route.not_found", `there is no path ${parsed.path.slice(0, 200)}`);
  }
  if (isDown === undefined || exchange.method !== "POST") {
    const allow = isDown === undefined ? "GET, HEAD" : "POST";
    const message = `the path accepts ${allow}`;
    throw new SetpointError("request.method_not_allowed", message, { details: { allow } });
  }
  const access = { kind: "path", verb: "post", path: parsed.path } as const;
  const { allowed, reason } = input.authorizer.authorize(user, access);
  if (!allowed) throw forbiddenAccess(user, access, reason);
  input.maintenance.set(isDown);
  input.log.info({ user: user.name, is_down: isDown }, "maintenance changed");
  answer(input, exchange, 200);
}

function answer(input: HealthSurfaceInput, exchange: Exchange, status?: number): void {
  const isUp = !input.maintenance.isDown && !input.stopping.aborted;
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const document = { status: isUp ? "up" : "down" };
  exchange.send(status ?? (isUp ? 200 : 503), headers, JSON.stringify(document));
}

function isRead({ method }: Exchange): boolean {
  return method === "GET" || method === "HEAD";
}
