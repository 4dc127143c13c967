// One simulated world: a store, some processes, people and an outside, put together from a plan.
// It only knows how to begin and how to let time pass; run.ts says what is done with it.

import type { EnginePorts } from "../../src/engine/ports.ts";
import type { Reconciler } from "../../src/engine/reconciler.ts";
import type { ResourceKey } from "../../src/kernel/resource.ts";
import { keyText } from "../../src/kernel/resource.ts";
import { Agenda } from "./agenda.ts";
import { Bodies } from "./bodies.ts";
import type { Body } from "./bodies.ts";
import { diceOf } from "./dice.ts";
import type { Dice } from "./dice.ts";
import { distantStore } from "./distant-store.ts";
import { Fleet } from "./fleet.ts";
import type { StartedEngine, StartEngine } from "./fleet.ts";
import { Housekeeping } from "./housekeeping.ts";
import { Memory } from "./memory.ts";
import { Network } from "./network.ts";
import { Outside } from "./outside.ts";
import { People } from "./people.ts";
import type { Plan, PlannedAction } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import type { HeldClaim } from "./referee.ts";
import { SharedStore } from "./shared-store.ts";
import { appKind, appSpecOf, configKeyOf, configKind, partKind, partName } from "./sim-kinds.ts";
import { simReconcilers } from "./sim-reconcilers.ts";
import { simResources } from "./sim-resources.ts";
import type { Trace } from "./trace.ts";
import { Violation } from "./violation.ts";
import { Weather } from "./weather.ts";

export const graceMs = 5_000;
/** By then all that the storm has begun is over: the longest pauses and lost answers. */
export const lastFaultMs = 65_000;

export class World {
  readonly plan: Plan;
  readonly agenda = new Agenda();
  readonly trace: Trace;
  readonly weather: Weather;
  readonly network: Network;
  readonly shared: SharedStore;
  readonly people: People;
  readonly outside: Outside;
  readonly memory: Memory;
  readonly bodies: Bodies;
  readonly fleet: Fleet;
  readonly housekeeping: Housekeeping;
  /** When the first body of a resource began, by uid. */
  readonly firstBegun = new Map<string, number>();
  events = 0;
  readonly #dice: Dice;
  readonly #startEngine: StartEngine;
  #edits = 0;
  #calmSinceMs = Number.POSITIVE_INFINITY;

  constructor(plan: Plan, startEngine: StartEngine, trace: Trace) {
    this.plan = plan;
    this.trace = trace;
    this.#startEngine = startEngine;
    this.#dice = diceOf(plan.seed).fork("world");
    this.weather = new Weather(plan.rates, this.#dice.fork("weather"));
    this.network = new Network(this.agenda, this.weather, trace);
    this.shared = new SharedStore(this.agenda, trace);
    const isAware = (): boolean => this.agenda.nowMs >= plan.unawareMs;
    this.people = new People(this.shared, this.#dice.fork("people"), isAware);
    const externalDice = this.#dice.fork("outside");
    const habits = { mostMs: plan.outsideMs, calls: plan.externalCalls };
    this.outside = new Outside(this.agenda, this.network, externalDice, habits);
    this.memory = new Memory(this.shared.referee);
    this.bodies = new Bodies({
      agenda: this.agenda,
      shared: this.shared,
      trace,
      limits: plan.limits,
      onBegin: (body) => this.#onBegin(body),
    });
    this.housekeeping = new Housekeeping(this.agenda, this.shared, this.#dice.fork("housekeeping"));
    this.fleet = new Fleet({
      agenda: this.agenda,
      trace,
      dice: this.#dice.fork("fleet"),
      seats: plan.processes,
      graceMs,
      boot: (process) => this.#boot(process),
      onStopped: (process, toldAtMs) => this.#checkHandedBack(process, toldAtMs),
    });
    this.shared.referee.onTakeover = (claim) => this.#checkTakeover(claim);
    for (const { name, mood } of plan.poisons) this.outside.setMood(name, mood);
  }

  /** Everything that is to happen by itself is put on the agenda. */
  begin(): void {
    this.fleet.start();
    for (const action of this.plan.actions) {
      this.agenda.after(action.atMs, () => void this.#act(action));
    }
    this.agenda.after(this.plan.calmMs, () => {
      this.weather.isStormy = true;
      this.#blow();
    });
  }

  /** No more faults; processes that are paused come back within a minute by themselves. */
  calm(): void {
    this.weather.clear();
    this.#calmSinceMs = this.agenda.nowMs;
  }

  async #act(action: PlannedAction): Promise<void> {
    const { people } = this;
    const { key } = action;
    if (this.trace.isOn) {
      this.trace.write(this.agenda.nowMs, `people ${JSON.stringify(action)}`);
    }
    switch (action.what) {
      case "create":
        await people.create(key, action.spec, action.annotated);
        return;
      case "edit":
        await people.editSpec(key, action.fields);
        return;
      case "annotate":
        await people.annotate(key, action.annotated);
        return;
      case "delete":
        await people.delete(key);
        return;
      default:
        action satisfies never;
    }
  }

  #boot(process: SimulatedProcess): StartedEngine {
    const { agenda, weather, network, shared, plan } = this;
    const onRenewal = ({ lost }: { readonly lost: readonly { readonly token: number }[] }): void =>
      this.bodies.checkToldOfLoss(
        process,
        lost.map(({ token }) => token),
      );
    const store = distantStore({ agenda, weather, network, shared, process, onRenewal });
    const ports: EnginePorts = {
      store,
      resources: simResources({
        process,
        network,
        store,
        onEvent: () => {
          this.events += 1;
        },
        weightOf: () => 1,
      }),
      clock: process.clock,
      timers: process.timers,
      random: process.random,
      ids: process.ids,
      log: this.#logOf(process),
      tracer: { span: async (_, inside) => await inside() },
      meter: noMeter,
    };
    const { slots, perNamespace } = plan.limits;
    const { leaseMs } = plan;
    process.onEnd(() => this.#onEnd());
    const engine = this.#startEngine(ports, {
      owner: process.name,
      slots,
      perNamespace,
      leaseMs,
      graceMs,
      outside: { defaults: { calls: plan.externalCalls } },
    });
    const { bodies, outside, memory } = this;
    const settings = { ...plan.settings, concurrency: plan.limits.perKind };
    for (const reconciler of simReconcilers({ process, bodies, outside, memory, settings })) {
      this.#install(process, engine, reconciler);
    }
    return engine;
  }

  /** Now and then a reconciler is taken away and comes back, as when its module is replaced. */
  #install(process: SimulatedProcess, engine: StartedEngine, reconciler: Reconciler): void {
    const { agenda, weather } = this;
    const takeAway = engine.add(reconciler);
    const inTime = (ms: number, run: () => void): void => {
      agenda.after(ms, () => {
        if (!process.isStopping) process.deliver(run);
      });
    };
    const look = (): void => {
      if (agenda.nowMs > this.plan.stormMs) return;
      if (!weather.strikes("swap")) return inTime(2_000, look);
      if (this.trace.isOn) {
        this.trace.write(agenda.nowMs, `${process.name} does without ${reconciler.kind}`);
      }
      takeAway();
      const awayMs = weather.dice.between(10, 10_000);
      inTime(awayMs, () => this.#install(process, engine, reconciler));
    };
    if (this.plan.rates.swap > 0) inTime(2_000, look);
  }

  /** Whoever lives keeps what it holds, unless it cannot get rid of what does not stop. */
  #checkTakeover({ key, token, process, expiresAtMs }: HeldClaim): void {
    const endedAtMs = this.agenda.nowMs - (this.shared.nowMs() - expiresAtMs);
    const wasClear = this.#isClearAt(endedAtMs);
    const wasPoisoned = this.plan.poisons.some(({ name }) => name === key.name);
    if (!wasClear || !process.isAlive || wasPoisoned) return;
    const text = `${process.name} #${token} ${keyText(key)} ran out`;
    throw new Violation("kept-leases", text);
  }

  /** Whose calls get through has nothing left when it says that it has stopped. */
  #checkHandedBack(process: SimulatedProcess, toldAtMs: number): void {
    if (!this.#isClearAt(toldAtMs) || !process.isAlive) return;
    const { referee } = this.shared;
    const kept = referee.heldBy(process, this.shared.nowMs())[0];
    if (kept === undefined) return;
    const text = `${process.name} #${kept.token} keeps ${keyText(kept.key)}`;
    this.agenda.fail(new Violation("hands-back", text));
  }

  #isClearAt(ms: number): boolean {
    return ms > this.#calmSinceMs + lastFaultMs;
  }

  #compact(): void {
    const { head, model } = this.shared;
    if (this.trace.isOn) this.trace.write(this.agenda.nowMs, `the log is cut at ${head}`);
    void model.compact(head);
  }

  /** Old history tends to go just while nobody follows it. */
  #onEnd(): void {
    const { weather, agenda } = this;
    if (!weather.isStormy || weather.rates.compaction === 0 || !weather.dice.chance(0.3)) return;
    weather.counts.compaction += 1;
    agenda.after(weather.dice.between(500, 8_000), () => this.#compact());
  }

  #logOf(process: SimulatedProcess): EnginePorts["log"] {
    const say = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (!this.trace.isOn || !process.isAlive) return;
      const error = "error" in fields ? ` (${String(fields["error"])})` : "";
      this.trace.write(this.agenda.nowMs, `${process.name} says: ${message}${error}`);
    };
    return { debug: say, info: say, warn: say, error: say };
  }

  #onBegin(body: Body): void {
    if (!this.firstBegun.has(body.uid)) this.firstBegun.set(body.uid, this.agenda.nowMs);
    const isEditable = body.key.kind === appKind || body.key.kind === configKind;
    if (!this.weather.isStormy || !isEditable || !this.#dice.chance(this.plan.meddling)) return;
    const config = body.key.kind === appKind ? this.#configOf(body.key) : undefined;
    const key = config !== undefined && this.#dice.chance(0.5) ? config : body.key;
    this.agenda.after(this.#dice.between(0, 600), () => void this.#meddle(key));
  }

  #configOf(app: ResourceKey): ResourceKey | undefined {
    const resource = this.people.read(app);
    const name = resource === undefined ? undefined : appSpecOf(resource).config;
    return name === undefined ? undefined : configKeyOf(app.namespace, name);
  }

  async #meddle(key: ResourceKey): Promise<void> {
    this.#edits += 1;
    const part = { ...key, kind: partKind, name: partName(key, 0) };
    if (key.kind === appKind && this.#edits % 4 === 0 && (await this.people.delete(part))) {
      if (this.trace.isOn) this.trace.write(this.agenda.nowMs, `people delete ${keyText(part)}`);
      return;
    }
    const value = 1_000 + this.#edits;
    if (this.trace.isOn) {
      this.trace.write(this.agenda.nowMs, `people edit ${keyText(key)} to ${value}`);
    }
    const fields = key.kind === appKind ? { value, about: `about${value}` } : { value };
    await this.people.editSpec(key, fields);
  }

  /** A network that flaps: it comes and goes some times before it stays. */
  #cutOff(process: SimulatedProcess, timesLeft: number): void {
    if (!this.weather.isStormy || timesLeft === 0) return;
    const { dice } = this.weather;
    const lastsMs = dice.between(200, this.plan.leaseMs);
    Object.assign(process, { cutOffUntilMs: this.agenda.nowMs + lastsMs });
    this.agenda.after(lastsMs + dice.between(10, this.plan.leaseMs / 2), () =>
      this.#cutOff(process, timesLeft - dice.between(1, timesLeft)),
    );
  }

  /** Once a second, the faults that are not about one call. */
  #blow(): void {
    this.agenda.after(1_000, () => {
      const { weather, agenda, shared } = this;
      if (!weather.isStormy) return;
      this.bodies.audit();
      const { dice } = weather;
      const process = dice.anyOf(this.fleet.processes);
      if (weather.strikes("clock-step")) process?.stepClock(dice.between(-600_000, 600_000));
      if (weather.strikes("store-clock-step")) shared.stepClock(dice.between(-5_000, 5_000));
      if (weather.strikes("partition") && process !== undefined) this.#cutOff(process, 6);
      if (weather.strikes("outage")) {
        weather.outageUntilMs = agenda.nowMs + dice.between(500, 45_000);
      }
      if (weather.strikes("restart")) this.fleet.restartOne();
      if (weather.strikes("compaction")) this.#compact();
      this.#blow();
    });
  }
}

const noMeter: EnginePorts["meter"] = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
};
