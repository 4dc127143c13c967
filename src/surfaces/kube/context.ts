// What the handlers of the Kubernetes surface share, and what they know of one request.

import type { Timers } from "../../kernel/timers.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import type { Lives } from "../../intents/read/lives.ts";
import type { Caller, Intents, Target } from "../../intents/request.ts";
import type { ChangeFeed } from "../../intents/watch/change-feed.ts";
import type { WatchHub } from "../../intents/watch/watch-hub.ts";
import type { HeavyWork } from "../../kernel/heavy-work.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import type { RequestWork } from "./body.ts";
import { negotiate } from "./negotiate.ts";
import type { Form } from "./negotiate.ts";
import type { RequestInfo } from "./request-info.ts";

export interface Surface {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly hub: WatchHub;
  readonly lives: Lives;
  readonly timers: Timers;
  readonly heavy: HeavyWork;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export interface ResourceRequest {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly found: Found;
  readonly caller: Caller;
  /** Heavy work for the tenant of the request. */
  readonly work: RequestWork;
  /** Warnings and the like, to go out with the answer. */
  headers(): Headers;
}

export function targetOf({ found, info }: ResourceRequest): Target {
  const { served, version } = found;
  const isNamespaced = served.kind.scope === "Namespaced";
  return {
    served,
    version,
    namespace: isNamespaced ? info.namespace : "",
    name: info.name,
    subresource: info.subresource,
  };
}

export function isBuiltIn({ served }: Found): boolean {
  return served.kind.origin === "built-in";
}

export function formOf(request: ResourceRequest, hasTable: boolean): Form {
  const { exchange, found, info } = request;
  const limits = { hasProtobuf: isBuiltIn(found), hasTable };
  if (info.verb === "watch") return negotiate(exchange.headers.accept, limits);
  const isList = info.verb === "list" || info.verb === "deletecollection";
  const collection = { isList, goType: goTypeOf(found, isList) };
  return negotiate(exchange.headers.accept, { ...limits, collection });
}

/** How messages of kube-apiserver call what a kind is made of. */
function goTypeOf({ served }: Found, isList: boolean): string {
  const { group, names, origin } = served.kind;
  if (origin !== "built-in") return `*unstructured.Unstructured${isList ? "List" : ""}`;
  const [first = ""] = group.split(".");
  return `*${group === "" ? "core" : first}.${isList ? names.listKind : names.kind}`;
}
