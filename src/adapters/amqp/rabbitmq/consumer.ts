// Receives deliveries of one queue on a channel of its own.

import type { Channel, ConsumeMessage } from "amqplib";
import { unavailable } from "../failures.ts";
import type { Consumer, ConsumeRequest, Delivery, HeaderTable } from "../port.ts";
import { reasonOf } from "./reason.ts";

export async function consumerOn(
  channel: Channel,
  { queue, prefetch, onDelivery }: ConsumeRequest,
): Promise<Consumer> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let reason: string | undefined;
  let isOpen = true;
  channel.on("error", (error) => (reason = reasonOf(error)));
  channel.on("close", () => {
    isOpen = false;
    resolve(reason ?? "the channel was closed");
  });
  let tag: string;
  try {
    await channel.prefetch(prefetch);
    const settle = (how: (channel: Channel) => void): void => {
      // A delivery of a closed channel is delivered again, so there is nothing to settle.
      if (isOpen) how(channel);
    };
    const consuming = await channel.consume(queue, (message) => {
      if (message === null) resolve("the broker ended the consumer");
      else onDelivery(deliveryOf(message, settle));
    });
    tag = consuming.consumerTag;
  } catch (error) {
    throw unavailable(reasonOf(error), error);
  }
  return {
    ended: promise,
    [Symbol.asyncDispose]: async () => {
      resolve(undefined);
      if (!isOpen) return;
      await channel.cancel(tag).catch(() => {
        // The connection has ended already.
      });
    },
  };
}

function deliveryOf(
  message: ConsumeMessage,
  settle: (how: (channel: Channel) => void) => void,
): Delivery {
  const { content, fields, properties } = message;
  const headers = (properties.headers ?? {}) as HeaderTable;
  return {
    exchange: fields.exchange,
    routingKey: fields.routingKey,
    body: content,
    deliveries: deliveriesOf(headers, fields.redelivered),
    headers,
    ...texts(properties as unknown as Readonly<Record<string, unknown>>),
    ack: () => settle((channel) => channel.ack(message)),
    requeue: () => settle((channel) => channel.nack(message, false, true)),
    reject: () => settle((channel) => channel.nack(message, false, false)),
  };
}

const textNames = [
  "messageId",
  "correlationId",
  "type",
  "replyTo",
  "contentType",
  "appId",
  "userId",
] as const;

type Texts = Partial<Record<(typeof textNames)[number], string>> & { readonly timestamp?: number };

function texts(properties: Readonly<Record<string, unknown>>): Texts {
  const { timestamp } = properties;
  const found = textNames.flatMap((name) => {
    const value = properties[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(found),
    ...(typeof timestamp === "number" ? { timestamp } : {}),
  };
}

/** Quorum queues count deliveries; other queues only mark a repeated one. */
function deliveriesOf(headers: HeaderTable, isRedelivered: boolean): number {
  const count = headers["x-delivery-count"];
  return typeof count === "number" ? count : isRedelivered ? 1 : 0;
}
