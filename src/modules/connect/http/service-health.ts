// What an answer, or that there was none, tells about the service as a whole: whether it is there
// and takes our word for who we are. Errors about one object tell that it answers.

import type { Answer } from "./answer.ts";
import { errorFacts } from "./answer.ts";
import type { ExchangeFailed } from "./exchange.ts";
import type { Hide } from "../../../kernel/hider.ts";

export interface ServiceHealth {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

const answering: ServiceHealth = {
  status: "True",
  reason: "Answering",
  message: "the service responds",
};

/** Of proxies before a service that is down, or of one that says so itself. */
const unavailable: ReadonlySet<number> = new Set([502, 503, 504]);

export function healthOfAnswer(name: () => string, answer: Answer, hide: Hide): ServiceHealth {
  const { status } = answer;
  const reason = unavailable.has(status)
    ? "Unavailable"
    : status === 401 || status === 407
      ? "CredentialsRefused"
      : undefined;
  if (reason === undefined) return answering;
  const { message } = errorFacts(answer, hide);
  return { status: "False", reason, message: `${name()}: ${status} ${message}` };
}

export function healthOfFailure({ reason, message }: ExchangeFailed): ServiceHealth {
  // That an answer is too large is a matter of one object.
  if (reason === "AnswerTooLarge") return answering;
  return { status: "False", reason, message };
}
