// An instance as the public API shows it. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Offering } from "../offering.ts";
import { instanceHref } from "./hrefs.ts";
import { shownPhase } from "./shown-phase.ts";

/** Fields without a value are left out. */
export function presentInstance(offering: Offering, resource: Resource): JsonObject {
  const { metadata, spec, status } = resource;
  const id = textAt(spec, "id");
  const { name, creationTimestamp, deletionTimestamp } = metadata;
  const parameters = presentObjectAt(spec, "parameters");
  return {
    id,
    kind: `${offering.instances.kind}Request`,
    href: instanceHref(offering, id),
    status: shownPhase(textAt(status, "phase"), deletionTimestamp !== undefined),
    cloud_provider: textAt(spec, "cloudProvider"),
    multi_az: isTrueAt(spec, "multiAz"),
    region: textAt(spec, "region"),
    owner: textAt(spec, "owner"),
    name,
    ...present("host", shownHost(resource)),
    created_at: creationTimestamp,
    updated_at: textAt(status, "updatedAt") || creationTimestamp,
    ...present("failed_reason", textAt(status, "failedReason")),
    ...present("version", textAt(status, "actualVersions", "product")),
    instance_type: textAt(spec, "type"),
    ...present("expires_at", textAt(spec, "expiresAt")),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

/** Before its routes exist, a lookup of the host would be remembered as a failure by resolvers. */
function shownHost({ status }: Resource): string {
  return isTrueAt(status, "routesCreated") ? textAt(status, "host") : "";
}

function present(key: string, text: string): JsonObject {
  return text === "" ? {} : { [key]: text };
}
