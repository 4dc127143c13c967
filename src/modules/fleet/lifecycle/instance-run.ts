// One run of the reconciler for one instance: its resource as of the last write, and the writes of
// its status. A phase changes here and nowhere else.

import type { CallJson } from "../../../adapters/http/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { setCondition } from "../../../kernel/conditions.ts";
import type { Condition, ConditionInput } from "../../../kernel/conditions.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { applyMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import type { FleetState } from "../fleet-state.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { readInstance } from "./instance.ts";
import type { Instance } from "./instance.ts";
import type { ManagedPorts } from "./managed.ts";
import { moved } from "./phases.ts";
import type { Phase } from "./phases.ts";

export interface LifecyclePorts extends ManagedPorts {
  /** For quota services. */
  readonly callJson: CallJson;
  readonly state: FleetState;
  readonly live: Pick<LiveView, "get">;
}

export class InstanceRun {
  readonly ports: LifecyclePorts;
  readonly offering: Offering;
  readonly context: Context;
  /** The removals of the hour are used up: see automatic-removal.ts. */
  isRemovalHeld = false;
  /** Children that this run has applied, by their documents. */
  readonly applied = new Map<string, Resource>();
  #resource: Resource;

  constructor(ports: LifecyclePorts, offering: Offering, context: Context, resource: Resource) {
    this.ports = ports;
    this.offering = offering;
    this.context = context;
    this.#resource = resource;
  }

  get resource(): Resource {
    return this.#resource;
  }

  get instance(): Instance {
    return readInstance(this.#resource);
  }

  get nowMs(): number {
    return this.context.clock.nowMs();
  }

  /** Writes the status now. A status that stays the same is not written. */
  async record(fields: JsonObject): Promise<void> {
    const before = objectAt(this.#resource, "status");
    const given = before["phase"] === undefined ? { ...this.#first(), ...fields } : fields;
    if (equalJson(applyMergePatch(before, given), before)) return;
    const status = { ...given, updatedAt: timeText(this.nowMs) };
    await this.context.status.patch(status);
    const merged = applyMergePatch(before, status) as JsonObject;
    this.#resource = { ...this.#resource, status: merged };
  }

  /** The phase of an instance that has no status yet. */
  #first(): JsonObject {
    return { phase: "accepted", phaseSince: this.#resource.metadata.creationTimestamp };
  }

  /** A condition of the life cycle, besides those of the engine. */
  async condition(type: string, given: Omit<ConditionInput, "type">): Promise<void> {
    const status = objectAt(this.#resource, "status");
    const conditions = objectsAt(status, "conditions") as unknown as readonly Condition[];
    const next = setCondition(conditions, { type, ...given }, this.nowMs);
    if (next !== conditions) await this.record({ conditions: next });
  }

  /** Moves along an edge of the table, and records `fields` in the same write. */
  async move(to: Phase, fields: JsonObject = {}): Promise<void> {
    const { phase: from, id } = this.instance;
    const phase = moved(from, to);
    const phaseSince = timeText(this.nowMs);
    await this.record({ phase, phaseSince, ...fields });
    this.context.log.info({ instance: id, from, phase }, "instance moved");
    this.context.event("Normal", "PhaseChanged", `from ${from} to ${phase}`);
  }

  /** The owner reads `reason`; `detail` is for operators. */
  async fail(reason: string, detail = reason): Promise<void> {
    const failedReason = shortText(reason, fleetLimits.maxReportMessageChars);
    this.context.event("Warning", "InstanceFailed", detail);
    await this.move("failed", { failedReason });
  }
}
