// The messages that answer a command: the reply to its sender, and the dead letter of a command
// that was rejected.

import type { Delivery, HeaderTable, OutgoingMessage } from "../../../adapters/amqp/port.ts";
import { entryOf, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { CommandOutcome } from "../command.ts";
import { messageOf } from "../outbox/cloud-event.ts";

export interface ReplyInput {
  readonly delivery: Delivery;
  readonly outcome: CommandOutcome;
  readonly source: string;
  readonly timeMs: number;
  /** Of the command; undefined where the message has none that is valid. */
  readonly traceId: string | undefined;
}

/** Undefined when the sender wants no reply. */
export function replyOf(input: ReplyInput): OutgoingMessage | undefined {
  const { delivery, outcome, source, timeMs, traceId } = input;
  const { replyTo, messageId = "", correlationId = messageId, type = "" } = delivery;
  if (replyTo === undefined || replyTo === "") return undefined;
  const { kind, status, document, isRepeated } = outcome;
  const facts = {
    id: `${kind}-${messageId}`,
    source,
    type: `command.${kind}`,
    subject: type.slice(0, 200) || "command",
    timeMs,
    cause: {
      ...(traceId === undefined ? {} : { traceId }),
      ...(correlationId === "" ? {} : { correlationId }),
    },
    data: {
      command: type.slice(0, 200),
      messageId,
      status,
      isRepeated,
      ...(kind === "accepted" ? { result: document } : { problem: document }),
    },
  };
  return messageOf(facts, { exchange: "", routingKey: replyTo });
}

/** A copy of the message with the reason in headers. The user id belongs to its sender. */
export function deadLetterOf(
  { delivery, outcome: { status, document } }: Pick<ReplyInput, "delivery" | "outcome">,
  { exchange, queue }: { readonly exchange: string; readonly queue: string },
): OutgoingMessage {
  const { messageId = "", correlationId, type, replyTo, contentType, appId, userId } = delivery;
  const headers: HeaderTable = {
    ...delivery.headers,
    "x-setpoint-code": textAt(document, "code"),
    "x-setpoint-reason": textAt(document, "detail"),
    "x-setpoint-status": status,
    "x-setpoint-queue": queue,
    ...(userId === undefined ? {} : { "x-setpoint-user": userId }),
  };
  return {
    messageId,
    exchange,
    routingKey: delivery.routingKey,
    body: delivery.body,
    isMandatory: true,
    headers,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(type === undefined ? {} : { type }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(appId === undefined ? {} : { appId }),
  };
}

/** The outcome of a message that is not a command. */
export function malformed(error: unknown): CommandOutcome {
  const known = isSetpointError(error) ? error : undefined;
  const code = known?.code ?? "internal";
  const { status, summary, action } = entryOf(code);
  const field = textAt(known?.details, "field");
  const document: JsonObject = {
    title: summary,
    status,
    code,
    detail: known?.message ?? "unexpected error; see the log of the server",
    ...(field === "" ? {} : { field }),
    suggestion: known?.suggestion ?? action,
  };
  return { kind: "rejected", status, document, isRepeated: false };
}
