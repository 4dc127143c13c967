// A request on its way: its ids, what is known of it from its URL, and its one answer, which goes
// out under the ids whatever becomes of the request.

import type { Auditor, AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import { textAt } from "../../kernel/json-read.ts";
import { auditedExchange, auditRequest } from "../http/audited-exchange.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import { armErrorAnswer } from "./arm-error.ts";
import { auditedFacts, factsOf } from "./arm-facts.ts";
import type { ArmFacts } from "./arm-facts.ts";
import { idHeader, traceOf } from "./arm-request.ts";
import type { ArmAnswer, ArmSurface, RequestIds } from "./arm-request.ts";
import type { Asked } from "./asked-urls.ts";

export interface ArmAnswered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ids: RequestIds;
}

export interface ArrivalInput {
  readonly surface: ArmSurface;
  /** Told of each request when it comes, and by the returned function when it is answered. */
  readonly onRequest?: () => (facts: ArmFacts, status: number) => void;
  /** Told of each answer to what was not only read, under the ids of its request. */
  readonly onAnswer: (answered: ArmAnswered) => void;
  readonly onError: (error: unknown, answered: ArmAnswered) => void;
}

export class Arrival {
  /** Under the eyes of the audit log once it is known who asks. */
  exchange: Exchange;
  trail: AuditTrail | undefined;
  readonly asked: Asked;
  readonly ids: RequestIds;
  readonly #input: ArrivalInput;
  readonly #facts: ArmFacts;
  readonly #finished: ((facts: ArmFacts, status: number) => void) | undefined;

  constructor(input: ArrivalInput, exchange: Exchange, asked: Asked) {
    this.#input = input;
    this.#finished = input.onRequest?.();
    this.exchange = exchange;
    this.asked = asked;
    this.#facts = factsKept(input.surface, exchange.method, asked);
    this.ids = new ArrivalIds(input.surface.intents.ids, exchange);
  }

  audit(auditor: Auditor | undefined, user: UserInfo): void {
    if (auditor === undefined) return;
    const { hasHidden, ...info } = auditedFacts(this.#facts, this.asked);
    const request = { info, id: this.ids.request, hasHidden };
    this.trail = auditor.begin(auditRequest(this.exchange, request), user);
    if (this.trail !== undefined) this.exchange = auditedExchange(this.exchange, this.trail);
  }

  /** Throws when it is too much for an answer. */
  answer(answer: ArmAnswer): void {
    send(this.exchange, this.ids, answer);
    this.#end();
  }

  refuse(error: unknown): void {
    const answer = armErrorAnswer(error);
    if (answer.status >= 500 && !isExpected(error)) this.failed(error, answer.status);
    const headers = errorHeaders(answer.status, error);
    try {
      send(this.exchange, this.ids, { ...answer, headers });
    } catch (tooMuch) {
      // Whatever cannot be said, nobody is left without an answer.
      this.failed(tooMuch, 500);
      send(this.exchange, this.ids, armErrorAnswer(tooMuch));
    }
    this.#end();
  }

  failed(error: unknown, status: number): void {
    this.#input.onError(error, this.#told(status));
  }

  #end(): void {
    const { status, method } = this.exchange;
    this.#finished?.(this.#facts, status);
    if (method !== "GET" && method !== "HEAD") this.#input.onAnswer(this.#told(status));
  }

  #told(status: number): ArmAnswered {
    const { method, url } = this.exchange;
    const [path = ""] = url.split("?", 1);
    return { method, path, status, ids: this.ids };
  }
}

function isExpected(error: unknown): boolean {
  return isSetpointError(error) && error.status !== 500;
}

function errorHeaders(status: number, error: unknown): Headers {
  const allow = isSetpointError(error) ? textAt(error.details, "allow") : "";
  if (allow !== "") return { allow };
  return status === 429 || status === 503 ? { "retry-after": 10 } : {};
}

/** Who waits for an operation is the same request again and again. */
function factsKept(surface: ArmSurface, method: string, asked: Asked): ArmFacts {
  const { memory } = asked;
  if (memory.facts !== undefined) return memory.facts;
  const facts = factsOf(surface, method, asked);
  if (asked.path?.kind === "operationStatus") memory.facts = facts;
  return facts;
}

/** A class, because one is made for every request, also for those that ask again and again. */
class ArrivalIds implements RequestIds {
  readonly request: string;
  readonly correlation: string;
  readonly client: string | undefined;
  readonly #exchange: Exchange;
  #trace: string | undefined;

  constructor(ids: Ids, exchange: Exchange) {
    this.request = ids.uid();
    this.correlation = idHeader(exchange, "x-ms-correlation-request-id") ?? this.request;
    this.client = idHeader(exchange, "x-ms-client-request-id");
    this.#exchange = exchange;
  }

  /** Reads leave no trace. */
  get trace(): string {
    return (this.#trace ??= traceOf(this.#exchange, this.correlation));
  }
}

function send(exchange: Exchange, ids: RequestIds, answer: ArmAnswer): void {
  const { status, headers } = answer;
  const bytes = bytesOf(answer);
  const all: Record<string, Headers[string]> = {
    "x-ms-request-id": ids.request,
    "x-ms-correlation-request-id": ids.correlation,
  };
  if (ids.client !== undefined && isEchoed(exchange)) all["x-ms-client-request-id"] = ids.client;
  all["cache-control"] = "no-cache";
  if (bytes !== undefined) {
    // Messages are in English, whichever languages a client accepts.
    all["content-type"] = "application/json; charset=utf-8";
    all["content-language"] = "en";
  }
  // As bytes it leaves together with the other answers of this turn.
  exchange.send(status, headers === undefined ? all : Object.assign(all, headers), bytes ?? "");
}

function isEchoed({ headers }: Exchange): boolean {
  const wanted = headers["x-ms-return-client-request-id"];
  return typeof wanted === "string" && wanted.toLowerCase() === "true";
}

/** The Resource Manager takes no larger ones. Lists end before; an action may have much to say. */
const maxAnswerBytes = 8_000_000;

function bytesOf({ bytes, text, body }: ArmAnswer): Buffer | undefined {
  if (bytes !== undefined) return bytes;
  const whole = text ?? (body === undefined ? "" : JSON.stringify(body));
  if (whole.length > maxAnswerBytes / 3 && Buffer.byteLength(whole) > maxAnswerBytes) {
    throw new Error(`an answer of ${whole.length} characters is too large`);
  }
  return whole === "" ? undefined : Buffer.from(whole);
}
