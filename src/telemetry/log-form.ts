// How a record of the log is written. Programs read one JSON object per line; an author who tries
// something out reads time, level, message and key=value, with errors and their stacks on lines of
// their own. Texts of others do nothing to the terminal they are shown on.

export type LogForm = "json" | "text";

export interface LogRecord {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  /** Made to be shown: see log.ts. An error is the list of its causes, the outermost first. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One or more lines, each with its end. */
export function formed(form: LogForm, record: LogRecord): string {
  return form === "json" ? jsonLine(record) : textLines(record);
}

function jsonLine({ time, level, message, fields }: LogRecord): string {
  return `${JSON.stringify({ time, level, message, ...fields })}\n`;
}

const indent = "    ";

function textLines({ time, level, message, fields }: LogRecord): string {
  const errors = Object.values(fields).filter(isErrorList);
  const words = Object.entries(fields)
    .filter(([, value]) => value !== undefined && !isErrorList(value))
    .map(([name, value]) => `${name}=${valueText(value)}`);
  const head = [timeOfDay(time), level.toUpperCase().padEnd(5), message, ...words].join(" ");
  const below = errors.flat().flatMap(errorLines);
  return [head, ...below.map((line) => `${indent}${line}`)]
    .map((line) => `${tame(line)}\n`)
    .join("");
}

/** Whoever watches knows the day. */
function timeOfDay(time: string): string {
  return /T(.*)Z$/.exec(time)?.[1] ?? time;
}

interface ShownError {
  readonly message: string;
  readonly code?: unknown;
  readonly details?: unknown;
  readonly stack?: unknown;
}

function isErrorList(value: unknown): value is readonly ShownError[] {
  return Array.isArray(value) && value.length > 0 && value.every(isShownError);
}

function isShownError(value: unknown): value is ShownError {
  return typeof value === "object" && value !== null && "message" in value;
}

function errorLines({ message, code, details, stack }: ShownError, at: number): readonly string[] {
  const codeText = typeof code === "string" || typeof code === "number" ? ` [${code}]` : "";
  const isTelling = typeof details === "object" && details !== null;
  const detailsText = isTelling && Object.keys(details).length > 0 ? ` ${valueText(details)}` : "";
  // A stack begins with the type and the message.
  const told = typeof stack === "string" && stack.includes(message) ? stack : message;
  const [first = "", ...rest] = told.split("\n");
  const because = at === 0 ? "" : "because: ";
  return [`${because}${first}${codeText}${detailsText}`, ...rest];
}

function valueText(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (isKey(value)) return [value.kind, value.namespace, value.name].filter(Boolean).join("/");
  return JSON.stringify(value) ?? String(value);
}

interface KeyOfResource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function isKey(value: unknown): value is KeyOfResource {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 3) return false;
  const { kind, namespace, name } = value as Partial<KeyOfResource>;
  return [kind, namespace, name].every((part) => typeof part === "string");
}

function tame(line: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, " ");
}
