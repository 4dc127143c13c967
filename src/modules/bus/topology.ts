// The exchanges and queues that the module declares. Consumers of events declare queues of their
// own and bind them to the exchange of events. What no queue receives goes to a bounded queue, so
// that no event disappears without a trace.

import type { Topology } from "../../adapters/amqp/port.ts";
import type { BusConfiguration } from "./configuration.ts";
import { busLimits } from "./limits.ts";

export function outboxTopology({ eventsExchange, url }: BusConfiguration): Topology {
  const alternate = `${eventsExchange}.unrouted`;
  const { maxUnroutedEvents, maxUnroutedInProcess } = busLimits;
  const maxLength = url === undefined ? maxUnroutedInProcess : maxUnroutedEvents;
  return {
    exchanges: [
      { name: alternate, type: "fanout" },
      { name: eventsExchange, type: "topic", alternate },
    ],
    queues: [{ name: alternate, maxLength, whenFull: "drop-oldest" }],
    bindings: [{ exchange: alternate, queue: alternate, pattern: "" }],
  };
}

export function inboxTopology(configuration: BusConfiguration): Topology {
  const { commandsExchange, commandsQueue, deadLetterExchange, deadLetterQueue } = configuration;
  const { deliveryLimit } = configuration;
  return {
    exchanges: [
      { name: deadLetterExchange, type: "topic" },
      { name: commandsExchange, type: "topic" },
    ],
    queues: [
      { name: deadLetterQueue },
      // One consumer at a time keeps the order of the commands for one resource.
      { name: commandsQueue, deadLetterExchange, deliveryLimit, hasSingleConsumer: true },
    ],
    bindings: [
      { exchange: deadLetterExchange, queue: deadLetterQueue, pattern: "#" },
      { exchange: commandsExchange, queue: commandsQueue, pattern: "#" },
    ],
  };
}
