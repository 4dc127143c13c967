// Definitions of kinds: names that follow from the kind, no conversion unless asked for, and the
// list of versions that objects may be stored in. Whether a definition is sound is judged where
// definitions are compiled.

import type { JsonObject } from "../../kernel/json.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withDefaults, withField, withInner, withOld } from "./parts.ts";
import type { KindRules } from "./rules.ts";
import { withPort } from "./rules-webhooks.ts";

export const definitionRules: KindRules = {
  needsRevision: true,
  keepsStatusOnCreate: true,
  defaulting(definition) {
    const spec = withInner(definition, "spec", defaultedSpec);
    const hasStored = textsAt(spec, "status", "storedVersions").length > 0;
    return hasStored ? spec : withStoredVersion(spec, objectAt(spec, "status"));
  },
  prepareForCreate: (definition) => withStoredVersion(definition, {}),
  prepareForUpdate(definition, old, subresource) {
    if (subresource === "status") return withOld(definition, old, "spec");
    return withStoredVersion(definition, objectAt(old, "status"));
  },
};

function defaultedSpec(spec: JsonObject): JsonObject {
  const kind = textAt(spec, "names", "kind");
  const derived: JsonObject =
    kind === "" ? {} : { singular: kind.toLowerCase(), listKind: `${kind}List` };
  const names = withDefaults(objectAt(spec, "names"), derived);
  const named = valueAt(spec, "names") === undefined ? spec : withField(spec, "names", names);
  const converted = withDefaults(named, { conversion: { strategy: "None" } });
  return withInner(converted, "conversion", (conversion) =>
    withInner(conversion, "webhook", (webhook) => withInner(webhook, "clientConfig", withPort)),
  );
}

/** The stored version joins those that objects may already be stored in. */
function withStoredVersion(definition: Resource, status: JsonObject): Resource {
  const version = listAt(definition, "spec", "versions").find(
    (one) => valueAt(one, "storage") === true,
  );
  const name = textAt(version, "name");
  const stored = textsAt(status, "storedVersions");
  if (name === "" || stored.includes(name)) return withField(definition, "status", status);
  return withField(definition, "status", { ...status, storedVersions: [...stored, name] });
}
