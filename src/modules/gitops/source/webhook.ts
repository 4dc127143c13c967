// A push that a git host announces. It is a hint: its only effect is that sources with this URL are
// compared with their repository now. Pure: the route reads the bytes and the secret.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isSetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { parseJson } from "../../../kernel/strict-json.ts";
import { gitopsLimits } from "../limits.ts";

export const webhookProviders = [
  "GitHub",
  "GitLab",
  "Gitea",
  "Bitbucket",
  "BitbucketServer",
] as const;
export type WebhookProvider = (typeof webhookProviders)[number];

export const webhookTemplate = "/api/v1/gitops/webhooks/{namespace}/{name}";

export function webhookPath({ metadata: { namespace = "", name } }: Resource): string {
  return webhookTemplate.replace("{namespace}", namespace).replace("{name}", name);
}

export interface WebhookDelivery {
  readonly provider: WebhookProvider;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookDecision =
  | {
      readonly kind: "push";
      /** Each form in which the host names the repository. */
      readonly urls: readonly string[];
      /** Full names. Empty: unknown, so all. */
      readonly refs: readonly string[];
    }
  /** A push that is too long to be parsed: about the repository of the deployment, and any ref. */
  | { readonly kind: "long" }
  /** Correctly signed, and nothing to do: a ping or another event. */
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly result: "unsigned" | "invalid" };

/** The headers that a delivery can have, for the documents of the route. */
export const webhookHeaders: Readonly<Record<string, string>> = {
  "x-hub-signature-256": "GitHub: sha256=HEX, the HMAC of the body.",
  "x-github-event": "GitHub: the event.",
  "x-gitlab-token": "GitLab: the secret.",
  "x-gitlab-event": "GitLab: the event.",
  "x-gitea-signature": "Gitea: HEX, the HMAC of the body.",
  "x-gitea-event": "Gitea: the event.",
  "x-hub-signature": "Bitbucket: sha256=HEX, the HMAC of the body.",
  "x-event-key": "Bitbucket: the event.",
  "content-type": "JSON, or a form with the field payload.",
};

interface Provider {
  /** Header of the signature or of the token. */
  readonly proof: string;
  readonly expected: (body: string, secret: string) => string;
  readonly event: string;
  /** Events about refs. */
  readonly pushes: ReadonlySet<string>;
  readonly read: (payload: JsonObject) => Pick<WebhookDecision & { kind: "push" }, "urls" | "refs">;
}

function hmac(body: string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

const prefixed = (body: string, secret: string): string => `sha256=${hmac(body, secret)}`;

const providers: Readonly<Record<WebhookProvider, Provider>> = {
  GitHub: {
    proof: "x-hub-signature-256",
    expected: prefixed,
    event: "x-github-event",
    pushes: new Set(["push", "create", "delete"]),
    read: (payload) => ({
      urls: textsIn(objectAt(payload, "repository"), ["clone_url", "ssh_url", "html_url"]),
      refs: fullRefs(textAt(payload, "ref")),
    }),
  },
  GitLab: {
    proof: "x-gitlab-token",
    expected: (_body, secret) => secret,
    event: "x-gitlab-event",
    pushes: new Set(["Push Hook", "Tag Push Hook", "System Hook"]),
    read: (payload) => ({
      urls: textsIn(objectAt(payload, "project"), ["git_http_url", "git_ssh_url", "web_url"]),
      refs: fullRefs(textAt(payload, "ref")),
    }),
  },
  Gitea: {
    proof: "x-gitea-signature",
    expected: hmac,
    event: "x-gitea-event",
    pushes: new Set(["push", "create", "delete"]),
    read: (payload) => ({
      urls: textsIn(objectAt(payload, "repository"), ["clone_url", "ssh_url", "html_url"]),
      refs: fullRefs(textAt(payload, "ref")),
    }),
  },
  Bitbucket: {
    proof: "x-hub-signature",
    expected: prefixed,
    event: "x-event-key",
    pushes: new Set(["repo:push"]),
    read: (payload) => ({
      urls: textsIn(objectAt(payload, "repository", "links", "html"), ["href"]),
      refs: objectsAt(payload, "push", "changes").flatMap((change) => {
        const at = [objectAt(change, "new"), objectAt(change, "old")].find(
          (each) => "name" in each,
        );
        const folder = textAt(at, "type") === "tag" ? "tags" : "heads";
        return at === undefined ? [] : [`refs/${folder}/${textAt(at, "name")}`];
      }),
    }),
  },
  BitbucketServer: {
    proof: "x-hub-signature",
    expected: prefixed,
    event: "x-event-key",
    pushes: new Set(["repo:refs_changed", "mirror:repo_synchronized"]),
    read: (payload) => ({
      urls: objectsAt(payload, "repository", "links", "clone").map((link) => textAt(link, "href")),
      refs: objectsAt(payload, "changes").map((change) => textAt(change, "ref", "id")),
    }),
  },
};

/** Without a secret every delivery is refused, after the same work. */
export function decideWebhook(
  { provider, headers, body }: WebhookDelivery,
  secret: string,
): WebhookDecision {
  const { proof, expected, event, pushes, read } = providers[provider];
  const given = headers[proof] ?? "";
  const isProven = isEqual(given, expected(body, secret === "" ? "none" : secret));
  if (given === "" || secret === "" || !isProven) return { kind: "refused", result: "unsigned" };
  if (!pushes.has(headers[event] ?? "")) return { kind: "ignored" };
  if (body.length > gitopsLimits.maxParsedWebhookChars) return { kind: "long" };
  const payload = payloadOf(body, headers["content-type"] ?? "");
  if (payload === undefined) return { kind: "refused", result: "invalid" };
  const { urls, refs } = read(payload);
  // One ref that cannot be read means that any can have moved.
  const isKnown = refs.length > 0 && refs.every((ref) => ref.startsWith("refs/"));
  return { kind: "push", urls: urls.filter((url) => url !== ""), refs: isKnown ? refs : [] };
}

/** Whether a source, whose revision has a short or a full name, is one of these refs. */
export function concerns(refs: readonly string[], targetRevision: string): boolean {
  // HEAD can be any branch.
  if (refs.length === 0 || targetRevision === "") return true;
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(targetRevision)) return false;
  return refs.some((ref) =>
    [ref, ref.replace(/^refs\/(?:heads|tags)\//, "")].includes(targetRevision),
  );
}

/** In constant time, also for texts of different lengths. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function payloadOf(body: string, contentType: string): JsonObject | undefined {
  const isForm = contentType.startsWith("application/x-www-form-urlencoded");
  const text = isForm ? (new URLSearchParams(body).get("payload") ?? "") : body;
  try {
    const { value } = parseJson(text, { strict: false });
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // Signed, and not JSON: the host is configured for another format.
    if (isSetpointError(error)) return undefined;
    throw error;
  }
}

function textsIn(object: JsonObject, names: readonly string[]): readonly string[] {
  return names.map((name) => textAt(object, name));
}

/** Events of created branches have a short name, which can be a branch or a tag. */
function fullRefs(ref: string): readonly string[] {
  return ref === "" ? [] : [ref];
}
