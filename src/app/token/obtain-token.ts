// `setpoint token`: a short-lived token from an OpenID issuer. A program with a secret uses the
// client-credentials grant. A person logs in by the device grant; later commands use the saved
// token while it is valid, then its refresh token, and a new login when the issuer refuses that.
import type { Clock } from "../../kernel/clock.ts";
import type { Timers } from "../../kernel/timers.ts";
import { deviceLogin } from "./device-login.ts";
import { issuerClient } from "./issuer-client.ts";
import type { Issuer, IssuerClient } from "./issuer-client.ts";
import { loginPath, readLogin, withLoginLock, writeLogin } from "./saved-login.ts";
import { formOf, purposeOf, tokensOf } from "./token-grant.ts";
import type { TokenClient, Tokens } from "./token-grant.ts";

export interface TokenOptions {
  readonly issuer: string;
  readonly client: TokenClient;
  /** A person logs in, although the client may have a secret. */
  readonly isPerson: boolean;
  /** PEM of the issuer's certificate authority, if that is not a public one. */
  readonly authority: string | undefined;
  /** Where logins are saved; undefined to save none. */
  readonly configFolder: string | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** One line for the person. */
  readonly show: (line: string) => void;
}

/** A saved token with less time left than this is not used. */
const leastLifetimeMs = 60_000;

export async function obtainToken(options: TokenOptions): Promise<string> {
  const { issuer, client, configFolder, clock, timers, show } = options;
  const requests = issuerClient(issuer, options.authority);
  if (!options.isPerson) return (await byCredentials(options, requests)).accessToken;
  if (configFolder === undefined) return (await logIn(options, requests)).accessToken;
  const path = loginPath(issuer, client, configFolder);
  const onWait = (): void => show("another setpoint token logs in; waiting for it");
  return await withLoginLock(path, { clock, timers, onWait }, async () => {
    const saved = readLogin(path);
    if (saved !== undefined && saved.expiresAtMs - clock.nowMs() > leastLifetimeMs) {
      return saved.accessToken;
    }
    const tokens = (await refreshed(saved, options, requests)) ?? (await logIn(options, requests));
    writeLogin(path, tokens);
    return tokens.accessToken;
  });
}

async function byCredentials(
  { client, clock }: TokenOptions,
  requests: IssuerClient,
): Promise<Tokens> {
  const issuer = await requests.discover();
  const grant = { grant_type: "client_credentials", ...purposeOf(client) };
  const answer = await requests.post(issuer.tokenEndpoint, formOf(issuer, client, grant));
  return tokensOf(answer, clock.nowMs());
}

/** Undefined when a new login is needed. */
async function refreshed(
  saved: Tokens | undefined,
  { client, clock }: TokenOptions,
  requests: IssuerClient,
): Promise<Tokens | undefined> {
  const refreshToken = saved?.refreshToken;
  if (refreshToken === undefined) return undefined;
  const issuer = await requests.discover();
  const grant = {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    ...purposeOf({ ...client, scope: undefined }),
  };
  const answer = await requests.post(issuer.tokenEndpoint, formOf(issuer, client, grant));
  if (answer.kind === "refused" && answer.error === "invalid_grant") return undefined;
  const tokens = tokensOf(answer, clock.nowMs());
  // An issuer without rotation returns no new refresh token.
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
}

async function logIn(options: TokenOptions, requests: IssuerClient): Promise<Tokens> {
  const { clock, timers, show } = options;
  const issuer = await requests.discover();
  const client = { ...options.client, scope: options.client.scope ?? usualScope(issuer) };
  return await deviceLogin({ issuer, client, requests, clock, timers, show });
}

/** offline_access asks for a refresh token, where the issuer lists it. */
function usualScope({ scopes }: Issuer): string {
  return scopes.includes("offline_access") ? "openid offline_access" : "openid";
}
