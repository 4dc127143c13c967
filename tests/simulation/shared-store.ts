// The one database of a simulated world: the model of the store contract, with its own clock, in
// front of which stands the referee. It tells who listens that something was committed, which
// each process then hears over its network sooner or later.

import type { ResourceKey } from "../../src/kernel/resource.ts";
import { keyText } from "../../src/kernel/resource.ts";
import { ModelStore } from "../../src/store/contract/model.ts";
import type { Live } from "../../src/store/contract/model-state.ts";
import type {
  Answer,
  Claim,
  ClaimRef,
  ClaimRequest,
  CommitOptions,
  Renewal,
  Write,
} from "../../src/store/port.ts";
import type { Agenda } from "./agenda.ts";
import { epochMs } from "./process.ts";
import type { SimulatedProcess } from "./process.ts";
import { Referee } from "./referee.ts";
import { checkStatusWrite } from "./status-writes.ts";
import type { Trace } from "./trace.ts";

export interface Listener {
  /** `head` is the newest revision; `isWork`: something may have become due sooner. */
  committed(head: number, isWork: boolean): void;
}

export class SharedStore {
  readonly model: ModelStore;
  readonly referee = new Referee((uid) => this.#isThere(uid));
  /** When its clock was last stepped, in true time: what people believe about leases is off. */
  steppedAtMs = Number.NEGATIVE_INFINITY;
  readonly #agenda: Agenda;
  readonly #trace: Trace;
  readonly #listeners = new Set<Listener>();
  #offsetMs = 0;

  constructor(agenda: Agenda, trace: Trace) {
    this.#agenda = agenda;
    this.#trace = trace;
    this.model = new ModelStore({ nowMs: () => this.nowMs() });
  }

  /** The database's own time. */
  nowMs(): number {
    return epochMs + Math.floor(this.#agenda.nowMs) + this.#offsetMs;
  }

  stepClock(byMs: number): void {
    this.#offsetMs += byMs;
    this.steppedAtMs = this.#agenda.nowMs;
  }

  get head(): number {
    return this.model.state.head;
  }

  /** What is there now, without asking anybody. */
  live(key: ResourceKey): Live | undefined {
    return this.model.state.live.get(keyText(key));
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** By a worker, or by nobody in particular. */
  async commit(
    process: SimulatedProcess | undefined,
    writes: readonly Write[],
    options?: CommitOptions,
  ): Promise<readonly Answer[]> {
    const nowMs = this.nowMs();
    const before = this.head;
    const replaced = process === undefined ? [] : writes.map(({ key }) => this.live(key)?.entry);
    const answers = await this.model.commit(writes, options);
    if (this.#trace.isOn) this.#tell(process, writes, answers);
    this.#judged(() => {
      this.referee.written(process, writes, answers, nowMs);
      for (const [index, entry] of replaced.entries()) {
        const [write, answer] = [writes[index], answers[index]];
        if (write === undefined || answer?.kind !== "committed") continue;
        checkStatusWrite(write, entry);
      }
    });
    const isWork = writes.some((write) => write.kind !== "delete" && write.due !== undefined);
    if (isWork || this.head !== before) {
      for (const listener of this.#listeners) listener.committed(this.head, isWork);
    }
    return answers;
  }

  async claim(process: SimulatedProcess, request: ClaimRequest): Promise<readonly Claim[]> {
    const nowMs = this.nowMs();
    const claims = await this.model.claim(request);
    if (this.#trace.isOn) {
      for (const { key, token, attempts } of claims) {
        const text = `${process.name} claims ${keyText(key)} #${token} (attempt ${attempts})`;
        this.#trace.write(this.#agenda.nowMs, text);
      }
    }
    this.#judged(() => this.referee.claimed(process, claims, nowMs));
    return claims;
  }

  async renew(claims: readonly ClaimRef[], leaseMs: number): Promise<Renewal> {
    const nowMs = this.nowMs();
    const renewal = await this.model.renew(claims, leaseMs);
    this.#judged(() => this.referee.renewed(renewal, nowMs));
    return renewal;
  }

  #isThere(uid: string): boolean {
    for (const { entry } of this.model.state.live.values()) if (entry.uid === uid) return true;
    return false;
  }

  #tell(
    process: SimulatedProcess | undefined,
    writes: readonly Write[],
    answers: readonly Answer[],
  ): void {
    for (const [index, write] of writes.entries()) {
      const answer = answers[index];
      const due = write.kind === "delete" ? undefined : write.due;
      const parts = [
        `${process?.name ?? "people"} ${write.kind} ${keyText(write.key)}`,
        write.claim === undefined ? "" : ` #${write.claim.token}`,
        due === undefined ? "" : ` ${due.kind} ${due.afterMs ?? "-"}`,
        answer?.kind === "refused" ? ` ${answer.error.code}` : ` ${answer?.kind}`,
        answer?.kind === "committed" ? ` @${answer.revision}` : "",
      ];
      this.#trace.write(this.#agenda.nowMs, parts.join(""));
    }
  }

  /** A broken rule ends the run; thrown to the caller it would pass for a failed call. */
  #judged(judge: () => void): void {
    try {
      judge();
    } catch (error) {
      this.#agenda.fail(error as Error);
    }
  }
}
