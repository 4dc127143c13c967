// The headers that every answer of the Kubernetes API has besides those of its body: the id of the
// audit record, which the client may choose, and the warnings.

import type { Ids } from "../../kernel/ids.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import { ExchangeIds } from "../http/trace.ts";
import { warningHeaders } from "./warnings.ts";

export class AnswerHeaders {
  readonly ids: ExchangeIds;
  #warnings: Set<string> | undefined;

  constructor(exchange: Exchange, ids: Ids) {
    this.ids = new ExchangeIds(exchange, auditId(exchange, ids));
  }

  warn(text: string): void {
    if (text !== "") (this.#warnings ??= new Set()).add(text);
  }

  all(): Headers {
    const { request } = this.ids;
    if (this.#warnings === undefined) return { "audit-id": request };
    return { "audit-id": request, warning: warningHeaders(this.#warnings) };
  }
}

function auditId(exchange: Exchange, ids: Ids): string {
  const given = exchange.headers["audit-id"];
  return typeof given === "string" && /^[\w-]{1,64}$/.test(given) ? given : ids.uid();
}
