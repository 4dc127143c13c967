// What the method, the URL and the headers of a request say: its ids, the path that is meant, and
// the facts for audit log and metrics.

import type { Ids } from "../../../kernel/ids.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { ParsedRequest } from "../../http/surface.ts";
import { ExchangeIds } from "../../http/trace.ts";
import { factsOf } from "./request-facts.ts";
import type { ArmFacts } from "./request-facts.ts";
import { idHeader } from "./arm-request.ts";
import type { ArmSurface } from "./arm-request.ts";
import type { Asked, AskedUrls } from "./parsed-urls.ts";

export interface ArmParsed extends ParsedRequest {
  readonly asked: Asked;
  readonly facts: ArmFacts;
  /** Whether the caller is the resource manager itself, by its certificate. */
  readonly isManager: boolean;
}

export interface ParseInput {
  readonly surface: ArmSurface;
  /** Common names of the certificates of the resource manager. */
  readonly managers: ReadonlySet<string>;
}

export function parseArmRequest(
  { surface, managers }: ParseInput,
  urls: AskedUrls,
  exchange: Exchange,
): ArmParsed {
  const { method, url, certificate } = exchange;
  const asked = urls.of(method, url);
  return {
    ids: idsOf(exchange, surface.intents.ids),
    isOpen: false,
    asked,
    facts: factsKept(surface, method, asked),
    isManager: certificate !== undefined && managers.has(certificate.commonName),
  };
}

function idsOf(exchange: Exchange, ids: Ids): ExchangeIds {
  const correlation = idHeader(exchange, "x-ms-correlation-request-id");
  const client = idHeader(exchange, "x-ms-client-request-id");
  return new ExchangeIds(exchange, ids.uid(), correlation, client);
}

/** A client polls an operation under the same URL many times. */
function factsKept(surface: ArmSurface, method: string, asked: Asked): ArmFacts {
  const { memory } = asked;
  if (memory.facts !== undefined) return memory.facts;
  const facts = factsOf(surface, method, asked);
  if (asked.path?.kind === "operationStatus") memory.facts = facts;
  return facts;
}
