// The engine processes of a world. Each seat holds one process at a time; when that crashes or is
// stopped, another with a new name takes its place after a while, as a supervisor would have it.

import type { ExternalOptions } from "../../src/engine/external/external.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import type { Reconciler } from "../../src/engine/reconciler.ts";
import type { Agenda } from "./agenda.ts";
import type { Dice } from "./dice.ts";
import { SimulatedProcess } from "./process.ts";
import { Violation } from "./violation.ts";
import type { Trace } from "./trace.ts";

/** The engine as the simulator starts it: the real one, or one with a planted bug. */
export type StartEngine = (ports: EnginePorts, options: StartOptions) => StartedEngine;

export interface StartOptions {
  readonly owner: string;
  readonly slots: number;
  readonly perNamespace: number;
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly outside: ExternalOptions;
}

export interface StartedEngine {
  /** Returns what takes the reconciler away again. */
  add(reconciler: Reconciler): () => void;
  stop(): Promise<void>;
}

export interface FleetPlace {
  readonly agenda: Agenda;
  readonly trace: Trace;
  readonly dice: Dice;
  readonly seats: number;
  readonly graceMs: number;
  /** Starts the engine of a new process. */
  readonly boot: (process: SimulatedProcess) => StartedEngine;
  /** Told as a stop in the orderly way has ended, and when it was asked for. */
  readonly onStopped: (process: SimulatedProcess, toldAtMs: number) => void;
}

interface Member {
  readonly process: SimulatedProcess;
  readonly engine: StartedEngine;
  isStopping: boolean;
}

/** A stop may take its grace, what aborted runs and result writer take, and the last calls. */
const stopSlackMs = 6_000;

export class Fleet {
  crashes = 0;
  stops = 0;
  readonly #place: FleetPlace;
  readonly #members: (Member | undefined)[];
  readonly #lives: number[];
  #isClosing = false;

  constructor(place: FleetPlace) {
    this.#place = place;
    this.#members = Array.from({ length: place.seats }, () => undefined);
    this.#lives = Array.from({ length: place.seats }, () => 0);
  }

  start(): void {
    for (const seat of this.#members.keys()) this.#boot(seat);
  }

  get processes(): readonly SimulatedProcess[] {
    return this.#members.flatMap((member) => (member === undefined ? [] : [member.process]));
  }

  /** Stops one process in the orderly way; another follows. */
  restartOne(): void {
    const running = this.#members.filter((member) => member?.isStopping === false);
    const member = this.#place.dice.anyOf(running);
    if (member !== undefined) void this.#stop(member);
  }

  /** Stops all of them; nobody follows. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      this.#members.map(async (member) => {
        if (member !== undefined) await this.#stop(member);
      }),
    );
  }

  #boot(seat: number): void {
    if (this.#isClosing) return;
    const { agenda, dice, boot } = this.#place;
    const life = (this.#lives[seat] ?? 0) + 1;
    this.#lives[seat] = life;
    const name = `p${seat}.${life}`;
    const process = new SimulatedProcess(name, agenda, dice.fork(name));
    this.#tell(process, "starts");
    process.onEnd(() => {
      const isStopping = this.#members[seat]?.isStopping === true;
      this.#members[seat] = undefined;
      if (!isStopping) this.crashes += 1;
      this.#tell(process, "is gone");
      agenda.after(dice.between(200, 10_000), () => this.#boot(seat));
    });
    const engine = boot(process);
    // It may have crashed at the first thing that it did.
    if (process.isAlive) this.#members[seat] = { process, engine, isStopping: false };
  }

  async #stop(member: Member): Promise<void> {
    const { agenda, graceMs } = this.#place;
    const { process, engine } = member;
    if (member.isStopping) return;
    Object.assign(member, { isStopping: true });
    process.isStopping = true;
    this.stops += 1;
    this.#tell(process, "is stopping");
    const toldAtMs = agenda.nowMs;
    const cancel = agenda.after(graceMs + stopSlackMs, () => {
      // Nobody can hurry a process that is paused.
      if (!process.isAlive || process.wasPausedSince(toldAtMs)) return;
      agenda.fail(new Violation("stops-in-time", `${process.name} does not stop`));
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    process.deliver(() => resolve(engine.stop()));
    await promise;
    cancel();
    this.#tell(process, "has stopped");
    this.#place.onStopped(process, toldAtMs);
    const calls = process.calls;
    // What it had set going without waiting for it may still be sent; then it is silent.
    agenda.after(stopSlackMs, () => {
      if (process.calls > calls + 8) {
        agenda.fail(new Violation("stops-in-time", `${process.name} works after its stop`));
      }
      process.end();
    });
  }

  #tell(process: SimulatedProcess, what: string): void {
    const { trace, agenda } = this.#place;
    if (trace.isOn) trace.write(agenda.nowMs, `${process.name} ${what}`);
  }
}
