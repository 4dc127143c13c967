// Calls the functions of modules: in their order, each within its time limit. A failure is named by
// the function and its module alone, because the text of an author's error may contain anything.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { fleetLimits } from "../limits.ts";
import { organisationOf } from "../names.ts";
import type { Candidate, Placement } from "../placement/place.ts";
import type { AdmitProblem, FleetHooks, HookedInstance, InstanceWrite } from "./fleet-hooks.ts";
import { readChoice, readProblems, readResult } from "./hook-results.ts";
import { HookTimedOut, withinLimit } from "./within-limit.ts";
import type { HookPlace, OfferingHooks, StepAnswer, StepPoint } from "./hooks.ts";

/** The functions of one module for one Offering. */
export interface ModuleHooks {
  readonly module: string;
  readonly offering: string;
  readonly hooks: FleetHooks;
}

export function callHooks(all: readonly ModuleHooks[], timers: Timers): OfferingHooks {
  const at = (point: keyof FleetHooks, offering: string): readonly ModuleHooks[] =>
    all.filter((one) => one.offering === offering && one.hooks[point] !== undefined);
  return {
    admit: (offering, { instance, old, user }) => {
      const own = at("admit", offering);
      if (own.length === 0) return undefined;
      const operation = old === undefined ? "create" : "update";
      const { organisation } = hookedInstance({ offering, instance });
      return admit(own, timers, { operation, offering, organisation, instance, old, user });
    },
    choose: (place, placement, context) => {
      const own = at("choose", place.offering);
      return own.length === 0 ? undefined : choose(own, timers, { place, placement, context });
    },
    step: (point, place, context) => {
      const own = at(point, place.offering);
      return own.length === 0 ? undefined : step(own, timers, { point, place, context });
    },
  };
}

async function admit(
  own: readonly ModuleHooks[],
  timers: Timers,
  write: InstanceWrite,
): Promise<void> {
  const found: AdmitProblem[] = [];
  for (const { module, hooks } of own) {
    const call: Call = { module, point: "admit", limitMs: fleetLimits.hookAdmitMs };
    try {
      const given = structuredClone(write);
      found.push(
        ...readProblems(await withinLimit(timers, call.limitMs, () => hooks.admit?.(given))),
      );
    } catch (error) {
      throw new SetpointError("module.unavailable", failureOf(call, error), { cause: error });
    }
  }
  const [first] = found;
  if (first === undefined) return;
  const message = found.map(({ field, message: text }) => `${field}: ${text}`).join("; ");
  throw new SetpointError("fleet.validation", message, { details: { field: first.field } });
}

interface Choosing {
  readonly place: HookPlace;
  readonly placement: Placement;
  readonly context: Context;
}

async function choose(
  own: readonly ModuleHooks[],
  timers: Timers,
  { place, placement, context }: Choosing,
): Promise<Placement> {
  let current = placement;
  for (const { module, hooks } of own) {
    const call: Call = { module, point: "choose", limitMs: fleetLimits.hookChooseMs };
    const candidates = current.candidates.map(({ cluster, reason }) => ({ cluster, reason }));
    const choice = { ...hookedInstance(place), candidates };
    try {
      const result = await withinLimit(timers, call.limitMs, () => hooks.choose?.(choice, context));
      const known = candidates.map(({ cluster }) => cluster);
      current = chosen(current, readChoice(result, known), module);
    } catch (error) {
      if (isEndOfRun(error, context)) throw error;
      const message = failureOf(call, error);
      throw new ReconcileFailure(failed("HookFailed", message), { cause: error });
    }
  }
  return current;
}

function chosen(
  { candidates, excluded }: Placement,
  order: readonly string[],
  module: string,
): Placement {
  const byId = new Map(candidates.map((candidate) => [candidate.cluster, candidate]));
  const kept = order.map((cluster) => byId.get(cluster)).filter(isCandidate);
  const dropped = candidates.filter(({ cluster }) => !order.includes(cluster));
  const reason = `was left out by the hook choose of the module ${module}`;
  return {
    candidates: kept,
    excluded: [
      ...excluded,
      ...dropped.map(({ cluster }) => ({ cluster, reason, lacksVersion: false })),
    ],
  };
}

function isCandidate(candidate: Candidate | undefined): candidate is Candidate {
  return candidate !== undefined;
}

interface Step {
  readonly point: StepPoint;
  readonly place: HookPlace;
  readonly context: Context;
}

/** The first function that does not continue decides; those after it are called in a later run. */
async function step(
  own: readonly ModuleHooks[],
  timers: Timers,
  { point, place, context }: Step,
): Promise<StepAnswer> {
  for (const { module, hooks } of own) {
    const call: Call = { module, point, limitMs: fleetLimits.hookStepMs };
    try {
      const about = hookedInstance(place);
      const result = await withinLimit(
        timers,
        call.limitMs,
        async () => await hooks[point]?.(about, context),
      );
      const answer = readResult(result, call);
      if (answer.kind !== "continue") return answer;
    } catch (error) {
      if (isEndOfRun(error, context)) throw error;
      const message = failureOf(call, error);
      context.log.warn({ hook: point, module, error }, "fleet hook failed");
      return { kind: "broken", message };
    }
  }
  return { kind: "continue" };
}

export interface Call {
  readonly module: string;
  readonly point: keyof FleetHooks;
  readonly limitMs: number;
}

function failureOf({ module, point, limitMs }: Call, error: unknown): string {
  const who = `the hook ${point} of the module ${module}`;
  if (error instanceof HookTimedOut) return `${who} took longer than ${limitMs / 1_000} s`;
  const name = error instanceof Error ? error.name : typeof error;
  return `${who} failed (${name})`;
}

/** A lost claim, a stopping server or a module that restarts: the engine knows what to do. */
function isEndOfRun(error: unknown, { signal }: Context): boolean {
  return signal.aborted || (error instanceof Error && "outcome" in error);
}

function hookedInstance({ offering, instance }: HookPlace): HookedInstance {
  const { metadata, status } = instance;
  const cluster = textAt(status, "placement", "cluster");
  return {
    offering,
    organisation: organisationOf(metadata.namespace ?? "") ?? "",
    cluster: cluster === "" ? undefined : cluster,
    instance: structuredClone(instance),
  };
}
