// Exchanges, queues and bindings on RabbitMQ. Queues are quorum queues. A declaration with other
// arguments ends its channel with the code 406, so the whole topology has a channel of its own.

import type { Channel, Options } from "amqplib";
import { declarationConflict, unavailable } from "../failures.ts";
import type { ExchangeDeclaration, QueueDeclaration, Topology } from "../port.ts";
import { reasonOf, replyCodeOf } from "./reason.ts";

const differentArguments = 406;

export async function declareOn(
  open: () => Promise<Channel>,
  { exchanges = [], queues = [], bindings = [] }: Topology,
): Promise<void> {
  const channel = await open();
  for (const { name, type, ...more } of exchanges) {
    await told(`the exchange ${name}`, () =>
      channel.assertExchange(name, type, { durable: true, ...exchangeOptions(more) }),
    );
  }
  for (const queue of queues) {
    await told(`the queue ${queue.name}`, () =>
      channel.assertQueue(queue.name, queueOptions(queue)),
    );
  }
  for (const { queue, exchange, pattern } of bindings) {
    await told(`the binding of ${queue}`, () => channel.bindQueue(queue, exchange, pattern));
  }
  await channel.close();
}

function exchangeOptions({ alternate }: Partial<ExchangeDeclaration>): Options.AssertExchange {
  return alternate === undefined ? {} : { alternateExchange: alternate };
}

function queueOptions(queue: QueueDeclaration): Options.AssertQueue {
  if (queue.isTemporary === true) return { exclusive: true, autoDelete: true, durable: false };
  const { deadLetterExchange, deliveryLimit, maxLength, hasSingleConsumer } = queue;
  const isRejecting = queue.whenFull !== "drop-oldest";
  return {
    durable: true,
    arguments: {
      "x-queue-type": "quorum",
      "x-overflow": isRejecting ? "reject-publish" : "drop-head",
      ...(deadLetterExchange === undefined ? {} : { "x-dead-letter-exchange": deadLetterExchange }),
      // Needs that publishers are refused by a full queue.
      ...(deadLetterExchange !== undefined && isRejecting
        ? { "x-dead-letter-strategy": "at-least-once" }
        : {}),
      ...(deliveryLimit === undefined ? {} : { "x-delivery-limit": deliveryLimit }),
      ...(maxLength === undefined ? {} : { "x-max-length": maxLength }),
      ...(hasSingleConsumer === true ? { "x-single-active-consumer": true } : {}),
    },
  };
}

async function told(what: string, declare: () => Promise<unknown>): Promise<void> {
  try {
    await declare();
  } catch (error) {
    if (replyCodeOf(error) === differentArguments) throw declarationConflict(what, error);
    throw unavailable(`${what}: ${reasonOf(error)}`, error);
  }
}
