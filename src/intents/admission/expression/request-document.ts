// The request as webhooks and expressions see it: who wants to do what with which resource. Empty
// texts are left out, as everywhere in the API.

import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { UserInfo } from "../../auth/user.ts";
import type { Found } from "../../kinds/registry.ts";
import type { AdmissionRequest } from "../admission.ts";
import { nameOf, namespaceOf } from "../attributes.ts";

/** `found` is the kind and version in which the request is shown. */
export function requestDocument(request: AdmissionRequest, found: Found): JsonObject {
  const { target, operation, caller } = request;
  const document: MutableJsonObject = {
    kind: kindOf(found),
    resource: resourceOf(found),
  };
  setText(document, "subResource", target.subresource);
  document["requestKind"] = kindOf(target);
  document["requestResource"] = resourceOf(target);
  setText(document, "requestSubResource", target.subresource);
  setText(document, "name", nameOf(request));
  setText(document, "namespace", namespaceOf(request));
  document["operation"] = operation;
  document["userInfo"] = userDocument(caller.user);
  return document;
}

export function userDocument({ name, uid, groups, extra }: UserInfo): JsonObject {
  const document: MutableJsonObject = {};
  setText(document, "username", name);
  setText(document, "uid", uid ?? "");
  if (groups.length > 0) document["groups"] = [...groups];
  const entries = Object.entries(extra).map(([key, values]) => [key, [...values]] as const);
  if (entries.length > 0) document["extra"] = Object.fromEntries(entries);
  return document;
}

function kindOf({ served, version }: Found): JsonObject {
  const { group, names } = served.kind;
  return { group, version: version.name, kind: names.kind };
}

function resourceOf({ served, version }: Found): JsonObject {
  const { group, names } = served.kind;
  return { group, version: version.name, resource: names.plural };
}

function setText(document: MutableJsonObject, key: string, text: string): void {
  if (text !== "") document[key] = text;
}
