// A push that a git host announces. It is a hint: its only effect is that sources with this URL are
// compared with their repository now. Pure: the route reads the bytes and the secrets.

export const webhookProviders = [
  "GitHub",
  "GitLab",
  "Gitea",
  "Bitbucket",
  "BitbucketServer",
] as const;
export type WebhookProvider = (typeof webhookProviders)[number];

export interface WebhookDelivery {
  readonly provider: WebhookProvider;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type WebhookDecision =
  | {
      readonly kind: "push";
      /** Each form in which the host names the repository. */
      readonly urls: readonly string[];
      /** Full names. Empty: unknown, so all. */
      readonly refs: readonly string[];
    }
  /** Correctly signed, and nothing to do: a ping or another event. */
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly result: "unsigned" | "invalid" };

/** Compares in constant time with the secrets of all deployments that the URL is for. */
export type DecideWebhook = (
  delivery: WebhookDelivery,
  secrets: readonly string[],
) => WebhookDecision;
