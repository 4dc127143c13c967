/** The message bus of a process: outbox and inbox, their health and their metrics. */
import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts, StartPorts } from "../../contract/ports.ts";
import { addressReader } from "./address.ts";
import type { BusOffer, PerformCommand } from "./command.ts";
import { defaultConfiguration } from "./configuration.ts";
import type { BusConfiguration } from "./configuration.ts";
import { mappedUsers } from "./inbox/mapped-users.ts";
import { serveCommands } from "./inbox/inbox.ts";
import { keepConnected, newLinkState } from "./link.ts";
import type { LinkState } from "./link.ts";
import { connectedMetric, lagRevisionsMetric, lagSecondsMetric, waitingMetric } from "./metrics.ts";
import { readCursor } from "./outbox/cursor.ts";
import { outboxProblem, newOutboxState } from "./outbox/outbox-state.ts";
import type { OutboxState } from "./outbox/outbox-state.ts";
import { outboxTask } from "./outbox/outbox-task.ts";
import { sourceOf } from "./source.ts";
import { inboxTopology } from "./topology.ts";

interface Bus {
  readonly ports: OpenPorts;
  readonly configuration: BusConfiguration;
  readonly outbox: OutboxState;
  readonly inbox: LinkState;
  readonly performer: Promise<PerformCommand>;
}

export function openBus(ports: OpenPorts): OpenModule {
  const configuration = (ports.configuration ?? defaultConfiguration) as BusConfiguration;
  const { promise: performer, resolve: performWith } = Promise.withResolvers<PerformCommand>();
  const outbox = newOutboxState();
  const inbox = newLinkState();
  const bus: Bus = { ports, configuration, outbox, inbox, performer };
  const isConfigured = ports.configuration !== undefined;
  if (!isConfigured) return {};
  return {
    offered: { performWith } satisfies BusOffer,
    healthChecks: [
      {
        name: "bus-outbox",
        check: async () => outboxProblem(outbox, ports.clock.nowMs()),
      },
      {
        name: "bus-inbox",
        check: async () =>
          inbox.isConnected
            ? undefined
            : `the broker is not connected (${inbox.reason ?? "not tried yet"})`,
      },
    ],
    history: {
      floor: () => readCursor(ports.store),
      holdMs: configuration.holdHours * 3_600_000,
    },
    start: (more) => startBus(bus, more),
  };
}

async function startBus(bus: Bus, more: StartPorts): Promise<AsyncDisposable> {
  const { ports, configuration, outbox } = bus;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ports.stopping]);
  const { url } = configuration;
  const address = url === undefined ? undefined : addressReader(url, configuration, ports);
  const connectAs = (name: string): ReturnType<OpenPorts["openBroker"]> =>
    ports.openBroker({ name, address });
  const endLead = more.engine.lead(
    outboxTask({
      ports,
      configuration,
      store: more.intents.store,
      state: outbox,
      connect: connectAs("setpoint outbox"),
    }),
  );
  const receiving = receive(bus, connectAs("setpoint inbox"), signal);
  const endCollections = collectMetrics(bus);
  return {
    [Symbol.asyncDispose]: async () => {
      endLead();
      stop.abort();
      await receiving;
      for (const end of endCollections) end();
    },
  };
}

/** Begins when the surface has given the inbox a way to perform commands. */
async function receive(
  { ports, configuration, inbox, performer }: Bus,
  connect: ReturnType<OpenPorts["openBroker"]>,
  signal: AbortSignal,
): Promise<void> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  const perform = await Promise.race([performer, stopped]);
  if (perform === undefined) return;
  const source = (): string => sourceOf(configuration, ports.live);
  const userOf = mappedUsers(configuration.users);
  const { timers, random, log, meter, clock } = ports;
  const input = { timers, random, log, meter, clock, configuration, source, userOf, perform };
  const topology = inboxTopology(configuration);
  const link = { timers, random, log, use: "inbox", connect, topology, state: inbox };
  await keepConnected(link, signal, async (connection, ofConnection) => {
    await serveCommands(input, connection, ofConnection);
  });
}

function collectMetrics({ ports, outbox, inbox }: Bus): readonly (() => void)[] {
  const { meter, clock } = ports;
  const leading = (value: () => number) => () =>
    outbox.isLeading ? [{ labels: {}, value: value() }] : [];
  const ageMs = (): number => Math.max(0, clock.nowMs() - (outbox.oldestMs ?? clock.nowMs()));
  return [
    meter.collect(
      lagRevisionsMetric,
      leading(() => Math.max(0, outbox.head - outbox.through)),
    ),
    meter.collect(
      lagSecondsMetric,
      leading(() => ageMs() / 1_000),
    ),
    meter.collect(
      waitingMetric,
      leading(() => outbox.waiting),
    ),
    meter.collect(connectedMetric, () => [
      ...(outbox.isLeading
        ? [{ labels: { use: "outbox" }, value: Number(outbox.link.isConnected) }]
        : []),
      { labels: { use: "inbox" }, value: Number(inbox.isConnected) },
    ]),
  ];
}
