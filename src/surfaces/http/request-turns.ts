// One turn of the event loop in three parts: the requests of all connections are read, then they
// are handled, then their answers go out. The way of a request is much code; running each part of
// it for many requests in a row keeps that code in the processor's caches, which takes a quarter
// of the time off a request of a busy server. And waking a client that sleeps costs more than
// making its answer, while one that was just woken takes the others as well.
//
// Very many are handled in portions: what the first of them write is on its way to the disk while
// the next are handled, and those who were answered together do not all wait together. A turn is
// bounded in requests and in time, and takes one request of each connection after the other: a
// client that sends thousands at once delays a request of another connection by one turn.

export interface RequestTurnsPorts {
  /** Runs the function in this pass of the event loop, or in the next one if called by such. */
  readonly later: (run: () => void) => void;
  readonly nowMs: () => number;
}

const mostAtOnce = 16;
const mostInTurn = 64;
const longestTurnMs = 8;

/** Has a life cycle, hence a class. */
export class RequestTurns {
  readonly #ports: RequestTurnsPorts;
  /** Requests that were read and are not begun, by connection; the next connection is first. */
  readonly #requests = new Map<object, (() => void)[]>();
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
  handle(connection: object, handle: () => void): void {
    const own = this.#requests.get(connection);
    if (own === undefined) this.#requests.set(connection, [handle]);
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

  /** One request of each connection after the other. */
  #handlePortion(): void {
    const portion: (() => void)[] = [];
    for (const [connection, own] of this.#requests) {
      // A connection that has more is visited again, behind the others.
      this.#requests.delete(connection);
      const handle = own.shift();
      if (own.length > 0) this.#requests.set(connection, own);
      if (handle !== undefined) portion.push(handle);
      if (portion.length === mostAtOnce) break;
    }
    this.#waiting -= portion.length;
    this.#handled += portion.length;
    for (const handle of portion) handle();
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
