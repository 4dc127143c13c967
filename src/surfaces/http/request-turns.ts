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

import { assert } from "../../kernel/assert.ts";

export interface RequestTurnsPorts {
  /** Runs the function in this pass of the event loop, or in the next one if called by such. */
  readonly later: (run: () => void) => void;
  readonly nowMs: () => number;
}

/** The requests of each connection; the next connection is first. */
type Group = Map<object, (() => void)[]>;

const mostAtOnce = 16;
const mostInTurn = 64;
const longestTurnMs = 5;

/** Has a life cycle, hence a class. */
export class RequestTurns {
  readonly #ports: RequestTurnsPorts;
  /** Requests that were read and are not begun, by group; the next group is first. */
  readonly #groups = new Map<string, Group>();
  readonly #step = (): void => this.#takeStep();
  #number = 0;
  #waiting = 0;
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
  }

  get number(): number {
    return this.#number;
  }

  /** Handles a request of a connection once all that came with it are read. */
  handle(group: string, connection: object, handle: () => void): void {
    const requests = this.#groups.get(group);
    const own = requests?.get(connection);
    if (requests === undefined) this.#groups.set(group, new Map([[connection, [handle]]]));
    else if (own === undefined) requests.set(connection, [handle]);
    else own.push(handle);
    this.#waiting += 1;
    this.#plan();
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
    const [group, requests] = next;
    const [first] = requests;
    assert(first !== undefined, "a group has a connection");
    const [connection, own] = first;
    const handle = own.shift();
    assert(handle !== undefined, "a connection has a request");
    requests.delete(connection);
    if (own.length > 0) requests.set(connection, own);
    this.#groups.delete(group);
    if (requests.size > 0) this.#groups.set(group, requests);
    return handle;
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
