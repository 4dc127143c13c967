// Tokens that are not signed but known: the administrator's of the first start, and those of a
// token file. Comparisons take the same time whatever the token is; of a token file only digests
// are kept.

import { hash, timingSafeEqual } from "node:crypto";
import { SetpointError } from "../../kernel/errors.ts";
import { commonAudiences } from "./token-authenticator.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";
import { mastersGroup } from "./user.ts";
import type { UserInfo } from "./user.ts";

const adminUser: UserInfo = { name: "setpoint:admin", groups: [mastersGroup], extra: {} };

export interface AdminToken {
  readonly token: string;
  readonly apiAudiences: readonly string[];
}

export function adminTokenAuthenticator({ token, apiAudiences }: AdminToken): TokenAuthenticator {
  const expected = Buffer.from(token);
  return async (offered, audiences) => {
    // The administrator's token is asked for with every request, and its length is no secret.
    if (token === "" || offered.length !== token.length) return undefined;
    const bytes = Buffer.from(offered);
    if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return undefined;
    return agnostic(adminUser, apiAudiences, audiences);
  };
}

export interface TokenFile {
  /** As from `parseTokenFile`. */
  readonly users: ReadonlyMap<string, UserInfo>;
  readonly apiAudiences: readonly string[];
}

export function tokenFileAuthenticator({ users, apiAudiences }: TokenFile): TokenAuthenticator {
  return async (offered, audiences) => {
    const user = users.get(digest(offered).toString("base64"));
    return user === undefined ? undefined : agnostic(user, apiAudiences, audiences);
  };
}

/** Lines of `token,name,uid[,"group1,group2"]`; the keys of the result are digests. */
export function parseTokenFile(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  text.split(/\r?\n/u).forEach((line, index) => {
    if (line.trim() === "") return;
    const [token, name, uid, groups = ""] = splitLine(line);
    if (token === undefined || name === undefined || uid === undefined) {
      const message = `line ${index + 1} of the token file must have a token, a name and a uid`;
      throw new SetpointError("config.invalid", message);
    }
    if (token === "") return;
    const key = digest(token).toString("base64");
    users.set(key, { name, uid, groups: groups === "" ? [] : groups.split(","), extra: {} });
  });
  return users;
}

/** A token without an audience of its own is good for the API, and for nothing else. */
function agnostic(
  user: UserInfo,
  apiAudiences: readonly string[],
  asked: readonly string[],
): { readonly user: UserInfo; readonly audiences: readonly string[] } | undefined {
  const audiences = commonAudiences(apiAudiences, asked);
  return audiences.length === 0 ? undefined : { user, audiences };
}

function digest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Fields between commas; a field in double quotes may contain commas and doubled quotes. */
function splitLine(line: string): readonly string[] {
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/gy;
  const fields: string[] = [];
  while (pattern.lastIndex < line.length) {
    const match = pattern.exec(line);
    if (match === null) {
      throw new SetpointError("config.invalid", "the token file has a misplaced quote");
    }
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2]?.trim() ?? "");
  }
  return fields;
}
