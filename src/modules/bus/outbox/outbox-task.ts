// The outbox as a task of the leader: one process at a time publishes the log.

import type { ConnectBroker } from "../../../adapters/amqp/port.ts";
import type { OpenPorts } from "../../../contract/ports.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { limits } from "../../../kernel/limits.ts";
import { every } from "../../../kernel/timers.ts";
import type { Store } from "../../../store/port.ts";
import type { BusConfiguration } from "../configuration.ts";
import { keepConnected } from "../link.ts";
import { sourceOf } from "../source.ts";
import { outboxTopology } from "../topology.ts";
import { readCursor } from "./cursor.ts";
import { eventReader } from "./event-reader.ts";
import type { OutboxState } from "./outbox-state.ts";
import { publishFromLog } from "./publish-run.ts";
import type { KindsToRead } from "./publish-run.ts";
import { wantedKinds } from "./wanted-kinds.ts";

export interface OutboxInput {
  readonly ports: OpenPorts;
  readonly configuration: BusConfiguration;
  readonly store: Store;
  readonly state: OutboxState;
  readonly connect: ConnectBroker;
}

export function outboxTask(input: OutboxInput): LeaderTask {
  const { ports, configuration, store, state, connect } = input;
  const { timers, random, log, meter, clock, kinds: registry, live } = ports;
  const { kinds: patterns, eventsExchange: exchange } = configuration;
  const wanted = wantedKinds(patterns, (id) => registry.byId(id) !== undefined);
  const topology = outboxTopology(configuration);
  const link = { timers, random, log, use: "outbox", connect, topology, state: state.link };
  return {
    name: "bus outbox",
    lead: async (claim, signal) => {
      state.isLeading = true;
      const measuring = every(timers, measureMs, () => measure(store, state), signal);
      const source = sourceOf(configuration, live);
      const eventsOf = eventReader({ store, kinds: registry, wanted, exchange, source });
      const shared = { timers, random, log, meter, clock };
      try {
        await keepConnected(link, signal, async (connection, ofConnection) => {
          const publisher = await connection.publisher();
          const kinds = (): KindsToRead => kindsToRead(input, wanted);
          await publishFromLog(
            { ...shared, store, claim, eventsOf, kinds, state, exchange, source },
            publisher,
            ofConnection,
          );
        });
      } finally {
        state.isLeading = false;
        await measuring;
      }
    },
  };
}

const measureMs = 5_000;

/** While the broker is away nothing is read, and the lag still has to be known. */
async function measure(store: Store, state: OutboxState): Promise<void> {
  if (state.link.isConnected) return;
  try {
    state.head = (await store.head()).revision;
    const through = (await readCursor(store)) ?? state.head;
    state.through = through;
    if (through >= state.head) return;
    const { changes } = await store.changes(through, 1);
    state.oldestMs = changes[0]?.atMs ?? state.oldestMs;
  } catch {
    // The store is not available either; the last values stay.
  }
}

function kindsToRead(input: OutboxInput, wanted: (id: string) => boolean): KindsToRead {
  const { live, kinds: registry } = input.ports;
  const { generation } = registry;
  return {
    ids: idsToRead(input, wanted),
    isCurrent: async (through) => {
      await live.reached(through);
      return registry.generation === generation;
    },
  };
}

/** Undefined when all changes have to be read. */
function idsToRead(
  { ports: { kinds: registry }, configuration }: OutboxInput,
  wanted: (id: string) => boolean,
): readonly string[] | undefined {
  if (configuration.kinds.includes("*")) return undefined;
  const served = registry.all().map(({ id }) => id);
  const exact = configuration.kinds.filter((pattern) => !pattern.startsWith("*"));
  const ids = [...new Set([...served.filter(wanted), ...exact])];
  return ids.length > limits.maxClaimKinds ? undefined : ids;
}
