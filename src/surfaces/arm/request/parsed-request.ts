// What the method, the URL and the headers of a request say: its ids, the path that is meant, and
// the facts for audit log and metrics.

import type { Ids } from "../../../kernel/ids.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { ParsedRequest } from "../../http/surface.ts";
import { ExchangeIds } from "../../http/trace.ts";
import { factsOf } from "./request-facts.ts";
import type { ArmFacts } from "./request-facts.ts";
import { idHeader } from "./arm-request.ts";
import type { ArmSurface } from "./surface-state.ts";
import type { ParsedUrl, ParsedUrls } from "./parsed-urls.ts";

export interface ArmParsed extends ParsedRequest {
  readonly parsedUrl: ParsedUrl;
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
  urls: ParsedUrls,
  exchange: Exchange,
): ArmParsed {
  const { method, url, certificate } = exchange;
  const parsedUrl = urls.of(method, url);
  return {
    ids: idsOf(exchange, surface.intents.ids),
    isOpen: false,
    parsedUrl,
    facts: factsOf(surface, method, parsedUrl),
    isManager: certificate !== undefined && managers.has(certificate.commonName),
  };
}

function idsOf(exchange: Exchange, ids: Ids): ExchangeIds {
  const correlation = idHeader(exchange, "x-ms-correlation-request-id");
  const client = idHeader(exchange, "x-ms-client-request-id");
  return new ExchangeIds(exchange, ids.uid(), correlation, client);
}
