/** Who is believed: the ways to prove an identity that this process was configured with. */
import { readFileSync } from "node:fs";
import { createAuthentication } from "../intents/auth/authentication.ts";
import type { Authentication } from "../intents/auth/authentication.ts";
import { oidcAuthenticator } from "../intents/auth/oidc.ts";
import type { OidcProvider } from "../intents/auth/oidc-provider.ts";
import { serviceAccountTokenAuthenticator } from "../intents/auth/service-account-token.ts";
import {
  adminTokenAuthenticator,
  parseTokenFile,
  tokenFileAuthenticator,
} from "../intents/auth/static-tokens.ts";
import type { TokenAuthenticator } from "../intents/auth/token-authenticator.ts";
import type { UserInfo } from "../intents/auth/user.ts";
import { systemClock as clock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ServeConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { fetchTrusting } from "./fetch-trusting.ts";
import { parseKeyFile } from "./oidc-key-file.ts";

/** What the files say that the configuration names. */
export interface AuthenticationFiles {
  readonly users: ReadonlyMap<string, UserInfo> | undefined;
  readonly providers: readonly {
    readonly provider: OidcProvider;
    readonly authorityPem: string | undefined;
  }[];
}

/** Reads and checks them, so that a mistake is told before anything is opened. */
export function readAuthenticationFiles(config: ServeConfig): AuthenticationFiles {
  const { tokenFile, oidc } = config;
  return {
    users: tokenFile === undefined ? undefined : parseTokenFile(readOption(tokenFile, "tokenFile")),
    providers: oidc.map(({ caFile, jwksFile, console: _, ...provider }) => ({
      provider: { ...provider, staticKeys: readStaticKeys(jwksFile) },
      authorityPem: caFile === undefined ? undefined : readOption(caFile, "oidc"),
    })),
  };
}

export function openAuthentication(
  { users, providers }: AuthenticationFiles,
  { isAnonymousAllowed }: Pick<ServeConfig, "isAnonymousAllowed">,
  { adminToken, signer, lookup, apiAudiences }: Credentials,
  log: Logger,
): Authentication {
  const tokens: TokenAuthenticator[] = [
    adminTokenAuthenticator({ token: adminToken, apiAudiences }),
    serviceAccountTokenAuthenticator({ signer, lookup, apiAudiences, clock }),
  ];
  if (users !== undefined) tokens.push(tokenFileAuthenticator({ users, apiAudiences }));
  for (const { provider, authorityPem } of providers) {
    const fetch = fetchTrusting(authorityPem);
    const { issuer } = provider;
    const onFailure = (error: unknown): void =>
      log.warn({ issuer, error }, "keys of OpenID provider not read");
    tokens.push(oidcAuthenticator({ provider, apiAudiences, clock, fetch, onFailure }));
  }
  return createAuthentication({ tokens, apiAudiences, isAnonymousAllowed });
}

function readStaticKeys(path: string | undefined): readonly JsonObject[] {
  return path === undefined ? [] : parseKeyFile(readOption(path, "oidc"), path);
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
