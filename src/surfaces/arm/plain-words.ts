// What is wrong with a value, in one plain sentence. The write path has the words of Kubernetes,
// whose clients compare them: the value, the field once more, "in body", and for types the name of
// the wrong type in place of the value. Clients of the Resource Manager are told the field beside.

import type { FieldError } from "../../kernel/field-error.ts";

/** As in "it should be at least 3 chars long, not 'X'"; other words are left as they are. */
export function plainWords({ field, message }: Pick<FieldError, "field" | "message">): string {
  if (!message.startsWith(start)) return message;
  for (const name of [field, `.${field}`]) {
    const marker = `: ${name} in body `;
    const index = message.lastIndexOf(marker);
    if (index < 0) continue;
    const value = message.slice(start.length, index);
    return itSentence(message.slice(index + marker.length), value);
  }
  return message;
}

const start = "Invalid value: ";

function itSentence(text: string, value: string): string {
  const echo = `: ${value}`;
  const words = text.endsWith(echo) ? text.slice(0, -echo.length) : text;
  if (value === '""') return `it ${words}`;
  const isType = words.startsWith("must be of type") && typeNames.has(value);
  return `it ${words}, not ${isType ? value.slice(1, -1) : value}`;
}

const typeNames: ReadonlySet<string> = new Set(
  ["null", "string", "boolean", "integer", "number", "array", "object", "int64", "float64"].map(
    (name) => `"${name}"`,
  ),
);
