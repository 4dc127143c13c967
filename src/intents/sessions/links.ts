// Links that begin a session: they contain a code that works once, within some minutes. A used code
// is kept until its end, so that the page can say why the link does not work.

import type { Cause } from "../../kernel/cause.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { contentOf, linkKind, putRecord } from "./own-record.ts";
import type { RecordPorts } from "./own-record.ts";
import { hashOfId, isSecretId, newSecretId } from "./secret-id.ts";
import { sessionLimits } from "./session-limits.ts";

export interface Link {
  readonly code: string;
  readonly expiresMs: number;
}

export type Redeemed =
  | { readonly kind: "good"; readonly token: string }
  | { readonly kind: "used" | "expired" | "unknown" };

export interface Links {
  /** The session of the link acts with this token. */
  create(token: string, cause: Cause): Promise<Link>;
  redeem(code: string, cause: Cause): Promise<Redeemed>;
}

export function openLinks(ports: RecordPorts): Links {
  const { store, clock, ids, random } = ports;
  return {
    create: async (token, cause) => {
      const code = newSecretId(random);
      const expiresMs = clock.nowMs() + sessionLimits.linkMs;
      const content = { token, expiresMs, isUsed: false };
      const when = { kind: "absent" } as const;
      const key = keyOf(code);
      await putRecord(ports, { key, uid: ids.uid(), when, terms: [], content, cause });
      return { code, expiresMs };
    },
    redeem: async (code, cause) => {
      if (!isSecretId(code)) return { kind: "unknown" };
      const found = await store.get(keyOf(code));
      if (found === undefined) return { kind: "unknown" };
      const { revision, uid } = found;
      const content = contentOf(found);
      if (content["isUsed"] === true) return { kind: "used" };
      const expiresMs = numberAt(content, "expiresMs") ?? 0;
      if (clock.nowMs() >= expiresMs) return { kind: "expired" };
      const when = { kind: "revision", revision, uid } as const;
      const spent = { token: "", expiresMs, isUsed: true };
      const put = { key: keyOf(code), uid, when, terms: [], content: spent, cause };
      // Of two requests with the same code, on any servers, the store accepts one.
      if (!(await putRecord(ports, put))) return { kind: "used" };
      return { kind: "good", token: textAt(content, "token") };
    },
  };
}

function keyOf(code: string): { readonly kind: string; readonly namespace: ""; name: string } {
  return { kind: linkKind, namespace: "", name: hashOfId(code) };
}
