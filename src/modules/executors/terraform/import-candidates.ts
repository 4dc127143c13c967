// Objects that a lost machine created after its last state was stored: the log of the run has them,
// and the state does not. Pure.

import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";

export interface ImportCandidate {
  readonly address: string;
  readonly id: string;
}

const created = /^\S+ (.+): Creation complete after \S+ \[id=(.+)\]$/;

/** `log` consists of lines that begin with their time. */
export function importCandidates(
  log: string,
  state: string | undefined,
): readonly ImportCandidate[] {
  const known = stateAddresses(state ?? "");
  return log.split("\n").flatMap((line) => {
    const [, address = "", id = ""] = created.exec(line) ?? [];
    return address === "" || known.has(address) ? [] : [{ address, id }];
  });
}

function stateAddresses(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const state: unknown = text === "" ? {} : parseExact(text);
  if (!isJsonObject(state)) return found;
  for (const resource of objectsAt(state, "resources")) {
    for (const instance of objectsAt(resource, "instances")) {
      found.add(addressOf(resource, instance));
    }
  }
  return found;
}

function addressOf(resource: JsonObject, instance: JsonObject): string {
  const module = textAt(resource, "module");
  const own = `${textAt(resource, "type")}.${textAt(resource, "name")}`;
  const key = instance["index_key"];
  const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
  return `${module === "" ? "" : `${module}.`}${own}${index}`;
}
