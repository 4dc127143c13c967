// Polls the status endpoints of an HttpCall. An endpoint that cannot be reached is not healthy.

import { ReconcileFailure } from "../../../engine/outcome.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { evaluate } from "../target/expressions.ts";
import { isExpected, statusEndpoints } from "./requests.ts";
import type { StatusEndpoint } from "./requests.ts";
import { sendRequest } from "./send.ts";
import type { Sender } from "./send.ts";

export interface Polled {
  /** For the status. */
  readonly endpoints: readonly JsonObject[];
  /** The first endpoint that is not healthy; undefined when all are. */
  readonly problem: string | undefined;
}

const maxRedirects = 3;

export async function pollEndpoints(sender: Sender): Promise<Polled> {
  const endpoints: JsonObject[] = [];
  let problem: string | undefined;
  for (const endpoint of statusEndpoints(sender.call)) {
    const message = await problemOf(endpoint, sender);
    // A query may contain a token.
    const url = `${endpoint.url.origin}${endpoint.url.pathname}`;
    endpoints.push({ url, healthy: message === undefined, message: message ?? "" });
    if (message !== undefined) problem ??= `${url}: ${message}`;
  }
  return { endpoints, problem };
}

async function problemOf(endpoint: StatusEndpoint, sender: Sender): Promise<string | undefined> {
  try {
    const { status, document } = await sendRequest(sender, endpoint, {
      maxRedirects,
      acceptsAll: true,
    });
    if (!isExpected(endpoint, status)) return `answered with status ${status}`;
    if (endpoint.healthyWhen === "") return undefined;
    const result = evaluate(endpoint.healthyWhen, "response", document);
    if (result.kind === "problem") return `healthyWhen: ${result.message}`;
    return result.value === true ? undefined : "healthyWhen is not true";
  } catch (error) {
    if (!(error instanceof ReconcileFailure) || error.outcome.retry === "never") throw error;
    return error.outcome.message;
  }
}
