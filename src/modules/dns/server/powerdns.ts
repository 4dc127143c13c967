// The HTTP API of a PowerDNS server, as far as records need it. Every write is idempotent: a set is
// replaced as a whole, and the deletion of a set that does not exist succeeds.

import type { CallJson } from "../../../adapters/http/port.ts";
import { callService, invalidAnswer, refusedCall } from "../../../engine/external/call-service.ts";
import type { ServiceAnswer } from "../../../engine/external/call-service.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { hider } from "../../../kernel/hider.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import {
  isTrueAt,
  listAt,
  numberAt,
  objectsAt,
  textAt,
  valueAt,
} from "../../../kernel/json-read.ts";
import { dnsLimits } from "../limits.ts";
import { contentOf, valueOfContent } from "../names/record-values.ts";
import type { RecordComment, RecordSet, RecordSetKey, WantedRecords } from "./record-set.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

/** A zone of a server, with what is needed to call it. */
export interface ZoneAccess {
  /** Of the DnsZone. */
  readonly resourceName: string;
  /** Canonical. */
  readonly zone: string;
  readonly url: string;
  readonly server: string;
  readonly apiKey: string;
  readonly ca: string | undefined;
}

export interface ZoneFacts {
  readonly serial: number;
  readonly kind: string;
}

/** Calls of one zone by one run. */
export interface ZoneClient {
  /** Undefined when the server does not have the zone. */
  zone(): Promise<ZoneFacts | undefined>;
  /** "no zone" when the server does not have the zone; undefined when it has no such set. */
  read(key: RecordSetKey): Promise<RecordSet | undefined | "no zone">;
  replace(wanted: WantedRecords, comments: readonly RecordComment[]): Promise<void>;
  /** Also succeeds when the set or the zone does not exist. */
  remove(key: RecordSetKey): Promise<void>;
}

export type OpenZone = (access: ZoneAccess, context: ZoneContext) => ZoneClient;
export type ZoneContext = Pick<Context, "outside" | "clock">;

/** For people. */
export function serviceOf(resourceName: string): string {
  return `the server of the DnsZone ${resourceName}`;
}

export function powerDns(callJson: CallJson): OpenZone {
  return (access, context) => {
    const { resourceName, zone, apiKey } = access;
    const service = serviceOf(resourceName);
    const hide = hider([apiKey]);
    const call = async (method: string, query: string, body?: Json): Promise<ServiceAnswer> =>
      await callService(context, {
        system: `dns-zone/${resourceName}`,
        service,
        send: (signal) => callJson(requestOf(access, { method, query, body, signal })),
      });
    const refusal = ({ status, json }: ServiceAnswer): Error =>
      refusedCall(service, status, hide(textAt(json, "error")));
    const patch = async (change: JsonObject): Promise<ServiceAnswer> =>
      await call("PATCH", "", { rrsets: [change] });
    return {
      zone: async () => {
        const answer = await call("GET", "?rrsets=false");
        if (answer.status === 404) return undefined;
        if (!isSuccess(answer)) throw refusal(answer);
        const serial = numberAt(answer.json, "serial");
        if (serial === undefined || !isZone(answer, zone)) throw invalidAnswer(service, "the zone");
        return { serial, kind: textAt(answer.json, "kind") };
      },
      read: async ({ name, type }) => {
        const query = new URLSearchParams({ rrset_name: name, rrset_type: type });
        const answer = await call("GET", `?${query.toString()}`);
        if (answer.status === 404) return "no zone";
        if (!isSuccess(answer)) throw refusal(answer);
        const hasSets = Array.isArray(valueAt(answer.json, "rrsets"));
        if (!hasSets || !isZone(answer, zone)) throw invalidAnswer(service, "the records");
        return recordSetIn(answer, { name, type });
      },
      replace: async (wanted, comments) => {
        const answer = await patch(replacement(wanted, comments));
        if (!isSuccess(answer)) throw refusal(answer);
      },
      remove: async ({ name, type }) => {
        const answer = await patch({ name, type, changetype: "DELETE" });
        if (!isSuccess(answer) && answer.status !== 404) throw refusal(answer);
      },
    };
  };
}

interface ZoneRequest {
  readonly method: string;
  readonly query: string;
  readonly body: Json | undefined;
  readonly signal: AbortSignal;
}

function requestOf(access: ZoneAccess, request: ZoneRequest): Parameters<CallJson>[0] {
  const { method, query, body, signal } = request;
  const base = withoutTrailing(access.url, "/");
  const [server, zone] = [access.server, access.zone].map(encodeURIComponent);
  return {
    method,
    url: new URL(`${base}/api/v1/servers/${server}/zones/${zone}${query}`),
    headers: { "x-api-key": access.apiKey },
    ...(body === undefined ? {} : { body }),
    ca: access.ca,
    timeoutMs: dnsLimits.callTimeoutMs,
    maxBytes: dnsLimits.maxAnswerBytes,
    signal,
  };
}

function replacement(
  { name, type, ttl, values }: WantedRecords,
  comments: readonly RecordComment[],
): JsonObject {
  return {
    name,
    type,
    ttl,
    changetype: "REPLACE",
    records: values.map((value) => ({ content: contentOf(type, value), disabled: false })),
    comments: comments.map(({ account, content, modifiedAt }) => {
      return { account, content, modified_at: modifiedAt };
    }),
  };
}

function recordSetIn({ json }: ServiceAnswer, { name, type }: RecordSetKey): RecordSet | undefined {
  const set = objectsAt(json, "rrsets").find(
    (each) => textAt(each, "name").toLowerCase() === name && textAt(each, "type") === type,
  );
  if (set === undefined) return undefined;
  const records = objectsAt(set, "records");
  const published = records.filter((record) => !isTrueAt(record, "disabled"));
  return {
    ttl: numberAt(set, "ttl") ?? 0,
    values: published.map((record) => valueOfContent(type, textAt(record, "content"))),
    hasDisabled: published.length < listAt(set, "records").length,
    comments: objectsAt(set, "comments").map((comment) => ({
      account: textAt(comment, "account"),
      content: textAt(comment, "content"),
      modifiedAt: numberAt(comment, "modified_at") ?? 0,
    })),
  };
}

function isZone({ json }: ServiceAnswer, zone: string): boolean {
  return textAt(json, "name").toLowerCase() === zone;
}

function isSuccess({ status }: ServiceAnswer): boolean {
  return status >= 200 && status < 300;
}
