// One run of the loop for one object: what is wanted, what is known, and how the service is asked.
// Every request goes through here: within the rate, under the breaker of the connection, past the
// hooks, and its failure told without anything secret.

import type { Context } from "../../../engine/reconciler.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Failed } from "../../../engine/outcome.ts";
import type { HookError, HookErrorClass, HookRequest } from "../connect-hooks.ts";
import type { Hide } from "../../../kernel/hider.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { retryAfterMs } from "../../../kernel/retry-after.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Management } from "../binding.ts";
import { errorFacts, isSuccess } from "../http/answer.ts";
import type { Answer } from "../http/answer.ts";
import { classifyError } from "../http/classify.ts";
import type { ClassifiedError } from "../http/classify.ts";
import type { ClientRequest, RestClient } from "../http/client.ts";
import { ExchangeFailed } from "../http/exchange.ts";
import { healthOfAnswer, healthOfFailure } from "../http/service-health.ts";
import type { ServiceHealth } from "../http/service-health.ts";
import type { CompiledBinding } from "../kinds/compiled-binding.ts";
import type { Fields } from "../plan/fields.ts";
import type { Parameters } from "../plan/requests.ts";
import type { Book } from "./book.ts";
import { throughHooks } from "./hooks.ts";
import type { NamedHooks } from "./hooks.ts";
import type { ParentFound } from "./parents.ts";
import type { Siblings } from "./siblings.ts";
import type { Turns } from "./turns.ts";

export interface Session {
  readonly resource: Resource;
  readonly context: Context;
  readonly timers: Timers;
  readonly compiled: CompiledBinding;
  readonly management: Management;
  readonly client: RestClient;
  readonly siblings: Siblings;
  readonly turns: Turns;
  readonly hooks: readonly NamedHooks[];
  readonly book: Book;
  readonly fields: Fields;
  /** With secrets in it; undefined where it is not needed, as for a removal. */
  readonly desired: JsonObject;
  /** Of a secret, as it stands in what was last applied. */
  readonly digest: (value: unknown) => string;
  /** Of the paths, as far as they are known before the object is. */
  readonly parameters: Parameters;
  /** Where the parent is now, or why nothing can be made in it. */
  readonly parent: ParentFound;
  readonly resyncMs: number;
  /** Without credentials, and without the values of secret fields. */
  readonly hide: Hide;
  readonly count: (what: "write" | "drift") => void;
  /** How the service fares, as the last request has shown. */
  readonly heard: (health: ServiceHealth) => void;
}

/** An answer that is no success, with what it means. */
export class Refused extends Error {
  readonly answer: Answer;
  readonly facts: HookError;
  readonly classified: ClassifiedError;
  readonly request: string;
  readonly afterMs: number | undefined;

  constructor(given: Pick<Refused, "answer" | "facts" | "classified" | "request" | "afterMs">) {
    super(`${given.request}: ${given.facts.status} ${given.facts.message}`);
    this.name = "Refused";
    this.answer = given.answer;
    this.facts = given.facts;
    this.classified = given.classified;
    this.request = given.request;
    this.afterMs = given.afterMs;
  }

  get outcome(): Failed {
    const { is, reason } = this.classified;
    const retry = is === "never" || is === "slow" ? is : "soon";
    const { afterMs } = this;
    const later = afterMs === undefined ? {} : { afterMs };
    return failed(reason, this.message, { retry, ...later });
  }
}

/** Any answer; throws `ExchangeFailed` when there was none. */
export async function ask(session: Session, request: ClientRequest): Promise<Answer> {
  const { client, context } = session;
  let isBegun = false;
  try {
    const ready = await beforeSend(session, request);
    await inTurn(session);
    return await context.outside(systemOf(client.settings.name), async (signal) => {
      isBegun = true;
      const answer = await sent(session, traced(session, ready), signal);
      if (answer.status >= 500 || answer.status === 408 || answer.status === 429) {
        throw new Unwell(answer);
      }
      return answer;
    });
  } catch (error) {
    if (error instanceof Unwell) return error.answer;
    const isUnsent = !isBegun || (error instanceof ExchangeFailed && error.isUnsent);
    if (isUnsent && error instanceof Error) unsent.add(error);
    throw error;
  }
}

/** Makes the service part of the trace, where the server passes traces on. */
function traced({ context }: Session, request: ClientRequest): ClientRequest {
  const traceparent = context.tracer.traceparent?.();
  if (traceparent === undefined) return request;
  return { ...request, headers: { ...request.headers, traceparent } };
}

/** What comes of each request also tells how the service fares. */
async function sent(
  { client, heard, hide }: Session,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const answer = await client.send(request, signal);
    heard(healthOfAnswer(() => client.nameOf(request), answer, hide));
    return answer;
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
    const named = error.about(client.nameOf(request));
    heard(healthOfFailure(named));
    throw named;
  }
}

const unsent = new WeakSet<Error>();

/** Whether the request never left: a circuit was open, a hook failed, nobody listened. */
export function wasUnsent(error: unknown): boolean {
  return error instanceof Error && unsent.has(error);
}

/** Whether the service has certainly not done what it was asked for. */
export function isCertainlyUndone(error: unknown): boolean {
  if (wasUnsent(error)) return true;
  if (!(error instanceof Refused)) return false;
  // A gateway may answer for a service that goes on, and a redirect may lead to what was made.
  const { status } = error.facts;
  return status < 500 && status !== 408 && (status < 300 || status >= 400);
}

/** A success; throws `Refused` for any other answer. */
export async function demand(session: Session, request: ClientRequest): Promise<Answer> {
  const answer = await ask(session, request);
  if (isSuccess(answer)) return answer;
  throw await refusalOf(session, request, answer);
}

export async function refusalOf(
  session: Session,
  request: Pick<ClientRequest, "method" | "path">,
  answer: Answer,
): Promise<Refused> {
  const { compiled, context, hide } = session;
  const facts = errorFacts(answer, hide);
  const usual = classifyError(facts, compiled.binding.errors);
  const is = await throughHooks<HookError, HookErrorClass>(session.hooks, "classifyError", {
    input: facts,
    resource: session.resource,
    last: (given) => Promise.resolve(classifyError(given, compiled.binding.errors).is),
  });
  return new Refused({
    answer,
    facts,
    classified: { ...usual, is },
    request: hide(`${request.method} ${request.path}`),
    afterMs: retryAfterMs(answer.headers, context.clock.nowMs()),
  });
}

/** The name under which breakers and bulkheads know a connection. */
export function systemOf(connection: string): string {
  return `connection/${connection}`;
}

/** Told to the breaker: the service answered, but not as one that is well. */
class Unwell extends Error {
  readonly answer: Answer;
  readonly status: number;

  constructor(answer: Answer) {
    super(`status ${answer.status}`);
    this.name = "Unwell";
    this.answer = answer;
    this.status = answer.status;
  }
}

async function inTurn({ client, timers, context }: Session): Promise<void> {
  const turn = client.bucket?.take();
  if (turn === undefined) return;
  if (turn.kind === "later") {
    const { name } = client.settings;
    const message = `the rate limit of the connection ${name} is reached`;
    const { ms: afterMs } = turn;
    throw new ReconcileFailure(failed("RateLimited", message, { afterMs, isCounted: false }));
  }
  if (turn.ms > 0) await timers.sleep(turn.ms, context.signal);
}

async function beforeSend(session: Session, request: ClientRequest): Promise<ClientRequest> {
  const { hooks, resource } = session;
  if (!hooks.some((each) => each.hooks.beforeSend !== undefined)) return request;
  const { method, path, query = {}, body } = request;
  const input: HookRequest = {
    method,
    path,
    query,
    headers: {},
    ...(body === undefined ? {} : { body }),
  };
  const changed = await throughHooks<HookRequest, HookRequest>(hooks, "beforeSend", {
    input,
    resource,
    last: (given) => Promise.resolve(given),
  });
  return {
    ...request,
    path: changed.path,
    query: changed.query,
    headers: changed.headers,
    ...(changed.body === undefined ? {} : { body: changed.body }),
  };
}
