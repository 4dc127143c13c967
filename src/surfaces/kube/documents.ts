// Documents about the API itself: discovery, OpenAPI, version. They are made from the list of kinds
// when first asked for and kept until it changes; clients keep them too and ask only whether they
// are still good.

import type { ExtraSubresource } from "../../intents/builtin/builtin-kinds.ts";
import type { KindRegistry } from "../../intents/kinds/registry.ts";
import type { Exchange } from "../http/exchange.ts";
import { discoveryOf } from "./discovery/discovery.ts";
import type { Discovery, DiscoveryForm } from "./discovery/discovery.ts";
import type { EncodedDocument } from "./discovery/encoded-document.ts";
import type { ServedInput } from "./discovery/served-groups.ts";
import { gnosticTypes } from "./openapi/gnostic.ts";
import { openApiOf } from "./openapi/openapi.ts";
import type { OpenApi, OpenApiCache } from "./openapi/openapi.ts";
import { acceptClauses } from "./negotiate.ts";

export interface Documents {
  /** True when the path was one of theirs and has been answered. */
  serve(exchange: Exchange, path: string, query: URLSearchParams): boolean;
}

export interface DocumentsInput {
  readonly kinds: KindRegistry;
  readonly subresources: readonly ExtraSubresource[];
  readonly serverAddress: () => string;
  /** As in "v1.34.0"; what clients take the server for. */
  readonly serverVersion: string;
}

export function apiDocuments(input: DocumentsInput): Documents {
  let generation = -1;
  let discovery: Discovery | undefined;
  let openApi: OpenApi | undefined;
  const cache: OpenApiCache = new Map();
  const refresh = (): { discovery: Discovery; openApi: OpenApi } => {
    if (discovery === undefined || openApi === undefined || generation !== input.kinds.generation) {
      generation = input.kinds.generation;
      discovery = discoveryOf({ ...servedInput(input), serverAddress: input.serverAddress() });
      const { groups } = discovery;
      openApi = openApiOf({ groups, serverVersion: input.serverVersion }, cache);
    }
    return { discovery, openApi };
  };
  return {
    serve: (exchange, path, query) => {
      const found = documentAt(refresh(), exchange, path, query);
      if (found === undefined) return false;
      sendDocument(exchange, found);
      return true;
    },
  };
}

function servedInput({ kinds, subresources }: DocumentsInput): ServedInput {
  const all = kinds.all();
  const isReview = (verbs: readonly string[]): boolean => verbs.length === 1;
  return {
    kinds: all.filter(({ verbs }) => !isReview(verbs)).map(({ kind }) => kind),
    reviews: all.filter(({ verbs }) => isReview(verbs)).map(({ kind }) => kind),
    subresources,
    terminating: new Set(all.filter((served) => served.isTerminating).map(({ id }) => id)),
  };
}

interface Found {
  readonly document: EncodedDocument;
  readonly isImmutable?: boolean;
}

function documentAt(
  { discovery, openApi }: { readonly discovery: Discovery; readonly openApi: OpenApi },
  exchange: Exchange,
  path: string,
  query: URLSearchParams,
): Found | undefined {
  const [first = "", ...rest] = path.split("/").filter((part) => part !== "");
  const accept = exchange.headers.accept ?? "";
  switch (first) {
    case "api":
      if (rest.length === 0) return { document: discovery.api(discoveryForm(accept)) };
      return rest.length === 1 ? optional(discovery.resources("", rest[0] ?? "")) : undefined;
    case "apis":
      if (rest.length === 0) return { document: discovery.apis(discoveryForm(accept)) };
      if (rest.length === 1) return optional(discovery.group(rest[0] ?? ""));
      return rest.length === 2
        ? optional(discovery.resources(rest[0] ?? "", rest[1] ?? ""))
        : undefined;
    case "openapi":
      if (rest[0] === "v2" && rest.length === 1) return v2Document(openApi, accept);
      if (rest[0] !== "v3") return undefined;
      if (rest.length === 1) return { document: openApi.index() };
      return groupDocument(openApi, rest.slice(1).join("/"), query.get("hash"));
    default:
      return undefined;
  }
}

/** The hash in the URL names the content, so what is found under it never changes. */
function groupDocument(openApi: OpenApi, path: string, hash: string | null): Found | undefined {
  const document = openApi.document(path);
  if (document === undefined) return undefined;
  return { document, isImmutable: hash !== null && hash === openApi.hashOf(path) };
}

function v2Document(openApi: OpenApi, accept: string): Found {
  const isProtobuf = gnosticTypes.some((type) => accept.includes(type));
  return { document: openApi.v2(isProtobuf ? "protobuf" : "json") };
}

function optional(document: EncodedDocument | undefined): Found | undefined {
  return document === undefined ? undefined : { document };
}

function discoveryForm(accept: string): DiscoveryForm {
  if (!accept.includes("apidiscovery")) return "plain";
  for (const { type, parameters } of acceptClauses(accept)) {
    if (type !== "application/json") continue;
    if (!parameters.has("as")) return "plain";
    const isList = parameters.get("as") === "APIGroupDiscoveryList";
    if (!isList || parameters.get("g") !== "apidiscovery.k8s.io") continue;
    const version = parameters.get("v");
    if (version === "v2" || version === "v2beta1") return version;
  }
  return "plain";
}

function sendDocument(exchange: Exchange, { document, isImmutable = false }: Found): void {
  const { etag, bytes, contentType } = document;
  const headers = {
    etag,
    vary: "Accept",
    "cache-control": isImmutable ? "public, immutable" : "no-cache, private",
    "content-type": contentType,
  };
  const known = exchange.headers["if-none-match"];
  if (known !== undefined && known.includes(etag)) exchange.send(304, headers);
  else exchange.send(200, headers, bytes);
}
