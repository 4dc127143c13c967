// Reads a body of server-sent events, as the HTML standard describes the format. Comments and
// unknown fields are passed over; an event without data is none.

import type { ServerEvent } from "./port.ts";

export async function* serverEvents(
  body: AsyncIterable<Buffer>,
  maxEventBytes: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const state: EventState = { type: "", data: [], id: "" };
  let size = 0;
  for await (const line of linesOf(body, maxEventBytes)) {
    if (line !== "") {
      size += line.length;
      if (size > maxEventBytes) throw tooLarge(maxEventBytes);
      takeField(state, line);
      continue;
    }
    size = 0;
    const { type, data, id } = state;
    state.type = "";
    state.data = [];
    if (data.length > 0) yield { type: type === "" ? "message" : type, data: data.join("\n"), id };
  }
}

interface EventState {
  type: string;
  data: string[];
  id: string;
}

function takeField(state: EventState, line: string): void {
  const colon = line.indexOf(":");
  if (colon === 0) return;
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (name === "data") state.data.push(value);
  if (name === "event") state.type = value;
  if (name === "id" && !value.includes("\0")) state.id = value;
}

/** Lines end with CR, LF or both. */
async function* linesOf(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8");
  let rest = "";
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a line break.
    const lines = (rest.endsWith("\r") ? rest.slice(0, -1) : rest).split(/\r\n|\r|\n/);
    const last = lines.pop() ?? "";
    rest = rest.endsWith("\r") ? `${last}\r` : last;
    yield* lines;
    if (rest.length > maxBytes) throw tooLarge(maxBytes);
  }
  if (rest.endsWith("\r")) yield rest.slice(0, -1);
}

function tooLarge(maxBytes: number): Error {
  return new Error(`an event is larger than ${maxBytes} bytes`);
}
