// What may be shown: without the secret values of the resource that it is about. The text of an
// error is made by whoever throws it, and a password is easily part of a URL or of a command. What
// was given stays as it is; what is shown is a copy.

import { isSetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";

/** Shorter ones would be found in words that have nothing to do with them. */
const shortestSecret = 4;
const stand = "[hidden]";
const maxCauses = 8;

/** Takes secrets out: of a text, and of anything that may be logged. */
export interface Hiding {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => unknown;
}

/** Undefined: there is nothing to hide. */
export function hidingOf(secrets: readonly string[]): Hiding | undefined {
  const texts = secrets.filter((secret) => secret.length >= shortestSecret).flatMap(writings);
  if (texts.length === 0) return undefined;
  // A secret may be a part of another one, which is to go as a whole.
  const longestFirst = [...new Set(texts)].sort((a, b) => b.length - a.length);
  const text = (given: string): string =>
    longestFirst.reduce((shown, secret) => shown.replaceAll(secret, stand), given);
  return { text, value: (given) => copyOf(given, text, 0) };
}

export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  const hiding = hidingOf(secrets);
  return hiding === undefined ? error : hiding.value(error);
}

/** As it is, and as it is written in URLs and in JSON. */
function writings(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}

function copyOf(error: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof error === "string") return hide(error);
  if (!(error instanceof Error)) return plainCopy(error, hide);
  if (depth >= maxCauses) return undefined;
  const own = Object.getOwnPropertyDescriptors(error);
  const copy = Object.create(Object.getPrototypeOf(error) as object, own) as Error;
  const set = (name: string, value: unknown): void => {
    Object.defineProperty(copy, name, { value, configurable: true, writable: true });
  };
  set("message", hide(error.message));
  set("stack", hide(String(error.stack)));
  if (error.cause !== undefined) set("cause", copyOf(error.cause, hide, depth + 1));
  if (isSetpointError(error)) set("details", plainCopy(error.details, hide));
  return copy;
}

function plainCopy(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value !== "object" || value === null) return value;
  try {
    const copy: unknown = parseExact(hide(JSON.stringify(value)));
    return copy;
  } catch {
    return stand;
  }
}
