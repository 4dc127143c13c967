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
import type { Clock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { ServeConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { fetchTrusting } from "./fetch-trusting.ts";

export function openAuthentication(
  config: ServeConfig,
  credentials: Credentials,
  clock: Clock,
): Authentication {
  const { adminToken, signer, lookup, apiAudiences } = credentials;
  const tokens: TokenAuthenticator[] = [
    adminTokenAuthenticator({ token: adminToken, apiAudiences }),
    serviceAccountTokenAuthenticator({ signer, lookup, apiAudiences, clock }),
  ];
  if (config.tokenFile !== undefined) {
    const users = parseTokenFile(readOption(config.tokenFile, "tokenFile"));
    tokens.push(tokenFileAuthenticator({ users, apiAudiences }));
  }
  for (const { caFile, ...provider } of config.oidc) {
    const fetch = fetchTrusting(caFile === undefined ? undefined : readOption(caFile, "oidc"));
    tokens.push(oidcAuthenticator({ provider, apiAudiences, clock, fetch }));
  }
  const { isAnonymousAllowed } = config;
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
