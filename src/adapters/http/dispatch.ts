// One request over one connection: what undici reports becomes an answer or a failure of the port.

import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { answerHeaders } from "./answer-headers.ts";
import { bodyQueue } from "./body-queue.ts";
import type { BodyQueue } from "./body-queue.ts";
import type { GiveBack } from "./connection-pool.ts";
import type { Connections } from "./connections.ts";
import { failure, failureFrom, isClosing } from "./failures.ts";
import type { Connection } from "./open-connection.ts";
import { startPhases } from "./phases.ts";
import type { Phases } from "./phases.ts";
import type { HttpFailure, HttpRequest, HttpStream } from "./port.ts";

/** A request under way, as the handler of undici sees it. */
interface UnderWay {
  readonly request: HttpRequest;
  readonly phases: Phases;
  readonly body: BodyQueue;
  controller: Dispatcher.DispatchController | undefined;
  isOver: boolean;
  answer(stream: HttpStream): void;
  end(): void;
  /** Only the first failure counts. */
  fail(why: HttpFailure): void;
}

export function dispatch(
  request: HttpRequest,
  connections: Connections,
  timers: Timers,
): Promise<HttpStream | HttpFailure> {
  const { signal } = request;
  const answered = Promise.withResolvers<HttpStream | HttpFailure>();
  let giveBack: GiveBack | undefined;
  const phases = startPhases(request.timeouts, timers, (why) => underWay.fail(why));
  const body = bodyQueue({
    maxUnreadBytes: limits.maxHttpUnreadBytes,
    pause: () => underWay.controller?.pause(),
    resume: () => underWay.controller?.resume(),
    left: () => underWay.fail(failure("aborted", "body", "the response was not read completely")),
  });
  const onAbort = (): void =>
    underWay.fail(failure("aborted", phases.current, "the request was aborted"));
  const finish = (isReusable: boolean): void => {
    underWay.isOver = true;
    phases.stop();
    signal?.removeEventListener("abort", onAbort);
    giveBack?.(isReusable);
  };
  const underWay: UnderWay = {
    request,
    phases,
    body,
    controller: undefined,
    isOver: false,
    answer: answered.resolve,
    end: () => {
      finish(true);
      body.end();
    },
    fail: (why) => {
      if (underWay.isOver) return;
      finish(false);
      answered.resolve(why);
      body.fail(why);
      underWay.controller?.abort(new Error(why.message));
    },
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  else {
    giveBack = connections.take(request, (connection) => begin(connection, underWay));
    const isRefused = giveBack === undefined;
    if (underWay.isOver) giveBack?.(false);
    if (isRefused) {
      underWay.fail(failure("busy", "connecting", "too many requests wait for a connection"));
    }
  }
  return answered.promise;
}

function begin(connection: Connection, underWay: UnderWay): void {
  const { dispatcher, origin, isTls, observed } = connection;
  const onError = (error: unknown): void => {
    const { isTls13, error: first = error } = observed;
    const at = { phase: underWay.phases.current, isTls, isTls13 };
    underWay.fail(failureFrom(isClosing(error) ? first : error, at));
  };
  try {
    dispatcher.dispatch(optionsOf(underWay.request, origin), handlerOf(underWay, onError));
  } catch (error) {
    onError(error);
  }
}

function handlerOf(
  underWay: UnderWay,
  onError: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  const { request, phases, body } = underWay;
  const { maxBytes, timeouts } = request;
  let bytes = 0;
  return {
    onRequestStart: (controller) => {
      underWay.controller = controller;
      if (underWay.isOver) controller.abort(new Error("the request is over"));
      else phases.enter("waiting");
    },
    onResponseStart: (controller, status) => {
      if (status < 200 || underWay.isOver) return;
      phases.enter("body");
      const { rawHeaders } = controller;
      const headers = answerHeaders(Array.isArray(rawHeaders) ? rawHeaders : []);
      const close = (): void => underWay.fail(failure("aborted", "body", "the stream was closed"));
      underWay.answer({ kind: "stream", status, headers, body, [Symbol.dispose]: close });
    },
    onResponseData: (_, chunk) => {
      if (underWay.isOver) return;
      bytes += chunk.length;
      if (bytes > maxBytes) {
        underWay.fail(failure("tooLarge", "body", `the response is larger than ${maxBytes} bytes`));
        return;
      }
      if (timeouts.bodyMs !== undefined) phases.enter("body");
      body.push(chunk);
    },
    onResponseEnd: () => {
      if (!underWay.isOver) underWay.end();
    },
    onResponseError: (_, error) => onError(error),
  };
}

function optionsOf(request: HttpRequest, origin: string): Dispatcher.DispatchOptions {
  const { method, target, headers = {}, body, connection } = request;
  return {
    origin,
    method,
    path: target,
    headers: { ...headers },
    reset: connection === "own",
    ...(body === undefined ? {} : { body: bodyOf(body) }),
  };
}

function bodyOf(body: NonNullable<HttpRequest["body"]>): Buffer | Readable {
  return typeof body === "string" || body instanceof Uint8Array
    ? Buffer.from(body)
    : Readable.from(body, { objectMode: false });
}
