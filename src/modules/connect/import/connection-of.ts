// The Connection that a document suggests: where the service is and how it wants to know who asks.
// The Secret that it names is for a person to make; no document knows what is in it.

import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Documents } from "../document/load.ts";
import { rootOf } from "../document/place.ts";
import { basePathOf } from "./operations.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export function connectionOf(documents: Documents, name: string, baseUrl: string): JsonObject {
  const auth = authOf(documents, name);
  return {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "Connection",
    metadata: { name },
    spec: {
      baseUrl: baseUrlFor(documents, baseUrl),
      ...(auth === undefined ? {} : { secretNamespace: "default", auth }),
    },
  };
}

/** The base path of the document belongs to it, unless the address given has a path already. */
export function baseUrlFor(documents: Documents, baseUrl: string): string {
  const bare = withoutTrailing(baseUrl, "/");
  const isBare = /^https?:\/\/[^/]+$/i.test(bare);
  return isBare ? `${bare}${basePathOf(documents)}` : bare;
}

/** The first way that we know, among those that the whole document asks for. */
function authOf(documents: Documents, name: string): JsonObject | undefined {
  const { node } = rootOf(documents);
  const schemes = {
    ...objectAt(node, "securityDefinitions"),
    ...objectAt(node, "components", "securitySchemes"),
  };
  for (const scheme of Object.values(schemes)) {
    const auth = isJsonObject(scheme) ? authBy(scheme, name) : undefined;
    if (auth !== undefined) return auth;
  }
  return undefined;
}

function authBy(scheme: JsonObject, secret: string): JsonObject | undefined {
  const type = textAt(scheme, "type");
  const how = textAt(scheme, "scheme").toLowerCase();
  if (type === "basic" || (type === "http" && how === "basic")) return { kind: "basic", secret };
  if (type === "http" && how === "bearer") return { kind: "bearer", secret };
  if (type === "apiKey") {
    const where = textAt(scheme, "in");
    if (where !== "header" && where !== "query") return undefined;
    return { kind: "apiKey", secret, in: where, name: textAt(scheme, "name") };
  }
  if (type !== "oauth2") return undefined;
  const flow = objectAt(scheme, "flows", "clientCredentials");
  const tokenUrl = textAt(flow, "tokenUrl") || textAt(scheme, "tokenUrl");
  const isOurs = valueAt(scheme, "flow") === "application" || Object.keys(flow).length > 0;
  return isOurs && tokenUrl !== ""
    ? { kind: "oauth", secret, tokenUrl }
    : { kind: "bearer", secret };
}
