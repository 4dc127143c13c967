// A queue of the in-process broker: messages that wait, consumers that take them in turns, and
// deliveries that are not settled. A message that is put back is delivered before newer ones.

import type { HeaderTable, MessageProperties, QueueDeclaration } from "../port.ts";

export interface Message extends MessageProperties {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
}

/** A message in one queue. */
interface Held {
  readonly message: Message;
  deliveries: number;
}

export interface Taken {
  readonly message: Message;
  readonly deliveries: number;
  readonly settle: (how: "ack" | "requeue" | "reject") => void;
}

export interface Taker {
  readonly prefetch: number;
  readonly take: (taken: Taken) => void;
}

export type DeathReason = "rejected" | "delivery_limit" | "maxlen";

interface Member extends Taker {
  readonly open: Set<Held>;
  hasLeft: boolean;
}

export class MemoryQueue {
  readonly declaration: QueueDeclaration;
  readonly #maxLength: number;
  readonly #bury: (message: Message, exchange: string) => void;
  #waiting: Held[] = [];
  #first = 0;
  readonly #returned: Held[] = [];
  #members: Member[] = [];
  #isPumping = false;

  constructor(
    declaration: QueueDeclaration,
    maxLength: number,
    bury: (message: Message, exchange: string) => void,
  ) {
    this.declaration = declaration;
    this.#maxLength = declaration.maxLength ?? maxLength;
    this.#bury = bury;
  }

  get length(): number {
    return this.#returned.length + this.#waiting.length - this.#first;
  }

  get consumers(): number {
    return this.#members.length;
  }

  /** False when the queue is full. */
  get hasRoom(): boolean {
    return this.declaration.whenFull === "drop-oldest" || this.length < this.#maxLength;
  }

  put(message: Message): void {
    this.#waiting.push({ message, deliveries: 0 });
    if (this.length > this.#maxLength) {
      const oldest = this.#shift();
      if (oldest !== undefined) this.#die(oldest, "maxlen");
    }
    this.#pump();
  }

  /** Returns a function that ends it, which puts open deliveries back with `hasEnded`. */
  join(taker: Taker): (hasEnded: boolean) => void {
    const member: Member = { ...taker, open: new Set(), hasLeft: false };
    this.#members.push(member);
    this.#pump();
    return (hasEnded) => {
      member.hasLeft = true;
      this.#members = this.#members.filter((each) => each !== member);
      const open = hasEnded ? [...member.open].toReversed() : [];
      for (const held of open) this.#settle(member, held, "requeue");
      this.#pump();
    };
  }

  /** After the present call has returned, as a broker would deliver. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    queueMicrotask(() => {
      this.#isPumping = false;
      for (;;) {
        const member = this.#nextMember();
        const held = member === undefined ? undefined : this.#shift();
        if (member === undefined || held === undefined) return;
        this.#hand(member, held);
      }
    });
  }

  #nextMember(): Member | undefined {
    if (this.length === 0) return undefined;
    const able =
      this.declaration.hasSingleConsumer === true ? this.#members.slice(0, 1) : this.#members;
    const free = able.find(({ open, prefetch }) => open.size < prefetch);
    if (free === undefined || able.length === 1) return free;
    this.#members = [...this.#members.filter((each) => each !== free), free];
    return free;
  }

  #hand(member: Member, held: Held): void {
    member.open.add(held);
    const { message, deliveries } = held;
    const settle = (how: "ack" | "requeue" | "reject"): void => this.#settle(member, held, how);
    member.take({ message, deliveries, settle });
  }

  #settle(member: Member, held: Held, how: "ack" | "requeue" | "reject"): void {
    if (!member.open.delete(held)) return;
    const { deliveryLimit } = this.declaration;
    if (how === "requeue") {
      held.deliveries += 1;
      if (deliveryLimit !== undefined && held.deliveries > deliveryLimit) {
        this.#die(held, "delivery_limit");
      } else this.#returned.unshift(held);
    } else if (how === "reject") this.#die(held, "rejected");
    this.#pump();
  }

  #shift(): Held | undefined {
    const returned = this.#returned.shift();
    if (returned !== undefined) return returned;
    const held = this.#waiting[this.#first];
    if (held === undefined) return undefined;
    this.#first += 1;
    if (this.#first >= 1_024 && this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return held;
  }

  #die({ message }: Held, reason: DeathReason): void {
    const { deadLetterExchange, name } = this.declaration;
    if (deadLetterExchange === undefined) return;
    const { headers = {}, exchange, routingKey } = message;
    const death: HeaderTable = {
      reason,
      queue: name,
      exchange,
      "routing-keys": [routingKey],
      count: 1,
    };
    const earlier = headers["x-death"];
    const deaths = [death, ...(Array.isArray(earlier) ? (earlier as readonly HeaderTable[]) : [])];
    this.#bury({ ...message, headers: { ...headers, "x-death": deaths } }, deadLetterExchange);
  }
}
