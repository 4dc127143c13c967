// Keeps a connection to the broker while a signal allows it: connects, uses the connection until it
// ends, and connects again after a pause that grows with each failure in a row.

import type { BrokerConnection, ConnectBroker, Topology } from "../../adapters/amqp/port.ts";
import type { ProcessPorts } from "../../contract/ports.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { busLimits } from "./limits.ts";

export interface LinkState {
  /** And exchanges and queues are declared. */
  isConnected: boolean;
  /** Why there is no connection, or why the last one ended. */
  reason: string | undefined;
}

export function newLinkState(): LinkState {
  return { isConnected: false, reason: undefined };
}

export interface LinkInput extends Pick<ProcessPorts, "timers" | "random" | "log"> {
  /** For the log. */
  readonly use: string;
  readonly connect: ConnectBroker;
  /** Declared on each connection before it is used. */
  readonly topology: Topology;
  readonly state: LinkState;
}

/** Ends when the connection ends, or when the signal aborts. */
export type UseConnection = (connection: BrokerConnection, signal: AbortSignal) => Promise<void>;

/** Resolves when aborted. Rejects with `claim.lost`: another process does the work. */
export async function keepConnected(
  input: LinkInput,
  signal: AbortSignal,
  use: UseConnection,
): Promise<void> {
  const { timers, random, log, state } = input;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await useOnce(input, signal, async (connection, ofConnection) => {
        failures = 0;
        await use(connection, ofConnection);
      });
      if (!signal.aborted) state.reason ??= "the connection ended";
    } catch (error) {
      if (signal.aborted) return;
      if (isSetpointError(error, "claim.lost")) throw error;
      const reason = error instanceof Error ? error.message : "unknown";
      // The same failure is repeated for as long as the broker is away.
      const level = reason === state.reason ? "debug" : "warn";
      state.reason = reason;
      log[level]({ error, use: input.use }, "broker connection failed and will be opened again");
    }
    failures += 1;
    await timers.sleep(pauseMs(failures, random.next()), signal).catch(() => undefined);
  }
}

async function useOnce(
  { connect, topology, state, log, use: name }: LinkInput,
  signal: AbortSignal,
  use: UseConnection,
): Promise<void> {
  const connection = await connect(signal);
  const ended = new AbortController();
  const follow = async (): Promise<void> => {
    const reason = await connection.ended;
    state.isConnected = false;
    if (reason !== undefined) state.reason = reason;
    ended.abort();
  };
  void follow();
  try {
    await connection.declare(topology);
    state.isConnected = true;
    state.reason = undefined;
    log.info({ use: name }, "broker connected");
    await use(connection, AbortSignal.any([signal, ended.signal]));
  } finally {
    state.isConnected = false;
    await connection[Symbol.asyncDispose]();
  }
}

/** The pause before try number n + 1, with jitter. `part` is from 0 to 1. */
export function pauseMs(failures: number, part: number): number {
  const { firstRetryMs, longestRetryMs } = busLimits;
  const most = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20));
  return most / 2 + (part * most) / 2;
}
