// What one request holds of the server: a place in a lane, and bytes of memory. Whoever does not
// send must not hold up work: while the body of a request arrives, the request is in the lane of
// bodies, and it enters the lane of its work when the body is complete. Memory is taken before the
// bytes exist, where their number is known or can be estimated, and corrected afterwards.

import { limits } from "../../kernel/limits.ts";
import type { Lanes, WorkType } from "./admit.ts";
import type { FairLane } from "./fair-lane.ts";
import { FlowAccount } from "./flow-account.ts";
import type { FlowPorts } from "./flow-account.ts";
import type { LoopShare, PageTurns } from "./loop-share.ts";

export interface PlacePorts extends FlowPorts {
  readonly lanes: Lanes;
  readonly loop: LoopShare;
}

export interface PlaceWork {
  readonly work: WorkType;
  /** Memory that is reserved with the place. */
  readonly bytes: number;
  /** Whether the body of the request has not arrived yet. */
  readonly isBodyInTransit: boolean;
  /** The bytes of the body that are in memory while the request waits. */
  readonly bytesAhead: number;
}

/** A body that arrives. */
export interface Arriving {
  /** Undefined when the client does not announce the length. */
  readonly declaredBytes: number | undefined;
  isInTransit(): boolean;
  /** Calls `onBytes` for each part, before it is kept. */
  read(onBytes: (bytes: number) => void): Promise<Buffer>;
}

/** Has a life cycle, hence a class: entered, receiving, working, left. */
export class Place implements PageTurns {
  readonly tenant: string;
  /** For a request without an end: what the client leaves unread is charged. */
  readonly flow: FlowAccount | undefined;
  readonly #lanes: Lanes;
  readonly #memory: FairLane;
  readonly #loop: LoopShare;
  readonly #work: WorkType;
  readonly #reservedBytes: number;
  readonly #bytesAhead: number;
  #lane: keyof Lanes;
  /** Aborted when the client leaves. */
  #signal: (() => AbortSignal) | undefined;
  #isEntered = false;
  #isLeft = false;
  #bytes = 0;
  #keptBytes = 0;
  /** What is charged for the time of a wait. */
  #waitingBytes = 0;

  constructor(ports: PlacePorts, tenant: string, work: PlaceWork) {
    const { lanes, memory, loop } = ports;
    this.tenant = tenant;
    this.flow = work.work === "long" ? new FlowAccount(ports, tenant) : undefined;
    this.#lanes = lanes;
    this.#memory = memory;
    this.#loop = loop;
    this.#work = work.work;
    this.#reservedBytes = work.bytes;
    this.#bytesAhead = work.bytesAhead;
    this.#lane = work.isBodyInTransit && work.work !== "long" ? "body" : work.work;
  }

  /** Undefined means that the request continues at once. Throws, or rejects with, overloaded. */
  enter(signal = this.#signal): Promise<void> | undefined {
    this.#signal = signal;
    const onWait = this.#isUncharged ? () => this.#chargeWait() : undefined;
    const waiting = this.#lanes[this.#lane].enter(this.tenant, 1, { signal, onWait });
    if (waiting !== undefined) return this.#entered(waiting);
    this.#isEntered = true;
    return this.#reserveFirst();
  }

  async #entered(waiting: Promise<void>): Promise<void> {
    try {
      await waiting;
    } finally {
      this.#returnWait();
    }
    this.#isEntered = true;
    await this.#reserveFirst();
  }

  /** A part of the body is in memory, and nothing is held for it yet. */
  get #isUncharged(): boolean {
    return this.#bytesAhead > 0 && this.#bytes === 0;
  }

  /** A tenant whose requests wait with too many bytes is refused. */
  #chargeWait(): void {
    this.#memory.grow(this.tenant, this.#bytesAhead);
    this.#waitingBytes = this.#bytesAhead;
  }

  /** Memory is what the request waits for, so it is not refused for the lack of it. */
  #chargeMemoryWait(): void {
    this.#memory.add(this.tenant, this.#bytesAhead);
    this.#waitingBytes = this.#bytesAhead;
  }

  #returnWait(): void {
    if (this.#waitingBytes === 0) return;
    const bytes = this.#waitingBytes;
    this.#waitingBytes = 0;
    this.#memory.leave(this.tenant, bytes);
  }

  /** A request that is refused here was not handled, so it leaves. */
  #reserveFirst(): Promise<void> | undefined {
    if (this.#reservedBytes === 0) return undefined;
    try {
      const waiting = this.reserve(this.#reservedBytes);
      return waiting?.catch((error: unknown) => {
        this.leave();
        throw error;
      });
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  leave(): void {
    this.#isLeft = true;
    this.hold(0);
    if (this.#keptBytes > 0) this.#memory.leave(this.tenant, this.#keptBytes);
    this.#keptBytes = 0;
    this.#exit();
  }

  /** Takes memory until the request leaves, or throws: the request is refused. */
  keep(bytes: number): void {
    if (this.#isLeft || bytes === 0) return;
    this.#memory.grow(this.tenant, bytes);
    this.#keptBytes += bytes;
  }

  /** The bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  async receive(body: Arriving): Promise<Buffer> {
    const { declaredBytes = 0 } = body;
    await this.reserve(declaredBytes * limits.bodyMemoryFactor);
    if (body.isInTransit()) await this.#enterLane("body");
    let received = 0;
    const bytes = await body.read((count) => {
      received += count;
      if (received > declaredBytes) this.grow(count * limits.bodyMemoryFactor);
    });
    await this.#enterLane(this.#work);
    return bytes;
  }

  /**
   * Takes memory before the work that needs it, up to this many bytes. Waits only if nothing is
   * held: requests that hold memory and wait for more would wait for each other. Undefined means
   * that the memory was taken at once. Throws, or rejects with, overloaded.
   */
  reserve(bytes: number): Promise<void> | undefined {
    const more = bytes - this.#bytes;
    if (more <= 0 || this.#isLeft) return undefined;
    if (this.#bytes > 0) {
      this.grow(more);
      return undefined;
    }
    const onWait = this.#isUncharged ? () => this.#chargeMemoryWait() : undefined;
    const waiting = this.#memory.enter(this.tenant, more, { signal: this.#signal, onWait });
    if (waiting !== undefined) return this.#reserved(waiting, more);
    this.#bytes += more;
    return undefined;
  }

  /**
   * Takes memory for a stored document that the request changes. What a small body holds is
   * returned meanwhile, so that the request can wait for memory.
   */
  reserveDocument(bytes: number): Promise<void> | undefined {
    const wanted = bytes * limits.bodyMemoryFactor;
    if (wanted <= this.#bytes) return undefined;
    if (this.#bytes <= limits.maxBodyBytesAhead * limits.bodyMemoryFactor) this.hold(0);
    return this.reserve(wanted);
  }

  async #reserved(waiting: Promise<void>, bytes: number): Promise<void> {
    try {
      await waiting;
    } finally {
      this.#returnWait();
    }
    this.#bytes += bytes;
    if (this.#isLeft) this.hold(0);
  }

  /** Takes more memory, or throws: the request is refused. */
  grow(bytes: number): void {
    if (this.#isLeft) return;
    this.#memory.grow(this.tenant, bytes);
    this.#bytes += bytes;
  }

  /** Waits for a turn of the event loop in which a page can be read. Undefined: this one. */
  pageTurn(): Promise<void> | undefined {
    return this.#loop.enter(this.tenant);
  }

  pageRead(bytes: number): void {
    this.#loop.spend(bytes);
  }

  /** The bytes of the answer are all that is held from now on. A read is refused if it cannot. */
  answer(bytes: number): void {
    const more = bytes - this.#bytes;
    if (more > 0 && this.#work !== "write" && this.#work !== "long") this.grow(more);
    else this.hold(bytes);
  }

  /** States what is held now. False when the tenant holds more than its share. */
  hold(bytes: number): boolean {
    const more = (this.#isLeft ? 0 : bytes) - this.#bytes;
    this.#bytes += more;
    if (more < 0) this.#memory.leave(this.tenant, -more);
    return more <= 0 || this.#memory.add(this.tenant, more);
  }

  async #enterLane(lane: keyof Lanes): Promise<void> {
    if (this.#lane === lane || this.#work === "long" || this.#isLeft) return;
    this.#exit();
    this.#lane = lane;
    await this.enter();
    if (this.#isLeft) this.#exit();
  }

  #exit(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#lanes[this.#lane].leave(this.tenant);
  }
}
