// TokenRequest: a new token for a service account, for named audiences and a limited time, bound to
// a Secret if asked for. What is not named is filled in, and the answer shows what was used.

import type { Clock } from "../../kernel/clock.ts";
import { timeText } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { formatFieldErrors } from "../../kernel/field-error-text.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { BoundObject, TokenLookup, TokenSigner } from "./service-account-token.ts";

export interface TokenRequestOptions {
  /** Decoded TokenRequest of authentication.k8s.io/v1. */
  readonly request: JsonObject;
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly lookup: Pick<TokenLookup, "secret">;
  readonly signer: TokenSigner;
  readonly apiAudiences: readonly string[];
  /** Longer requests are shortened, with a warning. */
  readonly maxExpirationSeconds?: number | undefined;
  readonly clock: Clock;
}

export interface IssuedToken {
  readonly object: JsonObject;
  /** For the Warning header. */
  readonly warnings: readonly string[];
}

const defaultExpirationSeconds = 3_600;

export async function issueToken(options: TokenRequestOptions): Promise<IssuedToken> {
  const { request, namespace, serviceAccount, lookup, signer, clock } = options;
  checkNames(objectAt(request, "metadata"), namespace, serviceAccount);
  const spec = objectAt(request, "spec");
  const named = textsAt(spec, "audiences");
  const audiences = named.length === 0 ? options.apiAudiences : named;
  const asked = getOwn(spec, "expirationSeconds") ?? defaultExpirationSeconds;
  const seconds = typeof asked === "number" ? asked : 0;
  checkExpiration(seconds);
  const ref = getOwn(spec, "boundObjectRef");
  const bound = isJsonObject(ref) ? await boundSecret(ref, namespace, lookup) : undefined;
  const most = options.maxExpirationSeconds ?? seconds;
  const expirationSeconds = Math.min(seconds, most);
  const nowMs = clock.nowMs();
  const token = await signer.sign({
    namespace,
    serviceAccount,
    secret: bound,
    audiences,
    issuedAtMs: nowMs,
    expirationSeconds,
  });
  const object = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      ...objectAt(request, "metadata"),
      name: serviceAccount.name,
      namespace,
      uid: serviceAccount.uid,
      creationTimestamp: timeText(nowMs),
    },
    spec: { ...spec, audiences, expirationSeconds, boundObjectRef: ref ?? null },
    status: { token, expirationTimestamp: timeText(nowMs + expirationSeconds * 1_000) },
  };
  const shortened = `requested expiration of ${seconds} seconds shortened to ${most} seconds`;
  return { object, warnings: most < seconds ? [shortened] : [] };
}

function checkNames(metadata: JsonObject, namespace: string, { name, uid }: BoundObject): void {
  const [ownName, ownNamespace] = [textAt(metadata, "name"), textAt(metadata, "namespace")];
  if (ownName !== "" && ownName !== name) {
    const detail = "must match the service account name if specified";
    throw invalid(name, [invalidField("metadata.name", ownName, detail)]);
  }
  if (ownNamespace !== "" && ownNamespace !== namespace) {
    const detail = "must match the service account namespace if specified";
    throw invalid(name, [invalidField("metadata.namespace", ownNamespace, detail)]);
  }
  const ownUid = textAt(metadata, "uid");
  if (ownUid === "" || ownUid === uid) return;
  const message =
    "Operation cannot be fulfilled on TokenRequest.authentication.k8s.io " +
    `${JSON.stringify(name)}: the UID in the token request (${ownUid}) does not match ` +
    `the UID of the service account (${uid})`;
  throw new SetpointError("resource.conflict", message, {
    details: { group: "authentication.k8s.io", resource: "TokenRequest", name },
  });
}

function checkExpiration(seconds: number): void {
  const field = "spec.expirationSeconds";
  if (seconds < 600) {
    const detail = "may not specify a duration less than 10 minutes";
    throw invalid("", [invalidField(field, seconds, detail)]);
  }
  if (seconds > 2 ** 32) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    throw invalid("", [invalidField(field, seconds, detail)]);
  }
}

async function boundSecret(
  ref: JsonObject,
  namespace: string,
  lookup: Pick<TokenLookup, "secret">,
): Promise<BoundObject> {
  const [apiVersion, kind] = [textAt(ref, "apiVersion"), textAt(ref, "kind")];
  const [name, uid] = [textAt(ref, "name"), textAt(ref, "uid")];
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  if (group !== "" || kind !== "Secret") {
    const type = `${group}/${apiVersion.slice(slash + 1)}, Kind=${kind}`;
    throw new SetpointError("request.invalid", `cannot bind token to object of type ${type}`);
  }
  const secret = await lookup.secret(namespace, name);
  if (secret === undefined) {
    throw new SetpointError("resource.not_found", `secrets ${JSON.stringify(name)} not found`, {
      details: { group: "", resource: "secrets", name },
    });
  }
  if (uid === "" || uid === secret.uid) return { name, uid: secret.uid };
  const message =
    `Operation cannot be fulfilled on ${kind} ${JSON.stringify(name)}: the UID in the bound ` +
    `object reference (${uid}) does not match the UID in record. The object might have been ` +
    "deleted and then recreated";
  throw new SetpointError("resource.conflict", message, {
    details: { group: "", resource: kind, name },
  });
}

function invalid(name: string, errors: readonly FieldError[]): SetpointError {
  const what = `TokenRequest.authentication.k8s.io ${JSON.stringify(name)} is invalid`;
  return new SetpointError("resource.invalid", `${what}: ${formatFieldErrors(errors)}`, {
    details: {
      group: "authentication.k8s.io",
      kind: "TokenRequest",
      name,
    },
  });
}
