// Calls of status endpoints. An endpoint is healthy when its answer has an expected status and, if
// one is stated, an expected text.

import type { HttpClient } from "../../../adapters/http/port.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { listAt, numberAt, textAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { environmentLimits } from "../limits.ts";

export interface EndpointResult {
  readonly name: string;
  readonly url: string;
  readonly healthy: boolean;
  readonly message: string;
  readonly checkedAt: string;
  /** When it became as it is. */
  readonly since: string;
}

export function resultJson(result: EndpointResult): JsonObject {
  return { ...result };
}

export interface EndpointCall {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** Results of the last call, for `since`. */
  readonly before: readonly JsonObject[];
}

/** Rendered: their URLs have no expressions. `problem` says why one has no value. */
export async function callEndpoints(
  list: readonly JsonObject[],
  call: EndpointCall,
): Promise<readonly EndpointResult[]> {
  const results: EndpointResult[] = [];
  const atOnce = environmentLimits.endpointsAtOnce;
  for (let at = 0; at < list.length; at += atOnce) {
    const some = list.slice(at, at + atOnce);
    results.push(...(await Promise.all(some.map(async (each) => await callOne(each, call)))));
  }
  return results;
}

async function callOne(endpoint: JsonObject, call: EndpointCall): Promise<EndpointResult> {
  const name = textAt(endpoint, "name");
  const url = textAt(endpoint, "url");
  const problem = await problemOf(endpoint, url, call);
  const healthy = problem === undefined;
  const checkedAt = timeText(call.nowMs);
  const before = call.before.find((each) => textAt(each, "name") === name);
  const isSame = before !== undefined && before["healthy"] === healthy;
  const since = isSame ? textAt(before, "since") || checkedAt : checkedAt;
  return { name, url, healthy, message: shortText(problem ?? "", 500), checkedAt, since };
}

async function problemOf(
  endpoint: JsonObject,
  text: string,
  { http, signal }: EndpointCall,
): Promise<string | undefined> {
  const problem = textAt(endpoint, "problem");
  if (problem !== "") return problem;
  if (!URL.canParse(text)) return "the URL is not valid";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return "the URL must be http or https";
  const seconds = numberAt(endpoint, "timeoutSeconds");
  const totalMs = seconds === undefined ? environmentLimits.endpointTimeoutMs : seconds * 1_000;
  const answer = await http.send({
    place: { kind: "origin", origin: url.origin },
    method: textAt(endpoint, "method") || "GET",
    target: `${url.pathname}${url.search}`,
    timeouts: { totalMs },
    maxBytes: environmentLimits.maxEndpointBytes,
    signal,
  });
  if (answer.kind !== "answer") return answer.message;
  const expected = listAt(endpoint, "expectStatus").map(Number);
  const isExpected =
    expected.length === 0
      ? answer.status >= 200 && answer.status < 300
      : expected.includes(answer.status);
  if (!isExpected) return `the status is ${answer.status}`;
  const wanted = textAt(endpoint, "expectText");
  if (wanted === "" || answer.body.toString("utf8").includes(wanted)) return undefined;
  return `the body does not contain ${JSON.stringify(wanted)}`;
}
