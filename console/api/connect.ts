// Connections, the kinds that are kept in their services, and planned requests.

import type { KindInfo } from "./kinds.ts";
import { kube } from "./kube.ts";
import type { Named } from "./kube.ts";
import type { Condition, JsonValue, Metadata } from "./types.ts";

export const connectionsKind = "connections.connect.setpoint.dev";
export const restKindsKind = "restkinds.connect.setpoint.dev";

interface Status {
  readonly conditions?: readonly Condition[];
}

export interface Connection {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: {
    readonly baseUrl: string;
    readonly secretNamespace?: string;
    readonly auth?: { readonly kind: string; readonly secret?: string };
    readonly tls?: { readonly serverName?: string; readonly secret?: string };
    readonly rate?: { readonly perSecond: number; readonly burst?: number };
    readonly concurrency?: number;
    readonly timeoutSeconds?: number;
    readonly breaker?: { readonly failures?: number; readonly openSeconds?: number };
    readonly namespaces?: readonly string[];
    readonly events?: { readonly id: string; readonly websocket?: string };
  };
  readonly status?: Status;
}

/** A field whose class is not simply writable, and how that is known. */
export interface FieldRule {
  readonly path: string;
  readonly class: string;
  readonly from: string;
  readonly isSecret?: boolean;
  readonly secretFrom?: string;
  readonly isDefaulted?: boolean;
  readonly why?: string;
  readonly confidence?: number;
}

export interface ServiceOperation {
  readonly method: string;
  readonly path?: string;
}

export interface RestKind {
  readonly metadata: Metadata;
  readonly spec: {
    readonly connection?: string;
    readonly item?: string;
    readonly collection?: string;
    readonly identity?: {
      readonly kind: string;
      readonly field?: string;
      readonly parameter?: string;
      readonly confidence?: number;
    };
    readonly operations?: Readonly<Record<string, ServiceOperation | undefined>>;
    readonly fields?: readonly FieldRule[];
    readonly resyncSeconds?: number;
  };
  readonly status?: Status;
}

export interface PlannedChange {
  readonly path: string;
  readonly why?: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** What the next run would do. */
export interface RequestPlan {
  readonly action: "nothing" | "create" | "update" | "replace" | "delete" | "wait" | "refuse";
  readonly message: string;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly body?: JsonValue;
  };
  readonly changes?: readonly PlannedChange[];
  readonly drift?: readonly PlannedChange[];
  readonly afterwards?: RequestPlan;
}

const mostListed = 500;

export const connectApi = {
  connections: async (kind: KindInfo, signal?: AbortSignal) =>
    (await listed(kind, signal)) as unknown as readonly Connection[],

  connection: async (kind: KindInfo, name: string, signal?: AbortSignal) =>
    (await kube.get(kind, { namespace: "", name }, signal)) as unknown as Connection,

  restKinds: async (kind: KindInfo, signal?: AbortSignal) =>
    (await listed(kind, signal)) as unknown as readonly RestKind[],

  plan: async (kind: KindInfo, place: Named, signal?: AbortSignal) =>
    (await kube.subresource(kind, place, "plan", signal)) as unknown as RequestPlan,
} as const;

async function listed(kind: KindInfo, signal?: AbortSignal) {
  return (await kube.list(kind, "", { limit: mostListed }, signal)).items;
}
