// What goes wrong inside the server of a test, for whoever reads the output of the test. An error
// that a reconciler did not foresee is told by its type alone in the status, so a test that fails
// because of it would not say why.

import { isJsonObject } from "../kernel/json.ts";
import type { Json } from "../kernel/json.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";

export interface Trouble {
  /** The same for errors that are the same to people: what is tried again is told once. */
  readonly what: string;
  readonly text: string;
}

/** Undefined for a line of the log that is about no error. */
export function troubleOf(line: string): Trouble | undefined {
  const logged = JSON.parse(line) as Json;
  const errors = objectsAt(logged, "error");
  if (!isJsonObject(logged) || errors.length === 0) return undefined;
  const texts = errors.map((error) => textAt(error, "stack") || textAt(error, "message"));
  const title = `setpoint: ${textAt(logged, "message")}${aboutText(logged["key"] ?? null)}`;
  const what = [title, ...errors.map((error) => textAt(error, "message"))].join("\n");
  return { what, text: `${title}\n${indented(texts.join("\n"))}\n` };
}

function aboutText(key: Json): string {
  const [kind, namespace, name] = ["kind", "namespace", "name"].map((part) => textAt(key, part));
  return name === "" ? "" : `: ${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
