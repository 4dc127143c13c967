// One turn of the event loop in three parts: the requests of all connections are read, then they
// are handled, then their answers go out. The way of a request is much code; running each part of
// it for many requests in a row keeps that code in the processor's caches, which takes a quarter
// of the time off a request of a busy server. And waking a client that sleeps costs more than
// making its answer, while one that was just woken takes the others as well.
//
// Very many are handled in portions: what the first of them write is on its way to the disk while
// the next are handled, and those who were answered together do not all wait together. A turn is
// bounded in requests and in time. Groups of connections, such as those of one tenant, take turns
// request by request, and so do the connections of a group: a client that sends thousands at once,
// or opens hundreds of connections, delays a request of another group by one turn.
//
// What waits is bounded in bytes: a group may hold half of what is free, so groups cannot use up
// the room of another one. A few requests of each connection are always taken.

import { assert } from "../../kernel/assert.ts";
import { arrivalLimits } from "./arrival-limits.ts";

export interface RequestTurnsPorts {
  /** Runs the function in this pass of the event loop, or in the next one if called by such. */
  readonly later: (run: () => void) => void;
  readonly nowMs: () => number;
  /** For tests: other limits than those of the kernel. */
  readonly maxWaitingBytes?: number;
  readonly leastWaitingBytes?: number;
}

/** A request that was read. */
export interface ReadRequest {
  readonly connection: object;
  /** The memory that it takes until it is handled. */
  readonly bytes: number;
  /** Requests of its connection that may wait. */
  readonly most: number;
  readonly handle: () => void;
}

interface Connection {
  readonly requests: ReadRequest[];
  bytes: number;
}

interface Group {
  /** The next connection is first. */
  readonly connections: Map<object, Connection>;
  bytes: number;
}

const mostAtOnce = 16;
const mostInTurn = 64;
const longestTurnMs = 5;
/** Of what is free: the part that a group may hold. */
const groupShare = 1 / 2;

/** Has a life cycle, hence a class. */
export class RequestTurns {
  readonly #ports: RequestTurnsPorts;
  /** Requests that were read and are not begun, by group; the next group is first. */
  readonly #groups = new Map<string, Group>();
  readonly #step = (): void => this.#takeStep();
  readonly #maxBytes: number;
  readonly #leastBytes: number;
  #number = 0;
  #waiting = 0;
  #waitingBytes = 0;
  /** Those that were begun in this turn. */
  #handled = 0;
  #startedMs = 0;
  #answers: (() => void)[] = [];
  /** Steps that are planned. */
  #planned = 0;
  /** Until the event loop has handled other events. */
  #isResting = false;

  constructor(ports: RequestTurnsPorts) {
    this.#ports = ports;
    this.#maxBytes = ports.maxWaitingBytes ?? arrivalLimits.maxWaitingBytes;
    this.#leastBytes = ports.leastWaitingBytes ?? arrivalLimits.leastWaitingBytes;
  }

  get number(): number {
    return this.#number;
  }

  /** Requests that are not begun. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Handles a request once all that came with it are read. False: it is refused. */
  handle(name: string, request: ReadRequest): boolean {
    const { connection, bytes, most } = request;
    const group: Group = this.#groups.get(name) ?? { connections: new Map(), bytes: 0 };
    const own: Connection = group.connections.get(connection) ?? { requests: [], bytes: 0 };
    if (own.requests.length >= most || !this.#hasRoom(group, own, bytes)) return false;
    own.requests.push(request);
    own.bytes += bytes;
    group.bytes += bytes;
    group.connections.set(connection, own);
    this.#groups.set(name, group);
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    this.#plan();
    return true;
  }

  #hasRoom(group: Group, own: Connection, bytes: number): boolean {
    if (own.requests.length === 0 || own.bytes + bytes <= this.#leastBytes) return true;
    const free = this.#maxBytes - this.#waitingBytes;
    return group.bytes + bytes <= free * groupShare;
  }

  /**
   * Sends an answer with the others of its turn. Later ones, as those of commits, come in batches
   * anyway and go at once.
   */
  send(requestTurn: number, send: () => void): void {
    if (requestTurn === this.#number) this.#answers.push(send);
    else send();
  }

  /**
   * A step for each portion, and one for the answers. What is handled settles between two of them,
   * as far as it waits for nothing else. Steps that are planned together run in one pass of the
   * event loop; those that a step plans run in the next one.
   */
  #plan(): void {
    const left = Math.min(this.#waiting, mostInTurn - this.#handled);
    const needed = Math.ceil(left / mostAtOnce) + 1;
    while (this.#planned < needed) {
      this.#planned += 1;
      this.#ports.later(this.#step);
    }
  }

  #takeStep(): void {
    if (this.#isResting) {
      this.#ports.later(this.#step);
      return;
    }
    this.#planned -= 1;
    if (this.#mayHandle()) this.#handlePortion();
    else if (this.#handled > 0) this.#answerAll();
    if (this.#waiting > 0 || this.#handled > 0) this.#plan();
  }

  #mayHandle(): boolean {
    if (this.#waiting === 0 || this.#handled >= mostInTurn) return false;
    const nowMs = this.#ports.nowMs();
    if (this.#handled === 0) this.#startedMs = nowMs;
    return nowMs - this.#startedMs < longestTurnMs;
  }

  /** One request of each group after the other, until the portion or the time is used up. */
  #handlePortion(): void {
    const last = this.#handled + Math.min(mostAtOnce, this.#waiting);
    do {
      const handle = this.#next();
      this.#waiting -= 1;
      this.#handled += 1;
      handle();
    } while (this.#handled < last && this.#ports.nowMs() - this.#startedMs < longestTurnMs);
  }

  /** A group or a connection that has more is visited again, behind the others. */
  #next(): () => void {
    const [next] = this.#groups;
    assert(next !== undefined, "a request waits");
    const [name, group] = next;
    const { connections } = group;
    const [first] = connections;
    assert(first !== undefined, "a group has a connection");
    const [connection, own] = first;
    const request = own.requests.shift();
    assert(request !== undefined, "a connection has a request");
    own.bytes -= request.bytes;
    group.bytes -= request.bytes;
    this.#waitingBytes -= request.bytes;
    connections.delete(connection);
    if (own.requests.length > 0) connections.set(connection, own);
    this.#groups.delete(name);
    if (connections.size > 0) this.#groups.set(name, group);
    return request.handle;
  }

  #answerAll(): void {
    const answers = this.#answers;
    this.#number += 1;
    this.#handled = 0;
    this.#answers = [];
    if (this.#waiting > 0) this.#rest();
    for (const send of answers) send();
  }

  /** The next turn begins when other events, such as requests of other connections, were read. */
  #rest(): void {
    this.#isResting = true;
    this.#ports.later(() => {
      this.#isResting = false;
    });
  }
}
