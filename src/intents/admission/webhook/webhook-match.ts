// Whether a webhook whose rules fit is asked about this very object: selectors, then conditions.

import { timedPauses } from "../../../kernel/pauses.ts";
import { inTurns } from "../../../kernel/sliced.ts";
import type { Authorizer } from "../../auth/policy.ts";
import type { LiveView } from "../../live-view.ts";
import type { AdmissionRequest } from "../admission.ts";
import { refusedBy } from "../attributes.ts";
import { bindingsFor } from "../expression/bindings.ts";
import { documentsIn } from "../shown-version.ts";
import type { ShownDocuments } from "../shown-version.ts";
import { tenantOfWrite } from "../../write/write-pauses.ts";
import { matchesSubject } from "../subject-selectors.ts";
import type { Candidate } from "./webhook-index.ts";

export interface MatchPorts {
  readonly live: LiveView;
  readonly authorizer: Authorizer;
}

/** The documents as the webhook wants to see them; undefined when it is not to be asked. */
export async function documentsFor(
  { webhook, found }: Candidate,
  request: AdmissionRequest,
  { live, authorizer }: MatchPorts,
): Promise<ShownDocuments | undefined> {
  if (!matchesSubject(webhook.selectors, request, live)) return undefined;
  const shown = await documentsIn(request, found);
  if (webhook.conditions === undefined) return shown;
  const conditions = webhook.conditions(bindingsFor({ request, found, shown, authorizer }));
  const result = await inTurns(conditions, timedPauses(tenantOfWrite(request)));
  if (result.kind === "error") throw refusedBy(request, result.message);
  return result.kind === "match" ? shown : undefined;
}
