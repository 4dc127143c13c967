// The implementation of port.ts on undici (HTTP) and ws (WebSocket).

import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { StreamError } from "./body-queue.ts";
import { openConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";
import { dispatch } from "./dispatch.ts";
import { failure } from "./failures.ts";
import { loadConnections } from "./open-connection.ts";
import { decideRedirect } from "./redirects.ts";
import { serverEvents } from "./server-events.ts";
import { followWebSocket } from "./web-socket.ts";
import type { HttpAnswer, HttpFailure, HttpRequest, HttpStream, OpenHttp } from "./port.ts";

export function httpWith(timers: Timers): OpenHttp {
  return (options = {}) => {
    const connections = openConnections(options);
    const stream = (request: HttpRequest): Promise<HttpStream | HttpFailure> =>
      streamed(request, connections, timers);
    return {
      stream,
      send: async (request) => {
        const answer = await stream(request);
        return answer.kind === "stream" ? await whole(answer) : answer;
      },
      events: async (request) => {
        const answer = await stream(request);
        if (answer.kind === "failure") return answer;
        const events = serverEvents(answer.body, limits.maxServerEventBytes);
        return { ...answer, kind: "events", events };
      },
      webSocket: async (request, listener) =>
        await followWebSocket(request, listener, options, timers),
      [Symbol.dispose]: () => connections[Symbol.dispose](),
    };
  };
}

async function streamed(
  request: HttpRequest,
  connections: Connections,
  timers: Timers,
): Promise<HttpStream | HttpFailure> {
  loadConnections();
  let { target } = request;
  for (let followed = 0; ; followed++) {
    const at = { ...request, target };
    const answer = await dispatch(at, connections, timers);
    if (answer.kind === "failure") return answer;
    const decision = decideRedirect(at, answer.status, answer.headers["location"], followed);
    if (decision.kind === "none") return answer;
    answer[Symbol.dispose]();
    if (decision.kind === "otherOrigin") {
      const { origin } = decision;
      const why = failure(
        "redirect",
        "body",
        `the response redirects to another origin, ${origin}`,
      );
      return { ...why, redirectOrigin: origin };
    }
    if (decision.kind === "tooMany") {
      const why = failure("redirect", "body", `more than ${request.maxRedirects} redirects`);
      return { ...why, redirectOrigin: "" };
    }
    ({ target } = decision);
  }
}

async function whole({ status, headers, body }: HttpStream): Promise<HttpAnswer | HttpFailure> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    if (error instanceof StreamError) return error.failure;
    throw error;
  }
  return { kind: "answer", status, headers, body: Buffer.concat(chunks) };
}
