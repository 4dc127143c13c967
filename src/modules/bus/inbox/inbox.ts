// Receives commands and performs them. A delivery is acknowledged after its command is committed
// and its reply is confirmed; reconcilers do the work that the command causes later. Commands of
// one namespace are performed in the order of the queue.

import type { BrokerConnection, Delivery, Publisher } from "../../../adapters/amqp/port.ts";
import type { ProcessPorts } from "../../../contract/ports.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Command, CommandOutcome, PerformCommand } from "../command.ts";
import type { BusConfiguration } from "../configuration.ts";
import { busLimits } from "../limits.ts";
import { pauseMs } from "../link.ts";
import { commandsMetric } from "../metrics.ts";
import { commandOf } from "./command-message.ts";
import type { UserOf } from "./mapped-users.ts";
import { deadLetterOf, malformed, replyOf } from "./reply.ts";

export interface InboxInput extends Pick<
  ProcessPorts,
  "timers" | "random" | "log" | "meter" | "clock"
> {
  readonly configuration: BusConfiguration;
  readonly source: () => string;
  readonly userOf: UserOf;
  readonly perform: PerformCommand;
}

/** Serves one connection, until it or its consumer ends. */
export async function serveCommands(
  input: InboxInput,
  connection: BrokerConnection,
  signal: AbortSignal,
): Promise<void> {
  const { commandsQueue: queue, prefetch } = input.configuration;
  const publisher = await connection.publisher();
  const inbox = new Inbox(input, publisher, signal);
  const consumer = await connection.consume({ queue, prefetch, onDelivery: inbox.onDelivery });
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  const reason = await Promise.race([consumer.ended, aborted]);
  await consumer[Symbol.asyncDispose]();
  await inbox.settled();
  if (reason !== undefined && !signal.aborted) {
    throw new SetpointError("broker.unavailable", `the consumer of ${queue} ended: ${reason}`);
  }
}

class Inbox {
  readonly #input: InboxInput;
  readonly #publisher: Publisher;
  readonly #signal: AbortSignal;
  /** The last command of each namespace that has one in progress. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(input: InboxInput, publisher: Publisher, signal: AbortSignal) {
    this.#input = input;
    this.#publisher = publisher;
    this.#signal = signal;
  }

  readonly onDelivery = (delivery: Delivery): void => {
    let command: Command | undefined;
    let fault: unknown;
    try {
      command = commandOf(delivery, this.#input.userOf);
      this.#checkReplyTo(delivery);
    } catch (error) {
      fault = error;
    }
    const order = command === undefined ? "" : orderOf(command);
    const work = async (): Promise<void> => {
      if (command === undefined || fault !== undefined) {
        await this.#conclude(delivery, undefined, malformed(fault), "malformed");
      } else await this.#perform(delivery, command);
    };
    const earlier = this.#tails.get(order);
    const tail = this.#after(earlier, delivery, work);
    this.#tails.set(order, tail);
    void this.#forget(order, tail);
  };

  async #after(
    earlier: Promise<void> | undefined,
    delivery: Delivery,
    work: () => Promise<void>,
  ): Promise<void> {
    await earlier;
    try {
      await work();
    } catch (error) {
      this.#input.log.error({ error }, "command failed and will be delivered again");
      delivery.requeue();
    }
  }

  async #forget(order: string, tail: Promise<void>): Promise<void> {
    await tail;
    if (this.#tails.get(order) === tail) this.#tails.delete(order);
  }

  /** Resolves when no command is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  async #perform(delivery: Delivery, command: Command): Promise<void> {
    const { timers, random, clock, log, perform } = this.#input;
    const startMs = clock.nowMs();
    for (let failures = 1; ; failures += 1) {
      if (this.#signal.aborted) return delivery.requeue();
      try {
        const outcome = await perform(command, this.#signal);
        const label = outcome.isRepeated ? "repeated" : outcome.kind;
        return await this.#conclude(delivery, command, outcome, label);
      } catch (error) {
        if (this.#signal.aborted) return delivery.requeue();
        const fields = { error, command: command.name, message: command.messageId, failures };
        if (!isSetpointError(error) && failures >= maxFaults) {
          log.error(fields, "command rejected after unexpected errors");
          return await this.#conclude(delivery, command, malformed(error), "rejected");
        }
        if (clock.nowMs() - startMs >= busLimits.maxRetryInPlaceMs) {
          this.#input.meter.count(commandsMetric, { outcome: "requeued" });
          log.warn(fields, "command put back into the queue");
          return delivery.requeue();
        }
        log.warn(fields, "command not performed and will be tried again");
        await timers.sleep(pauseMs(failures, random.next()), this.#signal).catch(() => undefined);
      }
    }
  }

  /** Reply, dead letter, then the acknowledgement. What is not confirmed is delivered again. */
  async #conclude(
    delivery: Delivery,
    command: Command | undefined,
    outcome: CommandOutcome,
    label: string,
  ): Promise<void> {
    const { configuration, source, clock, log, meter } = this.#input;
    const { deadLetterExchange: exchange, commandsQueue: queue } = configuration;
    const reply = this.#mayReply(delivery)
      ? replyOf({
          delivery,
          outcome,
          source: source(),
          timeMs: clock.nowMs(),
          traceId: command?.traceId,
        })
      : undefined;
    if (reply !== undefined) {
      const sent = await this.#publisher.publish(reply);
      if (sent.kind === "lost") return delivery.requeue();
      if (sent.kind !== "confirmed") {
        log.info({ reason: sent.reason, message: delivery.messageId }, "reply not delivered");
      }
    }
    if (outcome.kind === "rejected" && !outcome.isRepeated) {
      const letter = deadLetterOf({ delivery, outcome }, { exchange, queue });
      const sent = await this.#publisher.publish(letter);
      if (sent.kind !== "confirmed") return delivery.requeue();
      const { type: name, userId: user } = delivery;
      const [code, reason] = [textAt(outcome.document, "code"), textAt(outcome.document, "detail")];
      log.warn({ command: name, user, code, reason }, "command rejected");
    }
    meter.count(commandsMetric, { outcome: label });
    delivery.ack();
  }

  /** A sender must not make this server write to queues that the sender itself may not write to. */
  #checkReplyTo(delivery: Delivery): void {
    if (delivery.replyTo === undefined || this.#mayReply(delivery)) return;
    const known = this.#input.configuration.replyQueues.join(", ");
    const message = `reply-to must name a queue that begins with one of ${known}`;
    throw new SetpointError("request.invalid", message, { details: { field: "reply-to" } });
  }

  #mayReply({ replyTo = "" }: Delivery): boolean {
    return this.#input.configuration.replyQueues.some((prefix) => replyTo.startsWith(prefix));
  }
}

const maxFaults = 3;

/** Routes take "default" for a namespace that is not given. */
function orderOf({ path, query }: Command): string {
  return textAt(query, "namespace") || path["namespace"] || "default";
}
