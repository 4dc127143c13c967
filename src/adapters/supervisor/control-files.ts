// The files of one supervisor. They are written as a whole and then renamed, so that a reader finds
// the old content or the new one.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseExact } from "../../kernel/int64.ts";
import type { SupervisedEnd } from "./port.ts";
import type { ProcessIdentity } from "./process-facts.ts";

export const supervisorFile = "supervisor.json";
export const programFile = "program.json";

export function endFile(id: string): string {
  return `${id}.end.json`;
}

export function writeControl(
  folder: string,
  file: string,
  content: ProcessIdentity | SupervisedEnd,
): void {
  const path = join(folder, file);
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function readIdentity(folder: string, file: string): ProcessIdentity | undefined {
  const content = readControl(folder, file) as Partial<ProcessIdentity> | undefined;
  const { pid, start, ownUser } = content ?? {};
  if (pid === undefined || start === undefined) return undefined;
  return { pid, start, ...(ownUser === undefined ? {} : { ownUser }) };
}

export function readEnd(folder: string, id: string): SupervisedEnd | undefined {
  return readControl(folder, endFile(id)) as SupervisedEnd | undefined;
}

function readControl(folder: string, file: string): unknown {
  let text;
  try {
    text = readFileSync(join(folder, file), "utf8");
  } catch {
    // Not written yet.
    return undefined;
  }
  return parseExact(text);
}
