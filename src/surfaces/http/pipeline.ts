// The way of every request, for every surface: the prefix table finds the surface, and then each
// step has one file. The steps are called one after the other by one function instead of wrapping
// each other, because this is the hot path: a step that does not have to wait creates no promise.
//
//   prefix-table.ts    which surface the URL belongs to
//   metrics.ts         the request is counted and its span begins (trace.ts)
//   deadline.ts        504 when the surface has a deadline and it passes
//   identify.ts        who sends it, or 401; the audit record begins (audit.ts)
//   admit.ts           a place among the requests in progress, or 429
//   surface.handle     authorises, reads the body, answers
//   error-envelope.ts  an error in the words of the protocol

import type { AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { RoleHolders } from "../../intents/auth/role-holders.ts";
import { anonymousUser } from "../../intents/auth/user.ts";
import { namespaceTenant } from "../../intents/auth/tenant-name.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { during } from "../../kernel/activity.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { admittedCost, createAdmissions } from "./admit.ts";
import type { Admission, Admissions } from "./admit.ts";
import { Deadlines } from "./deadline.ts";
import type { Deadline, Overdue } from "./deadline.ts";
import { answerError, summaryOf } from "./error-envelope.ts";
import type { FinishedRequest, RequestReports } from "./error-envelope.ts";
import type { Exchange } from "./exchange.ts";
import { identify } from "./identify.ts";
import type { Identified, IdentifyPorts } from "./identify.ts";
import type { RequestMetrics } from "./metrics.ts";
import type { Place } from "./place.ts";
import { prefixTable } from "./prefix-table.ts";
import { RequestActivity } from "./request-activity.ts";
import type { HttpSurface, ParsedRequest } from "./surface.ts";
import { addressTenant, tenantOf, tenantOfRequest } from "./tenant.ts";
import type { RequestSpan, RequestTrace } from "./trace.ts";

export interface PipelineInput extends IdentifyPorts {
  readonly surfaces: readonly HttpSurface[];
  readonly timers: Timers;
  readonly reports: RequestReports;
  /** Called for each request when it has ended: of a watch, when it is closed. */
  readonly logRequest?: ((request: FinishedRequest) => void) | undefined;
  readonly metrics?: RequestMetrics | undefined;
  readonly trace?: RequestTrace | undefined;
  readonly roles: RoleHolders;
  readonly admissions?: Pick<Admissions, "of">;
}

/** Resolves when the request is done; the answer may have been sent before. */
export type Pipeline = (exchange: Exchange) => Promise<void>;

export function requestPipeline(input: PipelineInput): Pipeline {
  const { surfaces, timers, admissions = createAdmissions(timers) } = input;
  const lines = surfaces.map((surface): Line => {
    const { name, prefixes, answerWithinMs } = surface;
    const deadlines =
      answerWithinMs === undefined ? undefined : new Deadlines(timers, answerWithinMs);
    return { name, prefixes, ports: input, surface, admission: admissions.of(name), deadlines };
  });
  const table = prefixTable(lines);
  return (exchange) => serve(table.find(exchange.url), exchange);
}

/** One surface with what the pipeline keeps for it. */
interface Line extends Pick<HttpSurface, "name" | "prefixes"> {
  readonly ports: PipelineInput;
  readonly surface: HttpSurface;
  readonly admission: Admission;
  readonly deadlines: Deadlines | undefined;
}

function serve(line: Line, exchange: Exchange): Promise<void> {
  const request = new PipelineRequest(line, exchange);
  return during(request.activity, () => serveRequest(line, request));
}

async function serveRequest(line: Line, request: PipelineRequest): Promise<void> {
  const { ports, surface } = line;
  const { exchange } = request;
  try {
    const { parsed } = request;
    surface.check?.(parsed);
    if (!parsed.isOpen) await identify(ports, surface, request);
    const place = placeOf(line, request);
    const waiting = place?.enter(() => request.signal());
    if (waiting !== undefined) await waiting;
    try {
      await request.handle();
      request.deadline?.met();
      // A client that does not read its answer keeps its place.
      const taken = exchange.taken();
      if (taken !== undefined) await taken;
    } finally {
      place?.leave();
    }
    request.finish();
  } catch (error) {
    await request.failed(error);
  }
}

/** Undefined for a request that is exempt from admission. */
function placeOf({ ports, surface, admission }: Line, request: PipelineRequest): Place | undefined {
  const cost = admittedCost(surface, request);
  if (cost === undefined) {
    const { exchange, parsed } = request;
    if (!parsed.isOpen) exchange.exempted(admission.turnsOf(tenantOfRequest(request)));
    return undefined;
  }
  const { exchange } = request;
  request.tenant = tenantFor(ports.roles, surface, request);
  const place = admission.placeOf(request.tenant, cost, exchange);
  exchange.admitted(place);
  return place;
}

function tenantFor(roles: RoleHolders, surface: HttpSurface, request: PipelineRequest): string {
  const { exchange, parsed, user } = request;
  if (surface.isPublic?.(parsed) === true) return addressTenant(exchange.remoteAddress);
  const own = surface.memberNamespaceOf?.(request);
  if (own !== undefined) return namespaceTenant(own);
  return tenantOf(roles, user, surface.namespaceOf(request));
}

/** One request on its way. A class, because closures for every request would cost more. */
class PipelineRequest implements Identified, Overdue {
  exchange: Exchange;
  user: UserInfo = anonymousUser;
  impersonator: string | undefined = undefined;
  tenant = "";
  trail: AuditTrail | undefined = undefined;
  readonly parsed: ParsedRequest;
  readonly deadline: Deadline | undefined;
  readonly activity = new RequestActivity();
  readonly #line: Line;
  readonly #startedMs: number;
  readonly #span: RequestSpan | undefined;
  #abort: AbortController | undefined = undefined;
  #isOverdue = false;
  #isFinished = false;

  constructor(line: Line, exchange: Exchange) {
    const { ports, surface, deadlines } = line;
    this.#line = line;
    this.exchange = exchange;
    this.#startedMs = ports.metrics?.started() ?? 0;
    this.parsed = surface.parse(exchange);
    const { isOpen, ids } = this.parsed;
    this.#span = isOpen ? undefined : ports.trace?.begin({ surface: surface.name, exchange, ids });
    this.deadline = deadlines?.begin(this);
    this.activity.begin(surface, this);
  }

  handle(): Promise<void> {
    const { surface } = this.#line;
    const span = this.#span;
    return span === undefined ? surface.handle(this) : span.run(() => surface.handle(this));
  }

  /** Rejects when there can be no answer in the form of the surface. */
  async failed(error: unknown): Promise<void> {
    const { ports, surface } = this.#line;
    this.deadline?.met();
    if (this.#isOverdue) {
      // The client has received its answer; only the log is left.
      ports.reports.onError(error, summaryOf(surface, this, 504));
      return;
    }
    try {
      await answerError(ports.reports, surface, this, error);
    } finally {
      this.finish();
    }
  }

  overdue(timeout: SetpointError): void {
    // What is left of a stream, or of an answer that the client takes slowly, has no deadline.
    if (this.exchange.isAnswered) return;
    this.#isOverdue = true;
    void this.#answerTimeout(timeout);
    this.#abort?.abort(timeout);
  }

  signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.#isOverdue) abort.abort();
      else this.exchange.onClose(() => abort.abort());
    }
    return this.#abort.signal;
  }

  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.activity.end();
    const { ports, surface } = this.#line;
    const { status } = this.exchange;
    ports.metrics?.finished(this.#startedMs, surface.labels(this), status);
    this.#span?.end(status);
    const { logRequest } = ports;
    if (surface.isLogged?.(this) !== true && logRequest === undefined) return;
    const summary = summaryOf(surface, this, status);
    if (surface.isLogged?.(this) === true) ports.reports.onAnswer(summary);
    const { remoteAddress } = this.exchange;
    const startedMs = this.#startedMs;
    logRequest?.({ ...summary, user: this.user.name, remoteAddress, startedMs });
  }

  async #answerTimeout(timeout: SetpointError): Promise<void> {
    const { ports, surface } = this.#line;
    try {
      await answerError(ports.reports, surface, this, timeout);
    } catch (error) {
      ports.reports.onError(error, summaryOf(surface, this, 504));
    } finally {
      this.finish();
    }
  }
}
