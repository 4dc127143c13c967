// The JSON documents of a stream, one in each line. A line that is longer than the limit, or is not
// a JSON object, ends the stream with an error.

import { parseExact } from "./int64.ts";
import type { Json, JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";

export async function* jsonLines(
  body: AsyncIterable<Buffer>,
  maxLineChars: number,
): AsyncGenerator<JsonObject, void, undefined> {
  const decoder = new TextDecoder("utf-8");
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield objectOf(line);
    if (rest.length > maxLineChars) {
      throw new Error(`a line of the stream is longer than ${maxLineChars} characters`);
    }
  }
  if (rest.trim() !== "") yield objectOf(rest);
}

/** A document that may not be JSON, such as the plain text of a proxy: undefined then. */
export function jsonOf(body: Buffer): Json | undefined {
  try {
    return parseExact(body.toString("utf8")) as Json;
  } catch {
    return undefined;
  }
}

function objectOf(line: string): JsonObject {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch (cause) {
    throw new Error("a line of the stream is not JSON", { cause });
  }
  if (!isJsonObject(value)) throw new Error("a line of the stream is not a JSON object");
  return value;
}
