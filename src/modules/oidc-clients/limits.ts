// Every bound that the module keeps.

export const oidcLimits = {
  /** Of one client. */
  maxRedirectUris: 50,
  maxScopes: 50,
  /** Characters of one redirect URI. */
  maxUriChars: 2_048,
  /** Characters of a client_id, a client_secret or a token that a provider issues. */
  maxIssuedChars: 4_096,
  /** Bytes of an answer of the provider. */
  maxAnswerBytes: 262_144,
  /** How long the provider may take for one request. */
  callTimeoutMs: 10_000,
  /** How often a client is compared with the provider, unless its issuer states it. */
  resyncSeconds: 600,
} as const;
