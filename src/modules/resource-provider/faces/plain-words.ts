// What is wrong with a value, in the words that follow its name in a sentence. The write path has
// the words of Kubernetes, whose clients compare them: the value, the field once more, "in body",
// and for types the name of the wrong type in place of the value. Clients of the Resource Manager
// are told the field beside. What the author of a rule says is told as it is.

import type { FieldError } from "../../../kernel/field-error.ts";

/** As in "is required", or "is refused: it should be at least 3 chars long, not 'X'". */
export function plainWords({ field, message }: Pick<FieldError, "field" | "message">): string {
  if (message === required) return "is required";
  if (message.startsWith(`${required}: `)) {
    return `is required: ${message.slice(required.length + 2)}`;
  }
  return `is refused: ${refusedWords(field, message)}`;
}

const required = "Required value";

function refusedWords(field: string, message: string): string {
  const [start = "", kind] = /^(Invalid|Unsupported|Duplicate) value: /.exec(message) ?? [];
  const rest = message.slice(start.length);
  switch (kind) {
    case "Invalid":
      return schemaWords(field, rest) ?? withoutValue(rest);
    case "Unsupported":
      return singleQuotes(supportedWords(rest));
    case "Duplicate":
      return singleQuotes(`it holds ${rest} more than once`);
    default:
      return message.replace(/^Forbidden: |^Too long: (?=may )/, (own) =>
        own === "Forbidden: " ? "" : "it ",
      );
  }
}

/** Undefined for what no schema says. */
function schemaWords(field: string, rest: string): string | undefined {
  for (const name of [field, `.${field}`]) {
    const marker = `: ${name} in body `;
    const index = rest.lastIndexOf(marker);
    if (index < 0) continue;
    const value = rest.slice(0, index);
    return singleQuotes(itWords(rest.slice(index + marker.length), value));
  }
  return undefined;
}

function itWords(text: string, value: string): string {
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

function supportedWords(rest: string): string {
  const marker = ": supported values: ";
  const index = rest.lastIndexOf(marker);
  if (index < 0) return `it cannot be ${rest}`;
  return `it must be one of ${rest.slice(index + marker.length)}, not ${rest.slice(0, index)}`;
}

/** Who sent a value knows it, and the words after it say all. */
function withoutValue(rest: string): string {
  return rest.replace(/^(?:"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null): (?=.)/s, "");
}

function singleQuotes(text: string): string {
  return text.replaceAll('"', "'");
}

/** Ends with a full stop. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
