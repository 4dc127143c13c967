// Where a page of a list ends, as the client is told it. A token names a revision, and who could
// choose that could read what was deleted since; so it is good only with a digest that none but the
// servers of one store can make, and only for the list that has given it out.

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import type { ListQuery, Position } from "../../../store/port.ts";

/** Which list: how long its pages are may change on the way. */
export type ListedBy = Omit<ListQuery, "limit" | "from">;

export type SkipKey = Uint8Array;

/** Made of a secret that all servers of a store share, and of no use for anything else of it. */
export function skipKeyOf(secret: KeyObject): SkipKey {
  const bytes = secret.export({ type: "pkcs8", format: "der" });
  return new Uint8Array(hkdfSync("sha256", bytes, "", "arm.setpoint.dev/skip-token", 32));
}

export function skipToken(key: SkipKey, list: ListedBy, { revision, name }: Position): string {
  const digest = digestOf(key, list, revision, name).toString("base64url");
  return Buffer.from(JSON.stringify([revision, name, digest])).toString("base64url");
}

/** Undefined for a token that this list has not given out. */
export function skipPosition(key: SkipKey, list: ListedBy, token: string): Position | undefined {
  const [revision, name, digest] = readToken(token);
  const isRead =
    typeof revision === "number" && typeof name === "string" && typeof digest === "string";
  if (!isRead) return undefined;
  const given = Buffer.from(digest, "base64url");
  const wanted = digestOf(key, list, revision, name);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  return { revision, namespace: list.namespace ?? "", name };
}

function digestOf(key: SkipKey, list: ListedBy, revision: number, name: string): Buffer {
  const { kind, namespace = "", labels = [], owner = "" } = list;
  const wanted = labels.map(({ key: label, operator, values }): Json => [label, operator, values]);
  const text = canonicalJson([kind, namespace, wanted, owner, revision, name]);
  return createHmac("sha256", key).update(text).digest();
}

function readToken(token: string): readonly Json[] {
  try {
    const value = parseExact(Buffer.from(token, "base64url").toString("utf8")) as Json;
    return isJsonArray(value) ? value : [];
  } catch {
    return [];
  }
}
