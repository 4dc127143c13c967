// The metadata of a client (RFC 7591) that an OidcClient wants, and how it differs from what a
// provider returned. A provider may leave out what it does not store; that is not a difference.

import type { JsonObject } from "../../../kernel/json.ts";
import { listAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface ClientMetadata {
  readonly clientName: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
}

export function metadataOf(client: Resource): ClientMetadata {
  const grantTypes = textsAt(client, "spec", "grantTypes");
  return {
    clientName: textAt(client, "spec", "clientName"),
    redirectUris: textsAt(client, "spec", "redirectUris"),
    grantTypes: grantTypes.length === 0 ? ["authorization_code"] : grantTypes,
    scopes: textsAt(client, "spec", "scopes"),
  };
}

/** As it is sent. */
export function metadataJson(metadata: ClientMetadata, softwareId: string): JsonObject {
  const { clientName, redirectUris, grantTypes, scopes } = metadata;
  return {
    client_name: clientName,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: grantTypes.includes("authorization_code") ? ["code"] : [],
    token_endpoint_auth_method: "client_secret_basic",
    software_id: softwareId,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
  };
}

/** The names of the fields that differ from what was sent. */
export function differingFields(wanted: ClientMetadata, returned: JsonObject): readonly string[] {
  const differing: string[] = [];
  if (hasOther(returned, "client_name", wanted.clientName)) differing.push("client_name");
  for (const [field, values] of [
    ["redirect_uris", wanted.redirectUris],
    ["grant_types", wanted.grantTypes],
  ] as const) {
    if (valueAt(returned, field) === undefined) continue;
    if (!isSameSet(textsAt(returned, field), values, listAt(returned, field).length)) {
      differing.push(field);
    }
  }
  const scope = valueAt(returned, "scope");
  const scopes = textAt(returned, "scope").split(" ").filter(isText);
  const isScopeSame = scope === undefined || isSameSet(scopes, wanted.scopes, scopes.length);
  // A client without scopes gets those that the provider chooses.
  if (wanted.scopes.length > 0 && !isScopeSame) differing.push("scope");
  return differing;
}

function hasOther(returned: JsonObject, field: string, wanted: string): boolean {
  const value = valueAt(returned, field);
  return value !== undefined && value !== wanted;
}

function isSameSet(one: readonly string[], other: readonly string[], length: number): boolean {
  const wanted = new Set(other);
  const found = new Set(one);
  return length === wanted.size && found.size === wanted.size && one.every((x) => wanted.has(x));
}

function isText(text: string): boolean {
  return text !== "";
}
