// An exchange under the eyes of the audit log: what is read and what is answered is told to the
// trail of the request, and nothing else changes.

import type { AuditRequest, AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { Exchange } from "./exchange.ts";

export function auditedExchange(exchange: Exchange, trail: AuditTrail): Exchange {
  return {
    method: exchange.method,
    url: exchange.url,
    headers: exchange.headers,
    headerValues: (name) => exchange.headerValues(name),
    remoteAddress: exchange.remoteAddress,
    certificate: exchange.certificate,
    readBody: async (maxBytes, tooLarge) => {
      const bytes = await exchange.readBody(maxBytes, tooLarge);
      if (trail.hasRequestBody) trail.requestBody(bytes);
      return bytes;
    },
    send: (status, headers, body) => {
      exchange.send(status, headers, body);
      trail.complete(status, isPlain(headers) ? body : undefined);
    },
    begin: (status, headers) => {
      const stream = exchange.begin(status, headers);
      trail.started(status);
      exchange.onClose(() => trail.complete(status));
      return stream;
    },
    get isAnswered() {
      return exchange.isAnswered;
    },
    get status() {
      return exchange.status;
    },
    onClose: (run) => exchange.onClose(run),
    taken: () => exchange.taken(),
    get pendingAnswerBytes() {
      return exchange.pendingAnswerBytes;
    },
  };
}

function isPlain(headers: Readonly<Record<string, unknown>>): boolean {
  return headers["content-encoding"] === undefined;
}

/** What a surface knows of a request from its method and URL. */
export type AuditedFacts = Pick<
  AuditRequest,
  | "verb"
  | "isResource"
  | "path"
  | "group"
  | "version"
  | "resource"
  | "subresource"
  | "namespace"
  | "name"
>;

export interface AuditedInfo {
  readonly info: AuditedFacts;
  readonly id: string;
  /** The kind asked for has fields that are never shown. */
  readonly hasHidden: boolean;
}

export function auditRequest(
  exchange: Exchange,
  { info, id, hasHidden }: AuditedInfo,
): AuditRequest {
  const { verb, isResource, path, group, version, resource, subresource, namespace, name } = info;
  const { headers, url, remoteAddress } = exchange;
  const forwarded = headers["x-forwarded-for"];
  const passed = typeof forwarded === "string" ? forwarded.split(",") : [];
  const addresses = [...passed.map((text) => text.trim()), remoteAddress];
  return {
    id,
    uri: url,
    verb,
    isResource,
    path,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    hasHidden,
    sourceIps: [...new Set(addresses.filter((text) => text !== ""))],
    userAgent: headers["user-agent"] ?? "",
  };
}
