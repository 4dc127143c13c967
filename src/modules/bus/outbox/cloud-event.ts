// An event as a CloudEvent 1.0 in the structured mode, and the message that carries it. The same
// change gives the same id and the same bytes, however often it is published.

import { hash } from "node:crypto";
import type { OutgoingMessage } from "../../../adapters/amqp/port.ts";
import type { Cause } from "../../../kernel/cause.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { formatTraceparent } from "../../../kernel/trace-context.ts";

export const cloudEventsType = "application/cloudevents+json";
export const typePrefix = "dev.setpoint.";
/** Of `data`. A change that consumers must know of raises it. */
export const schemaVersion = "1";

export interface EventFacts {
  readonly id: string;
  readonly source: string;
  /** Without the prefix, such as "environment.created". */
  readonly type: string;
  readonly subject: string;
  readonly timeMs: number;
  readonly cause: Pick<Cause, "traceId" | "correlationId"> | undefined;
  readonly data: JsonObject;
}

export function cloudEvent(facts: EventFacts): JsonObject {
  const { id, source, type, subject, timeMs, cause, data } = facts;
  const traceparent = traceparentOf(facts);
  return {
    specversion: "1.0",
    id,
    source,
    type: `${typePrefix}${type}`,
    subject,
    time: new Date(timeMs).toISOString(),
    datacontenttype: "application/json",
    schemaversion: schemaVersion,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(cause?.correlationId === undefined ? {} : { correlationid: cause.correlationId }),
    data,
  };
}

export interface Destination {
  readonly exchange: string;
  readonly routingKey: string;
}

export function messageOf(
  facts: EventFacts,
  { exchange, routingKey }: Destination,
): OutgoingMessage {
  const traceparent = traceparentOf(facts);
  const { id, type, timeMs, cause } = facts;
  return {
    messageId: id,
    exchange,
    routingKey,
    isMandatory: true,
    type: `${typePrefix}${type}`,
    contentType: cloudEventsType,
    appId: "setpoint",
    timestamp: Math.floor(timeMs / 1_000),
    ...(cause?.correlationId === undefined ? {} : { correlationId: cause.correlationId }),
    headers: traceparent === undefined ? {} : { traceparent },
    body: Buffer.from(JSON.stringify(cloudEvent(facts))),
  };
}

/** The log keeps the id of a trace and no span, so the parent is derived from the event. */
function traceparentOf({ id, source, cause }: EventFacts): string | undefined {
  if (cause?.traceId === undefined) return undefined;
  const spanId = hash("sha256", `${source}\n${id}`, "hex").slice(0, 16);
  return formatTraceparent({ traceId: cause.traceId, spanId, isSampled: true });
}
