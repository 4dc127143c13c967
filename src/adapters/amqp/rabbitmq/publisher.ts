// Publishes with confirms. The broker sends `basic.return` for a message that no queue received
// before it confirms the message, so a confirm of a returned message counts as `returned`.

import type { ChannelModel, ConfirmChannel, Options } from "amqplib";
import type { OutgoingMessage, Publisher, PublishOutcome } from "../port.ts";
import { reasonOf } from "./reason.ts";

export interface PublisherParts {
  readonly model: ChannelModel;
  readonly channel: ConfirmChannel;
  /** Whether the broker asked publishers to wait. */
  readonly isBlocked: () => boolean;
}

export function publisherOn({ model, channel, isBlocked }: PublisherParts): Publisher {
  /** Why each returned message was returned, until its confirm arrives. */
  const returned = new Map<string, string>();
  let isFull = false;
  let reason: string | undefined;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    if (reason === undefined && (isFull || isBlocked())) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  channel.on("return", ({ fields, properties }) => {
    const { messageId } = properties as { readonly messageId?: unknown };
    const { replyText } = fields as { readonly replyText?: unknown };
    const why = typeof replyText === "string" ? replyText : "NO_ROUTE";
    if (typeof messageId === "string") returned.set(messageId, why);
  });
  channel.on("drain", () => {
    isFull = false;
    wake();
  });
  channel.on("error", (error) => (reason = reasonOf(error)));
  channel.on("close", () => {
    reason ??= "the channel was closed";
    wake();
  });
  model.on("unblocked", wake);
  const publish = async (message: OutgoingMessage): Promise<PublishOutcome> => {
    if (reason !== undefined) return { kind: "lost", reason };
    const { promise, resolve } = Promise.withResolvers<PublishOutcome>();
    const onConfirm = (error: unknown): void => {
      const why = returned.get(message.messageId);
      returned.delete(message.messageId);
      if (error === null) {
        resolve(why === undefined ? { kind: "confirmed" } : { kind: "returned", reason: why });
      } else if (reason !== undefined || isClosed(error)) {
        resolve({ kind: "lost", reason: reason ?? reasonOf(error) });
      } else resolve({ kind: "refused", reason: "the broker refused the message" });
    };
    const { exchange, routingKey, body } = message;
    try {
      isFull =
        !channel.publish(exchange, routingKey, body, optionsOf(message), onConfirm) || isFull;
    } catch (error) {
      resolve({ kind: "lost", reason: reasonOf(error) });
    }
    return await promise;
  };
  return {
    get isWritable() {
      return reason === undefined && !isFull && !isBlocked();
    },
    writable: async () => {
      if (reason !== undefined || (!isFull && !isBlocked())) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
    },
    publish,
    [Symbol.asyncDispose]: async () => {
      if (reason !== undefined) return;
      await channel.close().catch(() => {
        // The connection has ended already.
      });
    },
  };
}

/** A nack has another message than the end of a channel. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === "channel closed";
}

function optionsOf(message: OutgoingMessage): Options.Publish {
  const { messageId, correlationId, type, replyTo, contentType, appId } = message;
  const { userId, timestamp, headers = {}, isMandatory } = message;
  return {
    messageId,
    headers,
    mandatory: isMandatory,
    persistent: true,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(type === undefined ? {} : { type }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(appId === undefined ? {} : { appId }),
    ...(userId === undefined ? {} : { userId }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}
