// How a quota service is reached: `spec.quota.http` of an Offering, with its defaults. Pure.

import type { SecretKeyReference } from "../../../engine/external/secret-key.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Offering } from "../offering.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface QuotaServiceSettings {
  /** The base of all requests, without a slash at its end. */
  readonly url: string;
  /** A bearer token; undefined: none is sent. */
  readonly token: SecretKeyReference | undefined;
  /** For one request. */
  readonly timeoutMs: number;
  /** What a creation does when the service cannot be asked. */
  readonly onOutage: "refuse" | "withoutQuota";
}

/** Undefined when the Offering names no service. */
export function quotaServiceOf({
  quota,
}: Pick<Offering, "quota">): QuotaServiceSettings | undefined {
  const { http } = quota;
  if (http === undefined) return undefined;
  return {
    url: withoutTrailing(textAt(http, "url"), "/"),
    token: tokenOf(presentObjectAt(http, "token")),
    timeoutMs: (numberAt(http, "timeoutSeconds") ?? 5) * 1_000,
    onOutage: textAt(http, "onOutage") === "withoutQuota" ? "withoutQuota" : "refuse",
  };
}

function tokenOf(token: JsonObject | undefined): SecretKeyReference | undefined {
  if (token === undefined) return undefined;
  const part = (name: string): string => textAt(objectAt(token), name);
  return { namespace: part("namespace"), name: part("name"), key: part("key") };
}
