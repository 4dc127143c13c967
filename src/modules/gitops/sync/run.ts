/** What the parts of the reconciler of GitOpsDeployments share. */
import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { RenderCache } from "./render-cache.ts";
import type { SettledObjects } from "./settled-objects.ts";
import type { SyncInput } from "./sync-input.ts";

export interface SyncPorts extends SyncInput {
  readonly intents: Intents;
  readonly settled: SettledObjects;
  readonly rendered: RenderCache;
  /** Of this process, for records. */
  readonly instanceId: string;
}

export interface SyncRunOf {
  readonly resource: Resource;
  readonly context: Context;
  readonly ports: SyncPorts;
}

/** The record ports of a run. */
export function recordsOf({ ports: { intents }, context }: SyncRunOf): {
  readonly intents: Intents;
  readonly context: Context;
} {
  return { intents, context };
}
