// Error messages quote whole objects as the API server's own types spell them: with capital
// letters, and initialisms in capitals throughout. Clients see and compare these texts.

import { isJsonArray, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../kernel/json.ts";

export function capitalised(value: Json): Json {
  if (isJsonArray(value)) return value.map(capitalised);
  if (!isJsonObject(value)) return value;
  const result: MutableJsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    setOwn(result, spelled(key), capitalised(inner));
  }
  return result;
}

function spelled(key: string): string {
  const capital = key.charAt(0).toUpperCase() + key.slice(1);
  return capital.replace(/^Api/, "API").replace(/^Uid$/, "UID");
}
