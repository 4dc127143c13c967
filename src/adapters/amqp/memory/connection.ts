// Connections to the in-process broker.

import { SetpointError } from "../../../kernel/errors.ts";
import { unavailable } from "../failures.ts";
import type {
  BrokerConnection,
  ConnectBroker,
  Consumer,
  ConsumeRequest,
  Delivery,
  OutgoingMessage,
  Publisher,
  PublishOutcome,
  Topology,
} from "../port.ts";
import type { MemoryBroker } from "./broker.ts";
import type { Message, Taken } from "./queue.ts";

/** `user` is what messages may name as their user. */
export function connectMemory(broker: MemoryBroker, user: string): ConnectBroker {
  return async () => {
    if (broker.isDown) throw unavailable("it is stopped");
    return new MemoryConnection(broker, user);
  };
}

class MemoryConnection implements BrokerConnection {
  readonly ended: Promise<string | undefined>;
  readonly #broker: MemoryBroker;
  readonly #user: string;
  readonly #parts = new Set<(reason: string | undefined) => void>();
  readonly #temporary = new Set<string>();
  readonly #end: (reason: string | undefined) => void;
  #hasEnded = false;

  constructor(broker: MemoryBroker, user: string) {
    this.#broker = broker;
    this.#user = user;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.ended = promise;
    const forget = broker.onStop(() => this.#end("the broker stopped"));
    this.#end = (reason) => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      forget();
      for (const part of this.#parts) part(reason ?? "the connection was closed");
      for (const name of this.#temporary) broker.deleteQueue(name);
      resolve(reason);
    };
  }

  async declare(topology: Topology): Promise<void> {
    this.#check();
    this.#broker.declare(topology);
    for (const { name, isTemporary } of topology.queues ?? []) {
      if (isTemporary === true) this.#temporary.add(name);
    }
  }

  async publisher(): Promise<Publisher> {
    this.#check();
    let reason: string | undefined;
    const end = (why: string | undefined): void => {
      reason ??= why ?? "the publisher was closed";
      this.#parts.delete(end);
    };
    this.#parts.add(end);
    const publish = async (message: OutgoingMessage): Promise<PublishOutcome> => {
      if (reason !== undefined) return { kind: "lost", reason };
      const { isMandatory, ...rest } = message;
      if (message.userId !== undefined && message.userId !== this.#user) {
        end("a message names another user");
        return { kind: "lost", reason: reason ?? "" };
      }
      const outcome = this.#broker.publish(rest satisfies Message, isMandatory);
      if (outcome !== undefined) return outcome;
      end(`the exchange ${message.exchange} does not exist`);
      return { kind: "lost", reason: reason ?? "" };
    };
    return {
      isWritable: true,
      writable: async () => undefined,
      publish,
      [Symbol.asyncDispose]: async () => end(undefined),
    };
  }

  async consume({ queue: name, prefetch, onDelivery }: ConsumeRequest): Promise<Consumer> {
    this.#check();
    const queue = this.#broker.queue(name);
    if (queue === undefined) throw unavailable(`the queue ${name} does not exist`);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const leave = queue.join({ prefetch, take: (taken) => onDelivery(deliveryOf(taken)) });
    const end = (reason: string | undefined): void => {
      leave(true);
      resolve(reason);
    };
    this.#parts.add(end);
    return {
      ended: promise,
      [Symbol.asyncDispose]: async () => {
        leave(false);
        resolve(undefined);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end(undefined);
  }

  #check(): void {
    if (this.#hasEnded) throw new SetpointError("broker.unavailable", "the connection has ended");
  }
}

function deliveryOf({ message, deliveries, settle }: Taken): Delivery {
  return {
    ...message,
    deliveries,
    ack: () => settle("ack"),
    requeue: () => settle("requeue"),
    reject: () => settle("reject"),
  };
}
