// What is done with a world: a storm while people work, then clear weather in which all that was
// promised has to come true: everything converges in spite of what stays broken, then everything
// does, wake-ups arrive promptly, and in the end there is silence.

import { annotations } from "../../src/engine/names.ts";
import { ownerUids } from "../../src/kernel/owners.ts";
import { diceOf } from "./dice.ts";
import type { StartEngine } from "./fleet.ts";
import { firstUnsettled } from "./fixed-point.ts";
import type { Plan } from "./plan.ts";
import { appKind, appSpecOf, conditionOf, configKeyOf, partKind } from "./sim-kinds.ts";
import { Trace } from "./trace.ts";
import { Violation } from "./violation.ts";
import type { Invariant } from "./violation.ts";
import type { FaultCounts } from "./weather.ts";
import { graceMs, lastFaultMs, World } from "./world.ts";

export interface Figures {
  readonly claims: number;
  readonly takeovers: number;
  readonly runs: number;
  readonly crashes: number;
  readonly stops: number;
  readonly calls: number;
  readonly revisions: number;
  readonly effects: number;
  readonly removals: number;
  readonly staleRefused: number;
  readonly steps: number;
  readonly undone: number;
  readonly virtualMs: number;
}

export interface RunResult {
  readonly seed: number;
  readonly violation: { readonly invariant: Invariant; readonly text: string } | undefined;
  readonly faults: FaultCounts;
  readonly figures: Figures;
  readonly digest: string;
}

const minuteMs = 60_000;
/** The longest back-off is an hour and a quarter; several may follow one another. */
const convergeMinutes = [1, 2, 4, 8, 15, 30, 60, 90, 120, 180];
/** A wake-up in clear weather, from the change to the effect of who was woken. */
const promptMs = 20_000;
const freshMs = 5_000;
/** Work that has just come is claimed by then, and seldom done. */
const stopWithinMs = 300;
/** Of a larger crowd only what others notice is looked at. */
const mostLooked = 100;

export async function runPlan(
  plan: Plan,
  startEngine: StartEngine,
  trace: Trace = new Trace({ isOn: false }),
): Promise<RunResult> {
  const world = new World(plan, startEngine, trace);
  let violation: RunResult["violation"];
  try {
    await withoutStrayErrors(async () => await phases(world));
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = { invariant: error.invariant, text: error.message };
    const text = `VIOLATION ${error.invariant} ${error.message}`;
    if (trace.isOn) trace.write(world.agenda.nowMs, text);
  }
  return {
    seed: plan.seed,
    violation,
    faults: world.weather.counts,
    figures: figuresOf(world),
    digest: trace.digest(),
  };
}

/** The platform tells of unhandled rejections once nothing else is to be done. */
async function withoutStrayErrors(work: () => Promise<void>): Promise<void> {
  let stray: Violation | undefined;
  const tell = (reason: unknown): void => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    stray ??= new Violation("no-stray-errors", text.replaceAll(/\s+/g, " "));
  };
  process.on("unhandledRejection", tell);
  try {
    await work();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  } finally {
    process.off("unhandledRejection", tell);
  }
  if (stray !== undefined) throw stray;
}

async function phases(world: World): Promise<void> {
  const { plan, agenda } = world;
  world.begin();
  await agenda.advance(plan.stormMs);
  world.calm();
  if (plan.shape === "crowd") checkFresh(world);
  await agenda.advance(lastFaultMs);
  if (plan.poisons.length > mostLooked) return;
  if (plan.poisons.length > 0) {
    await converge(world);
    await checkPutAside(world);
    await heal(world);
  }
  await converge(world);
  await checkPromptness(world);
  await converge(world);
  await checkQuiet(world);
  if (plan.deletesAll) {
    await deleteAll(world);
    await converge(world);
  }
  await stopAll(world);
}

/** Lets time pass until all is as wanted; fails when it never is. */
async function converge(world: World): Promise<void> {
  let passed = 0;
  let finding = firstUnsettled(world);
  for (const minutes of convergeMinutes) {
    if (finding === undefined) return;
    await world.agenda.advance((minutes - passed) * minuteMs);
    passed = minutes;
    finding = firstUnsettled(world);
  }
  if (finding !== undefined) throw new Violation(finding.invariant, finding.text);
}

/** Who takes its process down does so a few times and then ever more seldom. */
async function checkPutAside({ plan, agenda, fleet }: World): Promise<void> {
  if (!plan.poisons.some(({ mood }) => mood === "crashes")) return;
  const before = fleet.crashes;
  await agenda.advance(30 * minuteMs);
  const crashes = fleet.crashes - before;
  const most = 20 * plan.poisons.length;
  if (crashes > most) throw new Violation("put-aside", `${crashes} crashes within half an hour`);
}

/** The outside works again, and somebody asks for what had been given up. */
async function heal(world: World): Promise<void> {
  const healed = new Set(world.outside.heal());
  for (const [key] of world.people.all()) {
    if (!healed.has(key.name)) continue;
    await world.people.annotate(key, { [annotations.request]: `healed-${key.name}` });
  }
}

/** In clear weather a change is followed by its consequences within seconds. */
async function checkPromptness(world: World): Promise<void> {
  const { people, agenda } = world;
  const used = people.all(appKind).find(([, app]) => appSpecOf(app).config !== undefined);
  const config = used === undefined ? undefined : appSpecOf(used[1]).config;
  if (used !== undefined && config !== undefined) {
    const key = configKeyOf(used[0].namespace, config);
    const isThere = await people.editSpec(key, { value: 5_000 });
    if (!isThere) await people.create(key, { value: 5_001 });
    if (world.trace.isOn) world.trace.write(agenda.nowMs, `people change ${config}`);
  }
  // Somebody meddles with a part: its owner notices and puts it right.
  const part = people.all(partKind).find(([, { metadata }]) => {
    const owners = ownerUids({ metadata, apiVersion: "", kind: "" });
    const owner = people.all(appKind).find(([, app]) => owners.includes(app.metadata.uid))?.[1];
    const annotated = owner?.metadata.annotations ?? {};
    const isManaged = (annotated[annotations.policy] ?? "manage") !== "skip";
    return isManaged && annotated[annotations.paused] !== "true";
  });
  if (part !== undefined) await people.editSpec(part[0], { value: 7 });
  await agenda.advance(promptMs + runsInARow(world) * world.plan.outsideMs);
  const finding = firstUnsettled(world);
  // After the storm a circuit may stay open, or a resource be left alone, for a while yet.
  if (finding === undefined || isHeldUp(world)) return;
  throw new Violation(finding.invariant, `${finding.text} ${promptMs / 1_000} s after a change`);
}

/** Of few slots a tenant has one, in which what it owns and what that needs take turns. */
function runsInARow({ people, plan }: World): number {
  const counts = new Map<string, number>();
  for (const [{ namespace }] of people.all()) {
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  const share = Math.max(1, Math.floor(plan.limits.slots / 3));
  // Beyond that a wake-up that was lost would be made up for by the engine's own back-stop.
  return Math.min(10, 4 * Math.ceil(Math.max(0, ...counts.values()) / share));
}

function isHeldUp({ people }: World): boolean {
  return people.all().some(([, resource]) => {
    const reason = conditionOf(resource, "Synced")?.["reason"];
    return reason === "CircuitOpen" || reason === "WorkerLost";
  });
}

/** Whoever is new begins at once, whatever the mob does. */
function checkFresh(world: World): void {
  const { people, firstBegun, plan, agenda } = world;
  for (const { key, atMs } of plan.actions) {
    if (key.namespace === "mob" || atMs > agenda.nowMs - freshMs) continue;
    const uid = people.read(key)?.metadata.uid ?? "";
    const waitedMs = (firstBegun.get(uid) ?? agenda.nowMs) - atMs;
    if (waitedMs <= freshMs) continue;
    throw new Violation("fair", `${key.namespace}/${key.name} waited for ${waitedMs} ms`);
  }
}

/** Nothing is written any more, and the store is asked little. */
async function checkQuiet(world: World): Promise<void> {
  const { agenda, shared, network, plan, fleet } = world;
  // The follower of the log may store how far it has come.
  await agenda.advance(2 * plan.leaseMs + minuteMs);
  const head = shared.head;
  const calls = network.calls;
  await agenda.advance(plan.quietMs);
  for (let revision = head + 1; revision <= shared.head; revision += 1) {
    const entry = shared.model.state.log.get(revision);
    if (entry === undefined) continue;
    const text = `${entry.key.kind}/${entry.key.name} is ${entry.type} at ${revision}`;
    throw new Violation("quiet", text);
  }
  const allowed = allowedCalls(world);
  const made = network.calls - calls;
  if (made > allowed) {
    throw new Violation(
      "idle",
      `${made} calls in ${plan.quietMs / minuteMs} minutes, not ${allowed}`,
    );
  }
  for (const process of fleet.processes) {
    if (process.openCalls <= 6 && process.openTimers <= 12) continue;
    const text = `${process.openCalls} calls and ${process.openTimers} timers are open`;
    throw new Violation("no-leaks", `${process.name}: ${text}`);
  }
}

/** Half a call in a second by each process, and the resync of each resource. */
function allowedCalls({ plan, people }: World): number {
  const beats = (plan.quietMs / 2_000) * plan.processes;
  const { resyncMs } = plan.settings;
  const resyncs = resyncMs === 0 ? 0 : (plan.quietMs / resyncMs + 2) * people.all().length;
  return 100 + beats + resyncs * 30;
}

async function deleteAll(world: World): Promise<void> {
  for (const [key] of world.people.all()) {
    await world.people.annotate(key, { [annotations.paused]: undefined });
    await world.people.delete(key);
  }
}

/** In the midst of work: some of what is claimed runs by then, and some waits for its turn. */
async function stopAll(world: World): Promise<void> {
  const { agenda, fleet, people, plan } = world;
  for (const [key] of people.all()) {
    if (key.kind !== partKind) await people.editSpec(key, { value: 9_000 });
  }
  await agenda.advance(diceOf(plan.seed).fork("stop").between(0, stopWithinMs));
  let isOver = false;
  const close = async (): Promise<void> => {
    await fleet.close();
    isOver = true;
  };
  void close();
  await agenda.advance(graceMs + minuteMs);
  if (!isOver) throw new Violation("stops-in-time", "the engines do not stop");
}

function figuresOf({ shared, bodies, fleet, network, outside, memory, agenda }: World): Figures {
  const { claims, takeovers } = shared.referee.counts;
  const { effects, removals, staleRefused } = outside.counts;
  const { steps, undone } = memory.counts;
  return {
    claims,
    takeovers,
    runs: bodies.runs,
    crashes: fleet.crashes,
    stops: fleet.stops,
    calls: network.calls,
    revisions: shared.head,
    effects,
    removals,
    staleRefused,
    steps,
    undone,
    virtualMs: agenda.nowMs,
  };
}
