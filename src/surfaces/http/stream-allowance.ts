// The number of streams that each connection of HTTP/2 may open. Node.js reads all connections that
// have data in one turn of the event loop, and a request takes time to read before anything can
// bound it. So what clients can send at one moment is bounded: a connection may have its running
// requests and a few more, and the more connections there are, the fewer more. A connection with
// many running requests, such as watches, is allowed further ones step by step.
//
// A stream that its client resets does not count any more, so a client could open and reset
// thousands at once. In one turn of the event loop no client can have open more than it is allowed
// without such resets: a connection that opens more ends.

export interface StreamAllowancePorts {
  /** Allows a connection so many streams; `acknowledged` runs when the client knows it. */
  readonly allow: (session: object, streams: number, acknowledged: () => void) => void;
  /** Runs the function when the event loop has read what there was. */
  readonly later: (run: () => void) => void;
  /** Allows every connection that begins from here on so many streams. */
  readonly allowNew: (streams: number) => void;
  /** Streams of one connection. */
  readonly most: number;
  /** Streams of a connection beyond its running requests, when there are few connections. */
  readonly spare: number;
  /** The same when there are very many connections. */
  readonly leastSpare: number;
  /** Streams of all connections beyond running requests, as far as `leastSpare` allows. */
  readonly total: number;
}

interface Session {
  allowed: number;
  /** Requests that were begun and have not ended. */
  running: number;
  /** Changes that the client has not acknowledged; it may send no answer on purpose. */
  pending: number;
  /** Streams that it opened in the turn of this number. */
  turn: number;
  inTurn: number;
}

/** A client that acknowledges nothing is allowed no more; Node.js ends it at 10. */
const mostPending = 4;
/** Of streams that end within a turn, such as those of refused requests. */
const moreInTurn = 32;

/** Has a life cycle, hence a class. */
export class StreamAllowance {
  readonly #ports: StreamAllowancePorts;
  readonly #sessions = new Map<object, Session>();
  #spare: number;
  #turn = 0;
  #isTurnCounted = false;

  constructor(ports: StreamAllowancePorts) {
    this.#ports = ports;
    this.#spare = ports.spare;
    ports.allowNew(ports.spare);
  }

  opened(session: object): void {
    const allowed = this.#spare;
    this.#sessions.set(session, { allowed, running: 0, pending: 0, turn: this.#turn, inTurn: 0 });
    this.#adjustSpare();
  }

  closed(session: object): void {
    if (this.#sessions.delete(session)) this.#adjustSpare();
  }

  /** A request was read. False: its client resets streams to open more than it is allowed. */
  read(session: object): boolean {
    const found = this.#sessions.get(session);
    if (found === undefined) return true;
    if (!this.#isTurnCounted) {
      this.#isTurnCounted = true;
      this.#ports.later(() => {
        this.#isTurnCounted = false;
        this.#turn += 1;
      });
    }
    if (found.turn !== this.#turn) [found.turn, found.inTurn] = [this.#turn, 0];
    found.inTurn += 1;
    // Before the client knows of a smaller number, it may use the one before.
    const spare = 2 * this.#spare * (found.pending > 0 ? 2 : 1);
    return found.inTurn <= spare + moreInTurn;
  }

  /** A request was begun: it does not wait with others to be read and handled. */
  begun(session: object): void {
    const found = this.#sessions.get(session);
    if (found === undefined) return;
    found.running += 1;
    if (found.pending > 0 || found.allowed - found.running > this.#spare / 2) return;
    const allowed = Math.min(this.#ports.most, found.running + this.#spare);
    if (allowed > found.allowed) this.#allow(session, found, allowed);
  }

  ended(session: object): void {
    const found = this.#sessions.get(session);
    if (found === undefined) return;
    found.running -= 1;
    this.#lower(session, found);
  }

  /** In powers of two, so that it seldom changes. */
  #adjustSpare(): void {
    const { spare: first, leastSpare, total } = this.#ports;
    const count = this.#sessions.size;
    let spare = first;
    while (spare > leastSpare && spare * count > total) spare /= 2;
    if (spare === this.#spare) return;
    const isLess = spare < this.#spare;
    this.#spare = spare;
    this.#ports.allowNew(spare);
    if (!isLess) return;
    for (const [session, found] of this.#sessions) this.#lower(session, found);
  }

  /** A connection keeps up to twice its spare streams: what it has just used, it may use again. */
  #lower(session: object, found: Session): void {
    if (found.pending >= mostPending || found.allowed - found.running < 2 * this.#spare) return;
    this.#allow(session, found, found.running + this.#spare);
  }

  #allow(session: object, found: Session, streams: number): void {
    found.allowed = streams;
    found.pending += 1;
    this.#ports.allow(session, streams, () => void (found.pending -= 1));
  }
}
