// The work of a Probe in one region: performs the steps of decide.ts until there is none.

import type { OpenHttp } from "../../../adapters/http/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { fleetLimits } from "../limits.ts";
import { fleetMetric } from "../metrics.ts";
import { organisationNamespace } from "../names.ts";
import type { Offering } from "../offering.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { decideProbe } from "./decide.ts";
import type { ProbeStep } from "./decide.ts";
import { probeInstance, probeInstanceName } from "./probe-instance.ts";
import type { Probe, ProbeRun, Verdict } from "./probe.ts";
import { verifyInstance } from "./verify.ts";

export interface RegionPorts {
  readonly intents: Intents;
  readonly openHttp: OpenHttp;
}

export interface ProbeWork {
  readonly probe: Probe;
  readonly offering: Offering;
  readonly context: Context;
  readonly isWanted: boolean;
}

export interface ProbeRest {
  readonly run: ProbeRun;
  readonly againMs: number | undefined;
}

/** `store` writes what is known about the region. */
export async function probeRegion(
  ports: RegionPorts,
  work: ProbeWork,
  given: ProbeRun,
  store: (run: ProbeRun) => Promise<void>,
): Promise<ProbeRest> {
  const { probe, context, isWanted } = work;
  let run = given;
  for (let steps = 0; steps < fleetLimits.maxProbeSteps; steps += 1) {
    const instance = await readInstance(work, run);
    const nowMs = context.clock.nowMs();
    const step = decideProbe({ probe, run, isWanted, instance, nowMs });
    if (step.kind === "rest") return { run, againMs: step.againMs };
    const next = await perform(ports, { ...work, run, instance }, step);
    if (next === run) continue;
    run = next;
    await store(run);
  }
  return { run, againMs: 1_000 };
}

/** A change of it wakes the Probe. */
async function readInstance(
  { probe, offering, context }: ProbeWork,
  { instance }: ProbeRun,
): Promise<Resource | undefined> {
  if (instance === undefined) return undefined;
  const namespace = organisationNamespace(probe.organisation);
  return await context.references.get({
    kind: instanceKindId(offering),
    namespace,
    name: instance,
  });
}

interface RegionWork extends ProbeWork {
  readonly run: ProbeRun;
  readonly instance: Resource | undefined;
}

type Change = Exclude<ProbeStep, { readonly kind: "rest" }>;

/** The run after the step; the same object when nothing about it has changed. */
async function perform(ports: RegionPorts, work: RegionWork, step: Change): Promise<ProbeRun> {
  const { probe, run, context, instance } = work;
  const nowMs = context.clock.nowMs();
  switch (step.kind) {
    case "begin": {
      const sequence = run.sequence + 1;
      const name = probeInstanceName(probe, run, sequence);
      return { ...run, sequence, instance: name, startedAtMs: nowMs };
    }
    case "create":
      return await create(ports, work);
    case "verify": {
      const { verify } = probe;
      const host = textAt(instance?.status, "host");
      if (verify === undefined) return judged(work, { result: "success", reason: "" });
      const { signal } = context;
      return judged(work, await verifyInstance(ports.openHttp, { verify, host, signal }));
    }
    case "judge":
      return judged(work, step.verdict);
    case "delete":
      await remove(ports, work);
      return { ...run, deletingAtMs: run.deletingAtMs ?? nowMs };
    case "late": {
      const reason = "the instance was not removed in time";
      count(work, "failure");
      context.event("Warning", "ProbeFailed", `${run.provider} ${run.region}: ${reason}`);
      const failuresInRow = run.failuresInRow + 1;
      return { ...run, isLate: true, failuresInRow, lastFailure: { atMs: nowMs, reason } };
    }
    case "end":
      return ended(work, nowMs);
    default:
      return step satisfies never;
  }
}

async function create(ports: RegionPorts, work: RegionWork): Promise<ProbeRun> {
  const { probe, offering, run, context } = work;
  const body = probeInstance(probe, offering, run);
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      return await createResource(ports.intents, {
        caller: systemCallerFor(cause),
        target: targetOf(ports, work, ""),
        body,
        options: { ...systemOptions, claim },
        decodeProblems: [],
      });
    });
    return run;
  } catch (error) {
    // An earlier run created it, and the reference is read again.
    if (isSetpointError(error, "resource.already_exists")) return run;
    if (!isSetpointError(error) || error.status >= 500) throw error;
    const reason = `the instance was refused: ${error.message}`;
    return judged(work, { result: "failure", reason: shortText(reason, 1_000) });
  }
}

async function remove(ports: RegionPorts, work: RegionWork): Promise<void> {
  const { context, run, instance } = work;
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      const preconditions = instance === undefined ? {} : { uid: instance.metadata.uid };
      return await deleteResource(ports.intents, {
        caller: systemCallerFor(cause),
        target: targetOf(ports, work, run.instance ?? ""),
        options: { isDryRun: false, propagation: undefined, preconditions, raw: {}, claim },
      });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

function judged(work: RegionWork, verdict: Verdict): ProbeRun {
  const { run, context, isWanted } = work;
  const nowMs = context.clock.nowMs();
  if (!isWanted) return { ...run, verdict };
  count(work, verdict.result);
  if (verdict.result === "success") {
    observe(work, "create", nowMs - run.startedAtMs);
    return { ...run, verdict, lastSuccessAtMs: nowMs, failuresInRow: 0 };
  }
  const { reason } = verdict;
  const { provider, region } = run;
  context.event("Warning", "ProbeFailed", shortText(`${provider} ${region}: ${reason}`, 1_000));
  context.log.warn({ probe: work.probe.name, provider, region, reason }, "Probe failed");
  const failuresInRow = run.failuresInRow + 1;
  return { ...run, verdict, failuresInRow, lastFailure: { atMs: nowMs, reason } };
}

function ended(work: RegionWork, nowMs: number): ProbeRun {
  const { run } = work;
  if (run.deletingAtMs !== undefined) observe(work, "delete", nowMs - run.deletingAtMs);
  return {
    ...run,
    instance: undefined,
    verdict: undefined,
    deletingAtMs: undefined,
    isLate: false,
  };
}

function count({ offering, run, context }: RegionWork, result: string): void {
  const labels = { offering: offering.name, region: run.region, result };
  context.metrics.count(fleetMetric.probeRuns, labels);
}

function observe({ offering, run, context }: RegionWork, step: string, ms: number): void {
  const labels = { offering: offering.name, region: run.region, step };
  context.metrics.observe(fleetMetric.probeSeconds, ms / 1_000, labels);
}

function targetOf({ intents }: RegionPorts, { probe, offering }: ProbeWork, name: string): Target {
  const served = intents.kinds.byId(instanceKindId(offering));
  if (served === undefined) throw new Error("the kind of the instances is not served yet");
  const namespace = organisationNamespace(probe.organisation);
  return { served, version: served.storage, namespace, name, subresource: "" };
}
