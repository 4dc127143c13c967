// The login of a person, kept between commands: one file per issuer, client and purpose in the
// configuration folder of the user, readable by the user alone. A lock keeps two commands from
// using the same refresh token, which issuers with rotation answer by ending the login.
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import type { Timers } from "../../kernel/timers.ts";
import { lockFile } from "../../store/sqlite/file-lock.ts";
import type { FileLock } from "../../store/sqlite/file-lock.ts";
import { writeDurably } from "../durable-file.ts";
import type { TokenClient, Tokens } from "./token-grant.ts";

const lockPauseMs = 100;
/** As long as a person may take to log in. */
const maxLockWaitMs = 3_600_000;

export function loginPath(
  issuer: string,
  { clientId, scope = "", audience = "", resource = "" }: TokenClient,
  configFolder: string,
): string {
  const name = hash("sha256", JSON.stringify([issuer, clientId, scope, audience, resource]));
  return join(configFolder, "setpoint", "tokens", `${name.slice(0, 32)}.json`);
}

/** Undefined when there is none. */
export function readLogin(path: string): Tokens | undefined {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return undefined;
  if ((mode & 0o077) !== 0) {
    throw new SetpointError("config.invalid", `other users can read the login in ${path}`, {
      suggestion: `delete the file and log in again: rm ${path}`,
    });
  }
  const document = documentOf(readFileSync(path, "utf8"));
  const accessToken = textAt(document, "accessToken");
  const refreshToken = textAt(document, "refreshToken");
  if (accessToken === "") return undefined;
  const expiresAtMs = numberAt(document, "expiresAtMs") ?? 0;
  return { accessToken, expiresAtMs, ...(refreshToken === "" ? {} : { refreshToken }) };
}

export function writeLogin(path: string, tokens: Tokens): void {
  const text = `${JSON.stringify(tokens)}\n`;
  writeDurably(path, text, { existing: "replace", mode: 0o600 });
}

export interface LockPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called once when another command holds the lock. */
  readonly onWait: () => void;
}

/** Performs the work while no other command of this user uses the same login. */
export async function withLoginLock<T>(
  path: string,
  ports: LockPorts,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = await acquire(path, ports);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function acquire(path: string, { clock, timers, onWait }: LockPorts): Promise<FileLock> {
  const untilMs = clock.nowMs() + maxLockWaitMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return lockFile(path);
    } catch (error) {
      const isHeld = isSetpointError(error, "store.locked");
      if (!isHeld || clock.nowMs() >= untilMs) throw error;
    }
    if (attempt === 0) onWait();
    await timers.sleep(lockPauseMs);
  }
}

function documentOf(text: string): JsonObject {
  try {
    const value: unknown = parseExact(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // A file that is not ours is replaced by the next login.
    return {};
  }
}
