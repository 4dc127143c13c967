// The terms of an Offering. A user accepts a version of them, which is recorded on the Organisation
// of the user. Creation needs the present version: the API checks it first, and admission checks it
// for every writer. Pure.

import { SetpointError } from "../../kernel/errors.ts";
import type { Offering } from "./offering.ts";
import type { Organisation, TermsAcceptance } from "./organisations/organisation.ts";

/** The newest acceptance of the user; undefined when there is none. */
export function acceptanceOf(
  organisation: Pick<Organisation, "termsAccepted"> | undefined,
  offering: Pick<Offering, "name">,
  user: string,
): TermsAcceptance | undefined {
  return organisation?.termsAccepted.findLast(
    (entry) => entry.offering === offering.name && entry.user === user,
  );
}

/** Throws fleet.terms_not_accepted. */
export function checkTerms(
  organisation: Pick<Organisation, "termsAccepted"> | undefined,
  offering: Pick<Offering, "name" | "terms">,
  user: string,
): void {
  const { terms } = offering;
  if (terms === undefined) return;
  if (acceptanceOf(organisation, offering, user)?.version === terms.version) return;
  const where = terms.url === "" ? "" : ` at ${terms.url}`;
  const message = `User ${user} has not accepted the terms ${terms.version}${where}`;
  throw new SetpointError("fleet.terms_not_accepted", message, {
    suggestion: `accept them with POST /terms and the version ${terms.version}`,
  });
}
