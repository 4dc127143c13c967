// Tokens of Vault in the memory of this process, one for each VaultServer and identity. A token is
// renewed after two thirds of its time, and replaced by a new login when that fails or when Vault
// does not accept it any more. Nothing of it is stored.

import type { Context } from "../../../engine/reconciler.ts";
import { ServiceRefused } from "../../../engine/external/call-service.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { readSecretRef } from "../target/secret-reference.ts";
import type { VaultClient, VaultDoor, VaultLogin } from "./client.ts";

/** A signed token of a ServiceAccount, for a login by JWT. */
export type IssueJwt = (account: JwtAccount) => Promise<string>;

export interface JwtAccount {
  readonly namespace: string;
  readonly name: string;
  readonly audience: string;
}

export interface SessionInput {
  readonly server: Resource;
  readonly door: VaultDoor;
  readonly context: Pick<Context, "references" | "clock">;
  /** The ServiceAccount of the target. */
  readonly account: { readonly namespace: string; readonly name: string };
  /** Values that the calls send; no error shows them. */
  readonly secrets: readonly string[];
}

interface Session extends VaultLogin {
  readonly atMs: number;
}

export class VaultSessions {
  readonly #issueJwt: IssueJwt;
  readonly #sessions = new Map<string, Session>();

  constructor(issueJwt: IssueJwt) {
    this.#issueJwt = issueJwt;
  }

  /** Runs the calls with a token. When Vault refuses the token, again after a new login. */
  async use<T>(input: SessionInput, run: (client: VaultClient) => Promise<T>): Promise<T> {
    const auth = objectAt(input.server, "spec", "auth");
    const fixed = await readSecretRef(input.context, objectAt(auth, "token"));
    if (fixed !== "") return await run(input.door.with(fixed, input.secrets));
    const key = sessionKey(input, auth);
    const isKept = this.#sessions.has(key);
    const token = await this.#token(input, auth, key);
    try {
      return await run(input.door.with(token, input.secrets));
    } catch (error) {
      const isRefused =
        error instanceof ServiceRefused && error.outcome.reason === "CredentialsRefused";
      if (!isRefused) throw error;
      this.#sessions.delete(key);
      if (!isKept) throw error;
      const fresh = await this.#token(input, auth, key);
      return await run(input.door.with(fresh, input.secrets));
    }
  }

  async #token(input: SessionInput, auth: JsonObject, key: string): Promise<string> {
    const { door, context } = input;
    const known = this.#sessions.get(key);
    const state = known === undefined ? "expired" : sessionState(known, context.clock);
    if (known !== undefined && state === "fresh") return known.token;
    if (known !== undefined && state === "renew") {
      const renewed = await door
        .with(known.token, [])
        .renew()
        .catch(() => undefined);
      if (renewed !== undefined) return this.#keep(key, renewed, context.clock);
    }
    const login = await this.#login(input, auth);
    return this.#keep(key, login, context.clock);
  }

  #keep(key: string, login: VaultLogin, clock: Clock): string {
    this.#sessions.delete(key);
    this.#sessions.set(key, { ...login, atMs: clock.nowMs() });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > executorLimits.maxVaultSessions && oldest !== undefined) {
      this.#sessions.delete(oldest);
    }
    return login.token;
  }

  async #login({ door, context, account }: SessionInput, auth: JsonObject): Promise<VaultLogin> {
    const appRole = objectAt(auth, "appRole");
    if (textAt(appRole, "roleId") !== "") {
      const secret = await readSecretRef(context, objectAt(appRole, "secretId"));
      const path = `${textAt(appRole, "mount") || "approle"}/login`;
      const body = { role_id: textAt(appRole, "roleId") };
      return await door.login(path, secret === "" ? body : { ...body, secret_id: secret });
    }
    const jwt = objectAt(auth, "jwt");
    const named = objectAt(jwt, "serviceAccount");
    const token = await this.#issueJwt({
      namespace: textAt(named, "namespace") || account.namespace,
      name: textAt(named, "name") || account.name,
      audience: textAt(jwt, "audience") || "vault",
    });
    const path = `${textAt(jwt, "mount") || "kubernetes"}/login`;
    return await door.login(path, { role: textAt(jwt, "role"), jwt: token });
  }
}

/** Two thirds of the time of a token are for its use, the rest for its renewal. */
export function sessionState(
  { atMs, leaseSeconds, isRenewable }: Omit<Session, "token">,
  clock: Pick<Clock, "nowMs">,
): "fresh" | "renew" | "expired" {
  if (leaseSeconds === 0) return "fresh";
  const ageMs = clock.nowMs() - atMs;
  if (ageMs < (leaseSeconds * 1_000 * 2) / 3) return "fresh";
  return isRenewable && ageMs < leaseSeconds * 1_000 ? "renew" : "expired";
}

/** A changed VaultServer has new logins, as has each ServiceAccount that logs in itself. */
function sessionKey({ server, account }: SessionInput, auth: JsonObject): string {
  const { uid, generation } = server.metadata;
  const isOwn = textAt(auth, "jwt", "serviceAccount", "name") === "";
  const identity =
    textAt(auth, "jwt", "role") !== "" && isOwn ? [account.namespace, account.name] : [];
  return JSON.stringify([uid, generation, ...identity]);
}
