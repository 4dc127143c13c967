// Documents about the API itself: discovery, OpenAPI, version. They are made from the list of kinds
// when first asked for and kept until it changes; clients keep them too and ask only whether they
// are still good.

import type { ExtraSubresource } from "../../intents/builtin/builtin-kinds.ts";
import type { KindRegistry } from "../../intents/kinds/registry.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { Json } from "../../kernel/json.ts";
import { formatYaml } from "../../kernel/yaml.ts";
import type { Exchange } from "../http/exchange.ts";
import { discoveryOf } from "./discovery/discovery.ts";
import type { Discovery, DiscoveryForm } from "./discovery/discovery.ts";
import { encodedBytes } from "./discovery/encoded-document.ts";
import type { EncodedDocument } from "./discovery/encoded-document.ts";
import type { ServedInput } from "./discovery/served-groups.ts";
import { gnosticTypes } from "./openapi/gnostic.ts";
import { openApiOf } from "./openapi/openapi.ts";
import type { DocumentWork, OpenApi, OpenApiCache } from "./openapi/openapi.ts";
import { acceptClauses, contentType, negotiate } from "./negotiate.ts";
import type { Form } from "./negotiate.ts";
import { isForPeople } from "./respond.ts";
import { noSuchResource } from "./routing.ts";

export interface Documents {
  /** True when the path was one of theirs and has been answered. */
  serve(request: DocumentRequest): Promise<boolean>;
}

export interface DocumentRequest {
  readonly exchange: Exchange;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly by: DocumentWork;
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
    serve: async (request) => {
      const found = await documentAt(refresh(), request);
      if (found === undefined) return false;
      sendDocument(request.exchange, found);
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
  /** Discovery may be asked for in YAML, and is indented for people. */
  readonly isDiscovery?: boolean;
  /** Where the document is that was asked for by a hash it no longer has. */
  readonly movedTo?: string;
}

async function documentAt(
  { discovery, openApi }: { readonly discovery: Discovery; readonly openApi: OpenApi },
  { exchange, path, query, by }: DocumentRequest,
): Promise<Found | undefined> {
  const [first = "", ...rest] = path.split("/").filter((part) => part !== "");
  const accept = exchange.headers.accept ?? "";
  switch (first) {
    case "":
      return { document: rootPaths(discovery) };
    case "api":
      if (rest.length === 0) return discovered(discovery.api(discoveryForm(accept)));
      if (rest.length > 1) return undefined;
      return discovered(discovery.resources("", rest[0] ?? "") ?? missing());
    case "apis":
      if (rest.length === 0) return discovered(discovery.apis(discoveryForm(accept)));
      if (rest.length === 1) return discovered(discovery.group(rest[0] ?? ""));
      if (rest.length > 2) return undefined;
      return discovered(discovery.resources(rest[0] ?? "", rest[1] ?? ""));
    case "openapi":
      if (rest[0] === "v2" && rest.length === 1) return await v2Document(openApi, accept, by);
      if (rest[0] !== "v3") return undefined;
      if (rest.length === 1) return { document: await openApi.index(by) };
      return await groupDocument(openApi, rest.slice(1).join("/"), query.get("hash"), by);
    default:
      return undefined;
  }
}

function missing(): never {
  throw noSuchResource();
}

/** The hash in the URL names the content, so what is found under it never changes. */
async function groupDocument(
  openApi: OpenApi,
  path: string,
  hash: string | null,
  by: DocumentWork,
): Promise<Found | undefined> {
  const found = await openApi.document(path, by);
  if (found === undefined) return undefined;
  const { document, hash: current } = found;
  if (hash === null || hash === current) return { document, isImmutable: hash !== null };
  return { document, movedTo: `/openapi/v3/${path}?hash=${encodeURIComponent(current)}` };
}

async function v2Document(openApi: OpenApi, accept: string, by: DocumentWork): Promise<Found> {
  const isProtobuf = gnosticTypes.some((type) => accept.includes(type));
  return { document: await openApi.v2(isProtobuf ? "protobuf" : "json", by) };
}

function discovered(document: EncodedDocument | undefined): Found | undefined {
  return document === undefined ? undefined : { document, isDiscovery: true };
}

/** What there is, for people who ask at the root. */
function rootPaths({ groups }: Discovery): EncodedDocument {
  const served = groups.flatMap(({ name, versions }) =>
    name === ""
      ? versions.map((version) => `/api/${version.name}`)
      : [`/apis/${name}`, ...versions.map((version) => `/apis/${name}/${version.name}`)],
  );
  const paths = [...new Set([...otherPaths, ...served])].sort();
  const text = JSON.stringify({ paths }, undefined, 2);
  return encodedBytes(Buffer.from(text), "application/json");
}

const otherPaths = [
  "/.well-known/openid-configuration",
  "/api",
  "/apis",
  "/apis/",
  "/healthz",
  "/livez",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/openid/v1/jwks",
  "/operations",
  "/readyz",
  "/version",
];

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

function sendDocument(exchange: Exchange, found: Found): void {
  const { document, isImmutable = false, movedTo } = found;
  const isAggregated = document.contentType.includes("apidiscovery");
  if (found.isDiscovery === true && !isAggregated) {
    sendDiscovery(exchange, document);
    return;
  }
  const { etag, bytes } = document;
  const caching = isAggregated ? "public" : "no-cache, private";
  const headers = {
    etag,
    vary: "Accept",
    "cache-control": isImmutable ? "public, immutable" : caching,
    "content-type": document.contentType,
  };
  const known = exchange.headers["if-none-match"];
  if (movedTo !== undefined) exchange.send(301, { ...headers, location: movedTo });
  else if (known !== undefined && known.includes(etag)) exchange.send(304, headers);
  else exchange.send(200, headers, bytes);
}

/** Protobuf is not offered: clients that prefer it take JSON, too. */
function sendDiscovery(exchange: Exchange, { etag, bytes }: EncodedDocument): void {
  const form = discoveryEncoding(exchange.headers.accept);
  const headers = { etag, "cache-control": "no-cache, private", "content-type": contentType(form) };
  const known = exchange.headers["if-none-match"];
  if (known !== undefined && known.includes(etag)) exchange.send(304, headers);
  else if (form.encoding === "yaml") {
    exchange.send(200, headers, formatYaml(parseExact(bytes.toString("utf8")) as Json));
  } else if (isForPeople(exchange, form)) {
    const value = parseExact(bytes.toString("utf8")) as Json;
    exchange.send(200, headers, JSON.stringify(value, undefined, 2));
  } else exchange.send(200, headers, bytes);
}

function discoveryEncoding(accept: string | undefined): Form {
  const takesProtobuf = accept?.includes("application/vnd.kubernetes.protobuf") === true;
  const form = negotiate(accept, { hasProtobuf: takesProtobuf, hasTable: false });
  return form.encoding === "protobuf" ? { ...form, encoding: "json" } : form;
}
