// Who sends a request. Credentials are tried in a fixed order and the first that is good wins; a
// request with credentials of which none is good is refused, even where requests without any are
// let in as anonymous. The message of the error is the one that Kubernetes defines; its details
// state the reason (refusal.ts).

import { limits } from "../../kernel/limits.ts";
import { noCredentials, refusalOf, unauthenticated, unclaimedToken } from "./refusal.ts";
import type { Refusal } from "./refusal.ts";
import { headerValues } from "./request-facts.ts";
import type { PeerCertificate, RequestFacts } from "./request-facts.ts";
import type { TokenAuthenticator, TokenUser } from "./token-authenticator.ts";
import {
  anonymousName,
  anonymousUser,
  authenticatedGroup,
  credentialIdKey,
  unauthenticatedGroup,
} from "./user.ts";
import type { UserInfo } from "./user.ts";

export interface Authentication {
  /** Throws request.unauthenticated. */
  authenticate(request: RequestFacts): Promise<UserInfo>;
  authenticateToken(token: string, audiences: readonly string[]): Promise<TokenOutcome>;
}

export type TokenOutcome =
  | ({ readonly kind: "known" } & TokenUser)
  | {
      readonly kind: "unknown";
      /** For TokenReview, in the format of Kubernetes. */
      readonly error: string;
      readonly refusal: Refusal;
    };

export interface AuthenticationOptions {
  /** Tried in this order. */
  readonly tokens: readonly TokenAuthenticator[];
  readonly apiAudiences: readonly string[];
  readonly isAnonymousAllowed: boolean;
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { tokens, apiAudiences, isAnonymousAllowed } = options;
  const authenticateToken = (token: string, audiences: readonly string[]): Promise<TokenOutcome> =>
    tryTokens(tokens, token, audiences);
  return {
    authenticateToken,
    authenticate: async ({ headers, peerCertificate }) => {
      if (peerCertificate !== undefined && peerCertificate.commonName !== "") {
        return withAuthenticated(certificateUser(peerCertificate));
      }
      const [header = ""] = headerValues(headers, "authorization");
      const token = bearerTokenIn(header);
      if (token === undefined) {
        if (isAnonymousAllowed) return anonymousUser;
        throw unauthenticated(noCredentials);
      }
      const outcome = await authenticateToken(token, apiAudiences);
      if (outcome.kind === "known") return outcome.user;
      throw unauthenticated(outcome.refusal);
    },
  };
}

/** Everybody whose credentials are good is in the group of all who are. */
function withAuthenticated(user: UserInfo): UserInfo {
  const { name, groups } = user;
  if (name === anonymousName || groups.includes(authenticatedGroup)) return user;
  if (groups.includes(unauthenticatedGroup)) return user;
  return { ...user, groups: [...groups, authenticatedGroup] };
}

async function tryTokens(
  authenticators: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[],
): Promise<TokenOutcome> {
  const refusals: Refusal[] = [];
  const isReadable = token.length <= limits.maxTokenChars;
  for (const authenticator of isReadable ? authenticators : []) {
    try {
      const found = await authenticator(token, audiences);
      if (found !== undefined) {
        return { kind: "known", ...found, user: withAuthenticated(found.user) };
      }
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      refusals.push(refusal);
    }
  }
  const errors = new Set(["invalid bearer token", ...refusals.map(({ reason }) => reason)]);
  const error = errors.size === 1 ? [...errors].join("") : `[${[...errors].join(", ")}]`;
  const [refusal = unclaimedToken(token)] = refusals;
  return { kind: "unknown", error, refusal };
}

/**
 * A bearer token, or the password of Basic authentication (RFC 7617), for clients such as Terraform
 * that have no other way; its user name does not matter. Anything else counts as no credentials, as
 * does an empty token.
 */
export function bearerTokenIn(header: string): string | undefined {
  const [scheme = "", given = ""] = header.trim().split(" ", 2);
  const token = scheme.toLowerCase() === "basic" ? passwordIn(given) : given;
  const isKnown = ["bearer", "basic"].includes(scheme.toLowerCase());
  return isKnown && token !== "" ? token : undefined;
}

function passwordIn(credentials: string): string {
  const text = Buffer.from(credentials, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? "" : text.slice(colon + 1);
}

function certificateUser({ commonName, organizations, sha256 }: PeerCertificate): UserInfo {
  const extra = { [credentialIdKey]: [`X509SHA256=${sha256}`] };
  return { name: commonName, groups: organizations, extra };
}
