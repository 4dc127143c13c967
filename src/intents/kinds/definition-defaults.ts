// What a definition says without saying it. Defaults are filled in when a definition is written and
// when it is read, so that older ones look alike.

import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { hasObject, listAt, objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { specOf, statusOf } from "./definition-parts.ts";
import { grownStoredVersions } from "./definition-stored-versions.ts";

/** The same definition with defaults; what is already complete is shared, not copied. */
export function defaultDefinition<T extends JsonObject>(definition: T): T {
  const spec = specOf(definition);
  const { preserveUnknownFields: isLoose, ...rest } = spec;
  // The deprecated field is not shown unless it is true, which is refused later.
  const loose =
    isLoose === undefined || isLoose === false ? {} : { preserveUnknownFields: isLoose };
  return {
    ...definition,
    spec: {
      ...rest,
      ...loose,
      names: defaultNames(objectAt(spec, "names")),
      conversion: defaultConversion(spec),
    },
    status: defaultStatus(definition),
  };
}

function defaultNames(names: JsonObject): JsonObject {
  const kind = textAt(names, "kind");
  const isBare = textAt(names, "listKind") === "" && kind !== "";
  return {
    ...names,
    ...(textAt(names, "singular") === "" ? { singular: kind.toLowerCase() } : {}),
    ...(isBare ? { listKind: `${kind}List` } : {}),
  };
}

function defaultConversion(spec: JsonObject): JsonObject {
  if (!hasObject(spec, "conversion")) return { strategy: "None" };
  const conversion = objectAt(spec, "conversion");
  const webhook = objectAt(conversion, "webhook");
  const clientConfig = objectAt(webhook, "clientConfig");
  const service = getOwn(clientConfig, "service");
  if (!isJsonObject(service) || typeof getOwn(service, "port") === "number") return conversion;
  const whole = { ...service, port: 443 };
  return {
    ...conversion,
    webhook: { ...webhook, clientConfig: { ...clientConfig, service: whole } },
  };
}

/** Clients expect the three fields of a status to be there, be they empty. */
function defaultStatus(definition: JsonObject): JsonObject {
  const status = statusOf(definition);
  const names = { plural: "", kind: "", ...objectAt(status, "acceptedNames") };
  const stored = textsAt(status, "storedVersions");
  return {
    ...status,
    conditions: listAt(status, "conditions"),
    acceptedNames: names,
    storedVersions: stored.length > 0 ? stored : grownStoredVersions(definition),
  };
}
