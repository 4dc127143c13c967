// An OpenID provider with which users sign in, and the requests to it. The ID token that it issues
// is checked like every token of the provider: see intents/auth/oidc.ts.

export interface CodeIssuer {
  /** Shown to users, and the value of `issuer` in /console/oidc/start. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Rejects when the provider cannot be reached, or its configuration is not usable. */
  readonly authorizationEndpoint: () => Promise<string>;
  /** The ID token for a code; rejects when the provider refuses it. */
  readonly exchangeCode: (exchange: CodeExchange) => Promise<string>;
}

export interface CodeExchange {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}
