// An exchange that reports what is read and what is answered to the audit record of its request.

import type { AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { Exchange } from "./exchange.ts";

export function auditedExchange(exchange: Exchange, trail: AuditTrail): Exchange {
  return {
    method: exchange.method,
    url: exchange.url,
    headers: exchange.headers,
    headerValues: (name) => exchange.headerValues(name),
    remoteAddress: exchange.remoteAddress,
    isSecure: exchange.isSecure,
    certificate: exchange.certificate,
    get isBodyInTransit() {
      return exchange.isBodyInTransit;
    },
    get bodyBytesAhead() {
      return exchange.bodyBytesAhead;
    },
    admitted: (place) => exchange.admitted(place),
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
    cutOff: () => exchange.cutOff(),
    onClose: (run) => exchange.onClose(run),
    taken: () => exchange.taken(),
    reserve: (bytes) => exchange.reserve(bytes),
    reserveDocument: (bytes) => exchange.reserveDocument(bytes),
    exempted: (turns) => exchange.exempted(turns),
    pageTurn: () => exchange.pageTurn(),
    pageRead: (bytes) => exchange.pageRead(bytes),
    hold: (bytes) => exchange.hold(bytes),
    keep: (bytes) => exchange.keep(bytes),
  };
}

function isPlain(headers: Readonly<Record<string, unknown>>): boolean {
  return headers["content-encoding"] === undefined;
}
