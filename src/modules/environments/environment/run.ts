// What the parts of the reconciler of Environments share.

import type { HttpClient } from "../../../adapters/http/port.ts";
import type { Meter } from "../../../engine/ports.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import type { EnvironmentsConfiguration } from "../configuration.ts";
import type { OverduePace } from "../destruction/overdue-pace.ts";
import { environmentsKind, resourcesKind } from "../names.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { memberOf } from "./members.ts";
import type { SummaryPace } from "./summary-pace.ts";
import type { Member } from "./members.ts";

export interface EnvironmentPorts {
  readonly intents: Intents;
  readonly authorizer: Authorizer;
  readonly store: Pick<Store, "get" | "getMany" | "list">;
  readonly templates: TemplateCache;
  readonly configuration: EnvironmentsConfiguration;
  /** Refuses private addresses unless they are allowed. */
  readonly http: HttpClient;
  readonly pace: OverduePace;
  readonly summaries: SummaryPace;
  readonly meter: Meter;
}

export interface EnvironmentRun {
  readonly resource: Resource;
  readonly context: Context;
  readonly ports: EnvironmentPorts;
  readonly intents: Intents;
  readonly meter: Meter;
}

export async function membersOf({ context }: EnvironmentRun): Promise<readonly Member[]> {
  return (await context.children.list(resourcesKind)).map(memberOf);
}

/** Whether many changes of its resources are expected, and it has looked at them recently. */
export function pauseOf({ resource, context, ports }: EnvironmentRun): number {
  const { metadata, status } = resource;
  const isCurrent = numberAt(status, "observedGeneration") === metadata.generation;
  const isMoving = ["Deploying", "Destroying"].includes(textAt(status, "phase"));
  if (!isCurrent || !isMoving) return 0;
  return ports.summaries.wait(metadata.uid, context.clock.nowMs());
}

/** Changes the Environment itself, on its newest document. */
export async function changeEnvironment(
  { resource, context, intents }: EnvironmentRun,
  edit: (old: Resource) => Resource,
): Promise<void> {
  const served = intents.kinds.byId(environmentsKind);
  if (served === undefined) throw new Error("Environments are always served");
  const { namespace = "", name } = resource.metadata;
  await fencedWrite(context, async ({ claim, cause }) => {
    await updateResource(intents, {
      caller: systemCallerFor(cause),
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: { ...systemOptions, claim },
      optionsKind: "UpdateOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  });
}
