// A request as the watchdog names it. It lets go of the request when that has ended, because what
// the request started, such as a connection that is kept, keeps its activity.

import type { Activity, ActivityFacts } from "../../kernel/activity.ts";
import type { HttpSurface, SurfaceRequest } from "./surface.ts";

export class RequestActivity implements Activity {
  #surface: HttpSurface | undefined;
  #request: SurfaceRequest | undefined;

  begin(surface: HttpSurface, request: SurfaceRequest): void {
    this.#surface = surface;
    this.#request = request;
  }

  end(): void {
    this.#surface = undefined;
    this.#request = undefined;
  }

  brief(): string {
    const { method = "", url = "" } = this.#request?.exchange ?? {};
    const query = url.indexOf("?");
    return `${method} ${query < 0 ? url : url.slice(0, query)}`;
  }

  facts(): ActivityFacts {
    const [surface, request] = [this.#surface, this.#request];
    if (surface === undefined || request === undefined) return { activity: "ended request" };
    const { exchange, user, tenant } = request;
    return {
      activity: "request",
      surface: surface.name,
      method: exchange.method,
      path: templateOf(surface, request),
      tenant,
      user: user.name,
    };
  }
}

/** The path without names, which may be those of another tenant. */
function templateOf(surface: HttpSurface, request: SurfaceRequest): string {
  const { group, version, resource, subresource, route } = surface.labels(request);
  if (route !== undefined && route !== "") return route;
  return [group, version, resource, subresource].filter((part) => (part ?? "") !== "").join("/");
}
