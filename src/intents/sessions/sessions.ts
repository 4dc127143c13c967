// Sessions of browsers. A session holds the credential with which it began, sealed in the store:
// each request of the session is authenticated by that credential, so a session ends with it. Each
// request reads the session from the store, so that a sign-out holds on every server at once.

import type { Cause } from "../../kernel/cause.ts";
import { systemCause } from "../../kernel/cause.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { hash } from "node:crypto";
import { labelTerm } from "../../kernel/terms.ts";
import type { StoredRecord } from "../../store/port.ts";
import { contentOf, deleteRecord, putRecord, sessionKind } from "./own-record.ts";
import type { RecordPorts } from "./own-record.ts";
import { hashOfId, isSecretId, newSecretId } from "./secret-id.ts";
import { sessionLimits } from "./session-limits.ts";

export type SessionMethod = "link" | "token" | "oidc";

export interface SessionTimes {
  readonly idleMs: number;
  readonly lifetimeMs: number;
}

export interface Session {
  /** The hash of its id, under which it is stored. */
  readonly name: string;
  readonly userName: string;
  readonly method: SessionMethod;
  readonly token: string;
  readonly createdMs: number;
  readonly usedMs: number;
  readonly expiresMs: number;
}

export interface SignIn {
  readonly userName: string;
  readonly method: SessionMethod;
  readonly token: string;
  readonly cause: Cause;
}

export interface Sessions {
  /** The id is known to the browser only. */
  begin(signIn: SignIn): Promise<{ readonly id: string; readonly session: Session }>;
  /** Undefined for a session that has ended. Notes its use. */
  find(id: string): Promise<Session | undefined>;
  /** Those of a user, the newest first. */
  list(userName: string): Promise<readonly Session[]>;
  /** Does nothing when the session has ended. */
  end(name: string, cause: Cause): Promise<void>;
  endAll(userName: string, cause: Cause): Promise<number>;
}

export function openSessions(ports: RecordPorts, times: SessionTimes): Sessions {
  const { store, clock } = ports;
  const isLive = (session: Session): boolean => {
    const nowMs = clock.nowMs();
    return nowMs < session.expiresMs && nowMs - session.usedMs < times.idleMs;
  };
  const recordsOf = async (userName: string): Promise<readonly StoredRecord[]> => {
    const values = [userDigest(userName)];
    const labels = [{ key: userLabel, operator: "in", values } as const];
    // More than the limit exist while sign-ins of a user happen at the same time.
    const limit = 2 * sessionLimits.maxPerUser;
    return (await store.list({ kind: sessionKind, labels, limit })).records;
  };
  const end = async (name: string, cause: Cause): Promise<void> => {
    // Repeated while the use of the session is noted at the same time.
    for (;;) {
      const found = await store.get(keyOf(name));
      if (found === undefined || (await deleteRecord(ports, found, cause))) return;
    }
  };
  return {
    begin: async ({ userName, method, token, cause }) => {
      const others = (await recordsOf(userName)).map(sessionOf);
      const oldest = others.toSorted(newestFirst).slice(sessionLimits.maxPerUser - 1);
      for (const { name } of oldest) await end(name, cause);
      const id = newSecretId(ports.random);
      const nowMs = clock.nowMs();
      const expiresMs = nowMs + times.lifetimeMs;
      const own = { userName, method, token, createdMs: nowMs, usedMs: nowMs, expiresMs };
      const session = { name: hashOfId(id), ...own };
      const uid = ports.ids.uid();
      await write(ports, session, { uid, when: { kind: "absent" }, cause });
      return { id, session };
    },
    find: async (id) => {
      if (!isSecretId(id)) return undefined;
      const found = await store.get(keyOf(hashOfId(id)));
      if (found === undefined) return undefined;
      const session = sessionOf(found);
      if (!isLive(session)) return undefined;
      const nowMs = clock.nowMs();
      const touchMs = Math.min(sessionLimits.touchMs, times.idleMs / 4);
      if (nowMs - session.usedMs >= touchMs) {
        const { revision, uid } = found;
        const when = { kind: "revision", revision, uid } as const;
        // Refused when another request has noted its use, or when the session has ended.
        await write(ports, { ...session, usedMs: nowMs }, { uid, when, cause: systemCause });
      }
      return session;
    },
    list: async (userName) =>
      (await recordsOf(userName)).map(sessionOf).filter(isLive).toSorted(newestFirst),
    end,
    endAll: async (userName, cause) => {
      let ended = 0;
      for (;;) {
        const records = await recordsOf(userName);
        for (const { key } of records) await end(key.name, cause);
        ended += records.length;
        if (records.length === 0) return ended;
      }
    },
  };
}

const userLabel = "user";

type Place = Pick<Parameters<typeof putRecord>[1], "uid" | "when" | "cause">;

async function write(ports: RecordPorts, session: Session, place: Place): Promise<boolean> {
  const { name, ...content } = session;
  const terms = [labelTerm(userLabel, userDigest(session.userName))];
  return await putRecord(ports, { ...place, key: keyOf(name), terms, content: { ...content } });
}

function keyOf(name: string): { readonly kind: string; readonly namespace: ""; name: string } {
  return { kind: sessionKind, namespace: "", name };
}

/** Names of users may be longer than a label. */
function userDigest(userName: string): string {
  return hash("sha256", userName, "hex").slice(0, 40);
}

function newestFirst(one: Session, other: Session): number {
  return other.createdMs - one.createdMs;
}

function sessionOf(record: StoredRecord): Session {
  const content = contentOf(record);
  return {
    name: record.key.name,
    userName: textAt(content, "userName"),
    method: textAt(content, "method") as SessionMethod,
    token: textAt(content, "token"),
    createdMs: numberAt(content, "createdMs") ?? 0,
    usedMs: numberAt(content, "usedMs") ?? 0,
    expiresMs: numberAt(content, "expiresMs") ?? 0,
  };
}
