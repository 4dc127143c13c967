/** Who is believed: the ways to prove an identity that this process was configured with. */
import { readFileSync } from "node:fs";
import { createAuthentication } from "../intents/auth/authentication.ts";
import type { Authentication } from "../intents/auth/authentication.ts";
import { oidcAuthenticator } from "../intents/auth/oidc.ts";
import { serviceAccountTokenAuthenticator } from "../intents/auth/service-account-token.ts";
import {
  adminTokenAuthenticator,
  parseTokenFile,
  tokenFileAuthenticator,
} from "../intents/auth/static-tokens.ts";
import type { TokenAuthenticator } from "../intents/auth/token-authenticator.ts";
import type { UserInfo } from "../intents/auth/user.ts";
import type { Clock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { OidcFileConfig } from "./config-file.ts";
import type { ServeConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { fetchTrusting } from "./fetch-trusting.ts";

/** What the files say that the configuration names. */
export interface AuthenticationFiles {
  readonly users: ReadonlyMap<string, UserInfo> | undefined;
  readonly providers: readonly {
    readonly provider: Omit<OidcFileConfig, "caFile">;
    readonly authorityPem: string | undefined;
  }[];
}

/** Reads and checks them, so that a mistake is told before anything is opened. */
export function readAuthenticationFiles(config: ServeConfig): AuthenticationFiles {
  const { tokenFile, oidc } = config;
  return {
    users: tokenFile === undefined ? undefined : parseTokenFile(readOption(tokenFile, "tokenFile")),
    providers: oidc.map(({ caFile, ...provider }) => ({
      provider,
      authorityPem: caFile === undefined ? undefined : readOption(caFile, "oidc"),
    })),
  };
}

export function openAuthentication(
  { users, providers }: AuthenticationFiles,
  { isAnonymousAllowed }: Pick<ServeConfig, "isAnonymousAllowed">,
  { adminToken, signer, lookup, apiAudiences }: Credentials,
  clock: Clock,
): Authentication {
  const tokens: TokenAuthenticator[] = [
    adminTokenAuthenticator({ token: adminToken, apiAudiences }),
    serviceAccountTokenAuthenticator({ signer, lookup, apiAudiences, clock }),
  ];
  if (users !== undefined) tokens.push(tokenFileAuthenticator({ users, apiAudiences }));
  for (const { provider, authorityPem } of providers) {
    const fetch = fetchTrusting(authorityPem);
    tokens.push(oidcAuthenticator({ provider, apiAudiences, clock, fetch }));
  }
  return createAuthentication({ tokens, apiAudiences, isAnonymousAllowed });
}

function readOption(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `the file ${path} cannot be read`, {
      cause,
      details: { option, path },
      suggestion: `correct ${option} in the configuration file`,
    });
  }
}
