// The Organisations of the live view. Each is read when it is first asked for after a change: one
// may have thousands of members, and most are not used at any moment.

import type { LiveRecord, LiveView } from "../../../intents/live-view.ts";
import { organisationKey } from "../names.ts";
import { readOrganisation } from "./organisation.ts";
import type { Organisation } from "./organisation.ts";

export interface OrganisationIndex {
  get(id: string): Organisation | undefined;
}

export function organisationsIn(live: Pick<LiveView, "get">): OrganisationIndex {
  const read = new WeakMap<LiveRecord, Organisation>();
  return {
    get: (id) => {
      const record = live.get(organisationKey(id));
      if (record === undefined) return undefined;
      const known = read.get(record);
      if (known !== undefined) return known;
      const organisation = readOrganisation(record.resource);
      read.set(record, organisation);
      return organisation;
    },
  };
}
