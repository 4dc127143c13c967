// Azure's own clients, pointed at a server of ours: the one that knows every type by its id, and
// the parts of which the newer clients are made, put together as theirs are. What they send and get
// is kept, so that a test can look at what was really said. Retries are left as they come unless a
// test says otherwise.
import assert from "node:assert/strict";
import { createRestError, getClient } from "@azure-rest/core-client";
import type { Client, PathUncheckedResponse, RequestParameters } from "@azure-rest/core-client";
import { ResourceManagementClient } from "@azure/arm-resources";
import { createHttpPoller } from "@azure/core-lro";
import type { OperationResponse, OperationState, PollerLike } from "@azure/core-lro";
import { subscription } from "./arm-server.ts";

export interface Endpoint {
  readonly url: string;
  /** The authority that signed the server's certificate, as PEM. */
  readonly ca: string;
  readonly credentials: Credentials;
  readonly maxRetries?: number;
}

export type Credentials =
  | { readonly kind: "bearer token"; readonly token: string }
  | {
      readonly kind: "client certificate";
      readonly certificatePem: string;
      readonly keyPem: string;
    };

export interface Exchanged {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Recorded<T> {
  readonly client: T;
  readonly exchanges: Exchanged[];
}

type Pipeline = Client["pipeline"];
type Policy = Parameters<Pipeline["addPolicy"]>[0];

/** Of @azure/arm-resources, whose calls by id are for resources of any type. */
export function genericClient(
  endpoint: Endpoint,
  apiVersion?: string,
): Recorded<ResourceManagementClient> {
  const { credentials } = endpoint;
  const token = credentials.kind === "bearer token" ? credentials.token : "";
  const client = new ResourceManagementClient(tokenCredential(token), subscription, {
    endpoint: endpoint.url,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...pipelineOptions(endpoint),
  });
  if (token === "") client.pipeline.removePolicy({ name: "bearerTokenAuthenticationPolicy" });
  return { client, exchanges: recorded(client.pipeline) };
}

/** What the newer clients, such as the one for clusters of OpenShift, are made around. */
export function modularClient(endpoint: Endpoint, apiVersion: string): Recorded<Client> {
  const { credentials, url } = endpoint;
  const options = { ...pipelineOptions(endpoint), credentials: { scopes: ["any"] } };
  const client =
    credentials.kind === "bearer token"
      ? getClient(url, tokenCredential(credentials.token), options)
      : getClient(url, options);
  client.pipeline.addPolicy(versionPolicy(apiVersion));
  return { client, exchanges: recorded(client.pipeline) };
}

export type Verb = "put" | "patch" | "delete" | "post";
type Body = Readonly<Record<string, unknown>>;
export type Poller = PollerLike<OperationState<Body>, Body>;

const expected: Readonly<Record<Verb, readonly string[]>> = {
  put: ["200", "201", "202"],
  patch: ["200", "201", "202"],
  delete: ["200", "202", "204"],
  post: ["200", "202"],
};

/** A long-running operation as the newer clients begin it, or take it up from `restoreFrom`. */
export function longRunning(
  client: Client,
  verb: Verb,
  path: string,
  options: { readonly request?: RequestParameters; readonly restoreFrom?: string } = {},
): Poller {
  const { request = {}, restoreFrom } = options;
  const good = (response: PathUncheckedResponse): OperationResponse<PathUncheckedResponse> => {
    if (![...expected[verb], "200"].includes(response.status)) throw createRestError(response);
    const { headers, body, request: sent } = response as Typed;
    const statusCode = Number(response.status);
    return { flatResponse: response, rawResponse: { statusCode, headers, body, request: sent } };
  };
  return createHttpPoller(
    {
      sendInitialRequest: async () => good(await client.pathUnchecked(path)[verb](request)),
      sendPollRequest: async (url) => good(await client.pathUnchecked(url).get()),
    },
    {
      ...(restoreFrom === undefined ? {} : { restoreFrom }),
      processResult: (response) => Promise.resolve((response as Typed).body),
    },
  );
}

/** Everything in a list, page by page, as the newer clients read it; and how many pages. */
export async function listed(
  client: Client,
  path: string,
  queryParameters: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly values: readonly Body[]; readonly pages: number }> {
  const values: Body[] = [];
  let next: string | undefined = path;
  let pages = 0;
  while (next !== undefined) {
    const request: RequestParameters = pages === 0 ? { queryParameters } : {};
    const response: PathUncheckedResponse = await client.pathUnchecked(next).get(request);
    if (response.status !== "200") throw createRestError(response);
    const { value, nextLink } = (response as Typed).body as unknown as Page;
    values.push(...value);
    next = nextLink;
    pages += 1;
  }
  return { values, pages };
}

/** Adds the policy behind the retries, so that it sees each try. */
export function addPolicy(pipeline: Pipeline, policy: Policy): void {
  pipeline.addPolicy(policy, { afterPhase: "Retry" });
}

export function only<T>(list: readonly T[]): T {
  assert.equal(list.length, 1);
  return list[0] as T;
}

interface Page {
  readonly value: readonly Body[];
  readonly nextLink?: string;
}

interface Typed {
  readonly headers: Record<string, string>;
  readonly body: Body;
  readonly request: PathUncheckedResponse["request"];
}

type ClientOptions = NonNullable<Parameters<typeof getClient>[2]>;

function pipelineOptions({ ca, credentials, maxRetries }: Endpoint): ClientOptions {
  const own =
    credentials.kind === "client certificate"
      ? { cert: credentials.certificatePem, key: credentials.keyPem }
      : {};
  return {
    tlsOptions: { ca, ...own },
    ...(maxRetries === undefined
      ? {}
      : { retryOptions: { maxRetries, retryDelayInMs: 100, maxRetryDelayInMs: 500 } }),
  };
}

function tokenCredential(token: string): {
  getToken(): Promise<{ token: string; expiresOnTimestamp: number }>;
} {
  return { getToken: () => Promise.resolve({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
}

function versionPolicy(apiVersion: string): Policy {
  return {
    name: "apiVersionPolicy",
    sendRequest: async (request, next) => {
      const url = new URL(request.url);
      if (!url.searchParams.has("api-version")) {
        const mark = url.search === "" ? "?" : "&";
        request.url += `${mark}api-version=${apiVersion}`;
      }
      return await next(request);
    },
  };
}

function recorded(pipeline: Pipeline): Exchanged[] {
  const exchanges: Exchanged[] = [];
  addPolicy(pipeline, {
    name: "recordingPolicy",
    sendRequest: async (request, next) => {
      const response = await next(request);
      exchanges.push({
        method: request.method,
        url: request.url,
        status: response.status,
        headers: response.headers.toJSON(),
        sent: request.headers.toJSON(),
        text: response.bodyAsText ?? "",
      });
      return response;
    },
  });
  return exchanges;
}
