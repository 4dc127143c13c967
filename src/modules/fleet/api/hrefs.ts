// The URLs of the APIs of an Offering.

import type { Offering } from "../offering.ts";
import type { ApiClass } from "./fleet-route.ts";

type Named = Pick<Offering, "instances">;

/** Without a version, such as "/api/dinosaurs_mgmt". */
export function apiRoot({ instances }: Named): string {
  return `/api/${instances.plural}_mgmt`;
}

/** The root of a class, below which its routes are. */
export function classRoot(offering: Named, apiClass: ApiClass): string {
  return `${apiRoot(offering)}/v1${classPaths[apiClass]}`;
}

const classPaths: Readonly<Record<ApiClass, string>> = {
  public: "",
  admin: "/admin",
  agent: "/agent-clusters",
};

/** Of an instance in the public API. */
export function instanceHref(offering: Named, id: string): string {
  return `${classRoot(offering, "public")}/${offering.instances.plural}/${id}`;
}
