// The parts of a URL of a fleet API. One slash at the end is ignored.

import type { ApiClass } from "../../modules/fleet/api/fleet-route.ts";

export interface FleetPath {
  /** The plural of the instances, as in /api/dinosaurs_mgmt. */
  readonly plural: string;
  /** Without the slash at the end, as it was sent otherwise. */
  readonly path: string;
  readonly search: string;
  readonly apiClass: ApiClass;
}

export function parseFleetPath(url: string): FleetPath {
  const at = url.indexOf("?");
  const whole = (at === -1 ? url : url.slice(0, at)).replace(/^\/+/, "/");
  const path = whole.length > 1 && whole.endsWith("/") ? whole.slice(0, -1) : whole;
  const [, , management = "", , word = ""] = path.split("/");
  return {
    plural: management.replace(/_mgmt$/, ""),
    path,
    search: at === -1 ? "" : url.slice(at + 1),
    apiClass: classOf(word),
  };
}

/** The router decodes segments, so an encoded word names the same class. */
function classOf(word: string): ApiClass {
  switch (decoded(word)) {
    case "admin":
      return "admin";
    case "agent-clusters":
      return "agent";
    default:
      return "public";
  }
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    // Not valid percent-encoding: no route has such a path.
    return word;
  }
}
