/** Connections and messages for the suite. Each test has exchanges and queues of its own. */
import type { BrokerConnection, ConnectBroker, Delivery, OutgoingMessage } from "../port.ts";

export interface BrokerUnderTest {
  /** A connection as one of two users that the broker knows. */
  connect(user: "setpoint" | "orders"): ReturnType<ConnectBroker>;
}

export type BrokerOf = () => BrokerUnderTest;

let made = 0;

/** A name that no other test uses. */
export function fresh(prefix: string): string {
  made += 1;
  return `${prefix}.${process.pid}.${made}`;
}

export function message(
  exchange: string,
  routingKey: string,
  more: Partial<OutgoingMessage> = {},
): OutgoingMessage {
  const messageId = fresh("message");
  const body = Buffer.from(messageId);
  return { messageId, exchange, routingKey, body, isMandatory: true, ...more };
}

/** Deliveries in the order of their arrival. */
export class Inbox {
  readonly all: Delivery[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly onDelivery = (delivery: Delivery): void => {
    this.all.push(delivery);
    for (const wake of this.#waiting.splice(0)) wake();
  };

  /** Resolves with delivery number `count`, counted from 1. */
  async nth(count: number): Promise<Delivery> {
    for (;;) {
      const delivery = this.all[count - 1];
      if (delivery !== undefined) return delivery;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
  }

  bodies(): readonly string[] {
    return this.all.map(({ body }) => body.toString());
  }
}

/** A topic exchange with one queue that receives everything. */
export async function boundQueue(
  connection: BrokerConnection,
  more: Omit<Parameters<BrokerConnection["declare"]>[0], "bindings"> & {
    readonly queue?: object;
  } = {},
): Promise<{ readonly exchange: string; readonly queue: string }> {
  const exchange = fresh("exchange");
  const queue = fresh("queue");
  await connection.declare({
    exchanges: [...(more.exchanges ?? []), { name: exchange, type: "topic" }],
    queues: [...(more.queues ?? []), { name: queue, ...more.queue }],
    bindings: [{ exchange, queue, pattern: "#" }],
  });
  return { exchange, queue };
}
