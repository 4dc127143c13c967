// All discovery documents of one generation of the registry. Each is encoded when it is first asked
// for and kept as bytes; a changed registry makes a new set and leaves this one to those using it.

import { aggregatedDiscovery, aggregatedType } from "./aggregated-discovery.ts";
import type { AggregatedVersion } from "./aggregated-discovery.ts";
import { encodedJson, once } from "./encoded-document.ts";
import type { EncodedDocument } from "./encoded-document.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./plain-discovery.ts";
import { servedGroups } from "./served-groups.ts";
import type { ServedGroup, ServedInput } from "./served-groups.ts";

export type DiscoveryForm = "plain" | AggregatedVersion;

export interface Discovery {
  readonly groups: readonly ServedGroup[];
  /** GET /api. */
  readonly api: (form: DiscoveryForm) => EncodedDocument;
  /** GET /apis. */
  readonly apis: (form: DiscoveryForm) => EncodedDocument;
  /** GET /apis/GROUP; undefined when there is no such group. */
  readonly group: (name: string) => EncodedDocument | undefined;
  /** GET /api/VERSION with an empty group, or GET /apis/GROUP/VERSION. */
  readonly resources: (group: string, version: string) => EncodedDocument | undefined;
}

export interface DiscoveryInput extends ServedInput {
  /** Host and port at which clients reach the server, as in "10.0.0.1:6443". */
  readonly serverAddress: string;
}

export function discoveryOf(input: DiscoveryInput): Discovery {
  const groups = servedGroups(input);
  const core = groups.filter((group) => group.name === "");
  const named = groups.filter((group) => group.name !== "");
  const groupDocuments = new Map(
    named.map((group) => [group.name, once(() => encodedJson(apiGroup(group)))]),
  );
  const versions = groups.flatMap((group) => group.versions);
  const resourceDocuments = new Map(
    versions.map((version) => [
      `${version.group}/${version.name}`,
      once(() => encodedJson(apiResourceList(version))),
    ]),
  );
  return {
    groups,
    api: forms(
      core,
      once(() => encodedJson(apiVersions(groups, input.serverAddress))),
    ),
    apis: forms(
      named,
      once(() => encodedJson(apiGroupList(groups))),
    ),
    group: (name) => groupDocuments.get(name)?.(),
    resources: (group, version) => resourceDocuments.get(`${group}/${version}`)?.(),
  };
}

function forms(
  groups: readonly ServedGroup[],
  plain: () => EncodedDocument,
): (form: DiscoveryForm) => EncodedDocument {
  const aggregated = (version: AggregatedVersion): EncodedDocument =>
    encodedJson(aggregatedDiscovery(groups, version), aggregatedType(version));
  const made = {
    plain,
    v2: once(() => aggregated("v2")),
    v2beta1: once(() => aggregated("v2beta1")),
  };
  return (form) => made[form]();
}
