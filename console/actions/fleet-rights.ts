// Who is an administrator of the server. Members of an organisation may update their instances, and
// only administrators may change more than parameters, type and owner. The server decides; this
// keeps the actions from looking usable.

import { session } from "../api/session.ts";

const mastersGroup = "system:masters";

export function administratorsOnly(): string | undefined {
  const { value } = session;
  if (value.kind !== "signed-in" || value.session.groups.includes(mastersGroup)) return undefined;
  return "Only administrators of the server may do this.";
}
