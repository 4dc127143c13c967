// Reconciles Probes. The regions of a Probe are worked on at the same time. In each, one step
// follows the other (decide.ts), and what is known is stored after each step, so that a run may
// stop anywhere: the name of an instance is stored before the instance is created.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import { probesKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { isSamePlace, newRun, readProbe, readRuns, regionsOf } from "./probe.ts";
import type { Probe, ProbePlace, ProbeRun } from "./probe.ts";
import { probeRegion } from "./probe-region.ts";
import type { ProbeWork, RegionPorts } from "./probe-region.ts";
import { runStatus } from "./run-status.ts";

export interface ProbePorts extends RegionPorts {
  readonly offerings: Pick<OfferingIndex, "byName">;
}

export function probeReconciler(ports: ProbePorts): Reconciler {
  return {
    kind: probesKind,
    reconcile: async (resource, context) =>
      await runProbe(ports, { resource, context, isRemoved: false }),
    remove: async (resource, context) =>
      await runProbe(ports, { resource, context, isRemoved: true }),
  };
}

interface ProbeInput {
  readonly resource: Resource;
  readonly context: Context;
  readonly isRemoved: boolean;
}

async function runProbe(ports: ProbePorts, input: ProbeInput): Promise<Outcome> {
  const { resource, context, isRemoved } = input;
  const probe = readProbe(resource);
  const offering = ports.offerings.byName(probe.offering);
  if (offering === undefined) {
    // Its instances are deleted before an Offering is.
    if (isRemoved) return done();
    const message = `spec.offering: the Offering ${probe.offering} does not exist: create it`;
    return failed("OfferingNotFound", message, { retry: "slow" });
  }
  const wanted = isRemoved ? [] : regionsOf(probe, offering);
  const known = readRuns(resource);
  const runs = [
    ...wanted.map((place) => known.find((run) => isSamePlace(run, place)) ?? newRun(place)),
    ...known.filter((run) => run.instance !== undefined && !wanted.some(sameAs(run))),
  ];
  const store = statusWriter(context, probe, runs);
  const rests = await Promise.all(
    runs.map(async (run, at) => {
      const isWanted = wanted.some(sameAs(run));
      const work: ProbeWork = { probe, offering, context, isWanted };
      return await probeRegion(ports, work, run, (changed) => store(at, changed));
    }),
  );
  return outcomeOf({ probe, runs: rests.map(({ run }) => run), isRemoved }, rests);
}

function sameAs(run: ProbePlace): (place: ProbePlace) => boolean {
  return (place) => isSamePlace(run, place);
}

type StoreRun = (at: number, run: ProbeRun) => Promise<void>;

/** Regions share one status: their writes follow each other. */
function statusWriter(context: Context, probe: Probe, given: readonly ProbeRun[]): StoreRun {
  const runs = [...given];
  let last: Promise<void> = Promise.resolve();
  return async (at, run) => {
    runs[at] = run;
    const write = async (): Promise<void> => {
      await context.status.patch({ regions: runs.map((each) => runStatus(probe, each)) });
    };
    last = last.then(write, write);
    await last;
  };
}

interface Ended {
  readonly probe: Probe;
  readonly runs: readonly ProbeRun[];
  readonly isRemoved: boolean;
}

function outcomeOf(
  { probe, runs, isRemoved }: Ended,
  rests: readonly { readonly againMs: number | undefined }[],
): Outcome {
  const status = { regions: runs.map((run) => runStatus(probe, run)) };
  const times = rests.flatMap(({ againMs }) => againMs ?? []);
  const afterMs = Math.max(1, Math.min(fleetLimits.probeResyncMs, ...times));
  const isBusy = runs.some(({ instance }) => instance !== undefined);
  if (isRemoved) {
    if (!isBusy) return done();
    return again(afterMs, { reason: "Removing", message: "instances of the Probe are deleted" });
  }
  const ready = readinessOf(probe, runs);
  return again(afterMs, { ready, reason: ready.reason, message: ready.message, status });
}

function readinessOf({ isPaused }: Probe, runs: readonly ProbeRun[]): Readiness {
  const failing = runs.filter(({ failuresInRow }) => failuresInRow > 0);
  if (failing.length > 0) {
    const [first] = failing;
    const where = `${first?.provider} ${first?.region}`;
    const why = first?.lastFailure?.reason ?? "";
    const message = `${failing.length} of ${runs.length} regions fail; ${where}: ${why}`;
    return { status: "False", reason: "ProbeFailed", message };
  }
  if (isPaused) return { status: "Unknown", reason: "Paused", message: "spec.isPaused is true" };
  const isUnknown = runs.some(({ lastSuccessAtMs }) => lastSuccessAtMs === undefined);
  if (!isUnknown) return { status: "True", reason: "ProbeSucceeded", message: "" };
  const message = "not every region was probed yet";
  return { status: "Unknown", reason: "Probing", message };
}
