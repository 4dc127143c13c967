// The API documents that the server offers to this user. Which there are depends on its kinds.

import { request } from "../../api/client.ts";
import { kindNamed } from "../../api/kinds.ts";
import { kube } from "../../api/kube.ts";
import type { JsonRecord } from "../../api/types.ts";
import { isRecord, itemsOf, recordAt, textAt } from "./json.ts";

export interface ApiSurface {
  /** In the URL of the page. */
  readonly id: string;
  readonly label: string;
  readonly group: SurfaceGroup;
  readonly url: string;
  /** Only the operations that the message bus performs as well. */
  readonly isCommands?: boolean;
  /** Not every user may read the document. */
  readonly isForRoles?: boolean;
}

export type SurfaceGroup = "REST" | "Kubernetes" | "Fleet" | "Resource Manager" | "Message bus";

const restUrl = "/api/v1/openapi.json";
const offeringsKind = "offerings.fleet.setpoint.dev";
const facesKind = "armfaces.arm.setpoint.dev";

export async function readSurfaces(signal: AbortSignal): Promise<readonly ApiSurface[]> {
  const [kubernetes, fleet, arm] = await Promise.all([
    kubernetesSurfaces(signal),
    fleetSurfaces(signal),
    armSurfaces(signal),
  ]);
  return [
    { id: "rest", label: "REST API", group: "REST", url: restUrl },
    ...kubernetes,
    ...fleet,
    ...arm,
    { id: "bus", label: "Commands", group: "Message bus", url: restUrl, isCommands: true },
  ];
}

export async function readDocument(url: string, signal: AbortSignal): Promise<JsonRecord> {
  return await request<JsonRecord>(url, { signal });
}

async function kubernetesSurfaces(signal: AbortSignal): Promise<readonly ApiSurface[]> {
  const index = await request<JsonRecord>("/openapi/v3", { signal });
  return Object.entries(recordAt(index, "paths")).flatMap(([path, place]) => {
    if (!isRecord(place)) return [];
    return [
      {
        id: `kubernetes/${path}`,
        label: path.replace(/^apis?\//, "").replace(/^v1$/, "core/v1"),
        group: "Kubernetes" as const,
        url: textAt(place, "serverRelativeURL"),
      },
    ];
  });
}

const classes = [
  ["public", ""],
  ["admin", "/admin"],
  ["agent", "/agent-clusters"],
] as const;

async function fleetSurfaces(signal: AbortSignal): Promise<readonly ApiSurface[]> {
  const kind = kindNamed(offeringsKind);
  if (kind === undefined) return [];
  const { items } = await kube.list(kind, "", {}, signal);
  return items.flatMap(({ spec = {} }) => {
    const plural = textAt(recordAt(spec, "instances"), "plural");
    return classes.map(([apiClass, path]) => ({
      id: `fleet/${plural}/${apiClass}`,
      label: `${plural}: ${apiClass}`,
      group: "Fleet" as const,
      url: `/api/${plural}_mgmt/v1${path}/openapi`,
      isForRoles: apiClass !== "public",
    }));
  });
}

async function armSurfaces(signal: AbortSignal): Promise<readonly ApiSurface[]> {
  if (kindNamed(facesKind) === undefined) return [];
  const list = await request<JsonRecord>("/swagger", { signal });
  return itemsOf(list["value"])
    .filter(isRecord)
    .map((place) => ({
      id: `arm/${textAt(place, "provider")}/${textAt(place, "apiVersion")}`,
      label: `${textAt(place, "provider")} ${textAt(place, "apiVersion")}`,
      group: "Resource Manager" as const,
      url: textAt(place, "path"),
    }));
}
