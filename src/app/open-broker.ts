/** The brokers of this process: one inside it, and RabbitMQ at an address. */
import { MemoryBroker } from "../adapters/amqp/memory/broker.ts";
import { connectMemory } from "../adapters/amqp/memory/connection.ts";
import type { OpenBroker } from "../adapters/amqp/port.ts";
import { connectRabbitMq } from "../adapters/amqp/rabbitmq/connection.ts";
import type { Timers } from "../kernel/timers.ts";

/** The user of the connections of this process to the broker inside it. */
export const ownBrokerUser = "setpoint";

export function brokerWith(timers: Timers, inside = new MemoryBroker()): OpenBroker {
  return ({ name, address }) =>
    address === undefined
      ? connectMemory(inside, ownBrokerUser)
      : connectRabbitMq({ name, address, timers });
}
