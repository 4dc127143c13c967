// One request to an OpenID provider, with a token if it needs one. Tokens are sent to the origin of
// the issuer only, and no error contains one.

import type { CallJson } from "../../../adapters/http/port.ts";
import { callService, invalidAnswer, refusedCall } from "../../../engine/external/call-service.ts";
import type { ServiceAnswer } from "../../../engine/external/call-service.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { hider } from "../../../kernel/hider.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { oidcLimits } from "../limits.ts";
import { isOfIssuer } from "./registration.ts";

export interface IssuerAccess {
  /** Of the OidcIssuer. */
  readonly resourceName: string;
  readonly issuer: string;
  readonly ca: string | undefined;
}

export interface ProviderRequest {
  readonly method: string;
  readonly url: string;
  readonly token?: string | undefined;
  readonly body?: Json;
  /** Not to be shown, in addition to the token. */
  readonly secrets?: readonly string[];
}

/** For people. */
export function serviceOf(resourceName: string): string {
  return `the provider of the OidcIssuer ${resourceName}`;
}

/** The answer is a success, or has one of the other statuses that the caller accepts. */
export async function callProvider(
  { callJson, context, access }: ProviderPorts,
  request: ProviderRequest,
  accepted: readonly number[] = [],
): Promise<ServiceAnswer> {
  const { resourceName, issuer, ca } = access;
  const { method, url, token, body } = request;
  const service = serviceOf(resourceName);
  // Discovery and registration have checked it; stored answers are checked again.
  if (!isOfIssuer(url, issuer)) throw invalidAnswer(service, "a URL of the issuer");
  const answer = await callService(context, {
    system: `oidc-issuer/${resourceName}`,
    service,
    send: (signal) =>
      callJson({
        method,
        url: new URL(url),
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
        ca,
        timeoutMs: oidcLimits.callTimeoutMs,
        maxBytes: oidcLimits.maxAnswerBytes,
        signal,
      }),
  });
  const { status } = answer;
  if ((status >= 200 && status < 300) || accepted.includes(status)) return answer;
  throw refusedCall(service, status, shownError(answer, request));
}

export interface ProviderPorts {
  readonly callJson: CallJson;
  readonly context: Pick<Context, "outside" | "clock">;
  readonly access: IssuerAccess;
}

function shownError({ json }: ServiceAnswer, { token, secrets = [] }: ProviderRequest): string {
  const hide = hider([...(token === undefined ? [] : [token]), ...secrets]);
  const said = [textAt(json, "error"), textAt(json, "error_description")];
  return hide(said.filter((text) => text !== "").join(": "));
}
