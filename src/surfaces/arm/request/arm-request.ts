// One request to this surface: who asks, what for, and under which ids. Headers that only the
// resource manager may set are believed from it alone; ids of clients are kept for the record and
// are never used as keys.

import type { AuditTrail } from "../../../intents/audit/audit-trail.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import type { UserInfo } from "../../../intents/auth/user.ts";
import type { Caller } from "../../../intents/request.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { Exchange, Headers } from "../../http/exchange.ts";
import type { RequestIds } from "../../http/trace.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { Asked } from "./parsed-urls.ts";
import type { ProviderState } from "../../../modules/resource-provider/provider-state.ts";
import type { RecentDocuments } from "./recent-documents.ts";
import type { ShownCache } from "./shown-cache.ts";
import type { SkipKey } from "../protocol/skip-token.ts";

export interface ArmSurface extends ProviderState {
  readonly authorizer: Authorizer;
  /** How long clients are told to wait before they ask again. */
  readonly retryAfterSeconds: number;
  /** Of the tokens that say where a page of a list has ended. */
  readonly skipKey: SkipKey;
  readonly shown: ShownCache;
  readonly documents: RecentDocuments;
  /** Told of mistakes of faces that clients stumble over. */
  readonly onMistake?: (mistake: FaceMistake) => void;
  /** Told of resources that a list has to show without what their face makes of them. */
  readonly onUnshown?: (error: unknown, unshown: Unshown) => void;
}

/** A resource that its face cannot convert. */
export interface Unshown {
  /** Provider and type. */
  readonly type: string;
  readonly apiVersion: string;
  readonly key: ResourceKey;
}

/** A face made a spec that nobody wants; what is in the fields is not told. */
export interface FaceMistake {
  /** The kind refuses the fields, has none such, or they are secrets that a client took away. */
  readonly what: "refused" | "lost" | "kept";
  /** Provider and type. */
  readonly type: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** As the kind calls them, such as "spec.degrees"; those that are kept, as clients do. */
  readonly fields: readonly string[];
  /** The action that made it; otherwise it was a PUT or PATCH. */
  readonly action?: string;
}

export interface ArmRequest {
  readonly exchange: Exchange;
  readonly asked: Asked;
  readonly query: ReadonlyMap<string, string>;
  readonly user: UserInfo;
  /** The resource manager itself, which has asked its own users. */
  readonly isManager: boolean;
  readonly caller: Caller;
  readonly ids: RequestIds;
  /** Its record in the audit log, where there is one. */
  readonly trail?: AuditTrail | undefined;
}

/** What goes out; `body` becomes JSON, `text` is JSON already, and `bytes` were sent before. */
export interface ArmAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: JsonObject;
  readonly text?: string;
  readonly bytes?: Buffer;
}

/**
 * "https://host", as the caller of our caller knows it where that is told. Throws for a host that
 * is none, since links that are made with it would lead anywhere.
 */
export function baseUrl({
  exchange,
  isManager,
}: Pick<ArmRequest, "exchange" | "isManager">): string {
  const { referer, host } = exchange.headers;
  if (isManager && typeof referer === "string" && URL.canParse(referer)) {
    const { protocol, host: place } = new URL(referer);
    if (protocol === "https:" || protocol === "http:") return `${protocol}//${place}`;
  }
  const authority = String(exchange.headers[":authority"] ?? host ?? "localhost");
  const base = `https://${authority}`;
  if (authority === lastHost) return base;
  if (hostPattern.test(authority) && URL.canParse(base)) {
    lastHost = authority;
    return base;
  }
  const message = "The header Host is not the name or address of a host.";
  throw armRefusal(400, { code: "InvalidHeaderValue", message, target: "Host" });
}

/** Found good; nearly all requests name the same. */
let lastHost = "localhost";

const hostPattern = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** What a client sent as an id, where it looks like one. */
export function idHeader({ headers }: Exchange, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) ? value : undefined;
}
