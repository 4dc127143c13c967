// What is configured about an OpenID provider, and the rules that the configuration must follow.

import type { JsonObject } from "../../kernel/json.ts";
import { isHttps, isLoopbackHttp } from "../../kernel/secure-url.ts";

export interface OidcProvider {
  readonly issuer: string;
  /** The token must be meant for one of these; empty only with `anyAudience`. */
  readonly audiences: readonly string[];
  readonly anyAudience?: boolean | undefined;
  /** Allows an issuer at http://127.0.0.1 or http://localhost, for development. */
  readonly http?: boolean | undefined;
  /** The first of these claims that is present; "sub" when left out. */
  readonly usernameClaims?: readonly string[] | undefined;
  /** The issuer and "#" when left out, except for the claim "email". */
  readonly usernamePrefix?: string | undefined;
  /** A name, or a path such as "realm_access.roles". */
  readonly groupsClaim?: string | undefined;
  readonly groupsPrefix?: string | undefined;
  readonly requiredClaims?: Readonly<Record<string, ClaimValue>> | undefined;
  /** The keys of `UserInfo.extra` and the claims that they are read from. */
  readonly extraClaims?: Readonly<Record<string, string>> | undefined;
  readonly requireIssuedAt?: boolean | undefined;
  /** Where the keys are; found by discovery when left out. */
  readonly jwksUri?: string | undefined;
  /** Public keys that are accepted whether or not the provider can be reached. */
  readonly staticKeys?: readonly JsonObject[] | undefined;
}

export type ClaimValue = string | number | boolean;

export interface ProviderProblem {
  readonly field: string;
  /** What is wrong and what to do, as the end of a sentence that begins with the field. */
  readonly problem: string;
}

export function providerProblem(provider: OidcProvider): ProviderProblem | undefined {
  return addressProblem(provider) ?? audienceProblem(provider) ?? extraProblem(provider);
}

/** Whether keys may be read from here: https, or loopback where the provider allows it. */
export function isTrustedAddress(url: string, { http }: Pick<OidcProvider, "http">): boolean {
  return isHttps(url) || (http === true && isLoopbackHttp(url));
}

function addressProblem(provider: OidcProvider): ProviderProblem | undefined {
  const { issuer, jwksUri, http } = provider;
  if (!URL.canParse(issuer)) return { field: "issuer", problem: "must be a URL with https" };
  if (http === true && !isLoopbackHttp(issuer)) {
    const problem = "is only for an issuer at http://127.0.0.1 or http://localhost; remove it";
    return { field: "http", problem };
  }
  if (!isTrustedAddress(issuer, provider)) {
    const problem = isLoopbackHttp(issuer)
      ? "is not https; add http: true to trust a provider on this machine"
      : "must be a URL with https; for a private certificate authority, set caFile";
    return { field: "issuer", problem };
  }
  if (jwksUri === undefined || isTrustedAddress(jwksUri, provider)) return undefined;
  return { field: "jwksUri", problem: "must be a URL with https" };
}

function audienceProblem({ audiences, anyAudience }: OidcProvider): ProviderProblem | undefined {
  if (anyAudience === true && audiences.length > 0) {
    const problem = "accepts every token of the issuer; remove it, or remove audiences";
    return { field: "anyAudience", problem };
  }
  if (anyAudience === true || audiences.length > 0) return undefined;
  const problem =
    "is missing: list the audiences of accepted tokens, " +
    "or set anyAudience: true to accept every token of the issuer";
  return { field: "audiences", problem };
}

function extraProblem({ extraClaims = {} }: OidcProvider): ProviderProblem | undefined {
  for (const key of Object.keys(extraClaims)) {
    const problem = keyProblem(key);
    if (problem !== undefined) return { field: `extraClaims.${key}`, problem };
  }
  return undefined;
}

function keyProblem(key: string): string | undefined {
  if (!/^[a-z0-9](?:[-a-z0-9._/]*[a-z0-9])?$/.test(key)) {
    return 'must consist of lower-case letters, digits and "-", "_", "." or "/" between them';
  }
  const [domain = ""] = key.split("/");
  const isReserved = reservedDomains.some((each) => domain === each || domain.endsWith(`.${each}`));
  if (!isReserved && !key.startsWith("authentication.")) return undefined;
  return "is a reserved key; use one without authentication., kubernetes.io, k8s.io, setpoint.dev";
}

const reservedDomains = ["kubernetes.io", "k8s.io", "setpoint.dev"];
