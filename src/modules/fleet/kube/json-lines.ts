// The JSON documents of a stream, one in each line. A line that is longer than the limit, or is not
// a JSON object, ends the stream with an error.

import { parseExact } from "../../../kernel/int64.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isJsonObject } from "../../../kernel/json.ts";

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
