// Bodies in very many small parts. Each chunk of HTTP/1.1 and each DATA frame of HTTP/2 is an event
// and an object, however few bytes it has: a client that repeats ten bytes can send 50,000 parts in
// one turn of the event loop, and keep memory for each. So connections have a rate of small parts,
// and all of them together have a number in one turn. A connection beyond it is ended.

import { arrivalLimits } from "./arrival-limits.ts";

export interface SmallPartsPorts {
  readonly nowMs: () => number;
  /** Runs the function when the event loop has read what there was. */
  readonly later: (run: () => void) => void;
}

interface Connection {
  /** Small parts that it may send now. */
  left: number;
  sinceMs: number;
  /** In the turn of this number. */
  turn: number;
  inTurn: number;
}

/** Has a life cycle, hence a class. */
export class SmallParts {
  readonly #ports: SmallPartsPorts;
  readonly #connections = new WeakMap<object, Connection>();
  #turn = 0;
  /** Of all connections in this turn. */
  #inTurn = 0;

  constructor(ports: SmallPartsPorts) {
    this.#ports = ports;
  }

  /** A part of a body was read. False: the connection sends too many. */
  take(connection: object, bytes: number): boolean {
    if (bytes >= arrivalLimits.smallPartBytes) return true;
    const found = this.#of(connection);
    if (this.#inTurn === 0) this.#ports.later(() => this.#endTurn());
    if (found.turn !== this.#turn) [found.turn, found.inTurn] = [this.#turn, 0];
    found.left -= 1;
    found.inTurn += 1;
    this.#inTurn += 1;
    if (this.#inTurn > arrivalLimits.maxSmallPartsInTurn) {
      return found.inTurn <= arrivalLimits.leastSmallPartsInTurn;
    }
    return found.left >= 0 || this.#refill(found);
  }

  #of(connection: object): Connection {
    const known = this.#connections.get(connection);
    if (known !== undefined) return known;
    const sinceMs = this.#ports.nowMs();
    const found = { left: arrivalLimits.maxSmallParts, sinceMs, turn: this.#turn, inTurn: 0 };
    this.#connections.set(connection, found);
    return found;
  }

  /** The clock is read only when nothing is left. */
  #refill(found: Connection): boolean {
    const nowMs = this.#ports.nowMs();
    const parts = ((nowMs - found.sinceMs) / 1_000) * arrivalLimits.smallPartsPerSecond;
    found.left += Math.min(Math.floor(parts), arrivalLimits.maxSmallParts);
    found.sinceMs = nowMs;
    return found.left >= 0;
  }

  #endTurn(): void {
    this.#turn += 1;
    this.#inTurn = 0;
  }
}

interface Body {
  push(part: unknown, encoding?: BufferEncoding): boolean;
}

/**
 * Counts the parts of a body when they are read, and not when something takes them. The first ones
 * count as the request. When `take` returns false, the body has no more parts.
 */
export function countParts(body: Body, take: (bytes: number) => boolean): void {
  const push = body.push.bind(body);
  let parts = 0;
  let isOver = false;
  body.push = (part, encoding) => {
    parts += 1;
    if (parts > arrivalLimits.freeParts && part instanceof Uint8Array) {
      isOver = isOver || !take(part.length);
      if (isOver) return false;
    }
    return push(part, encoding);
  };
}
