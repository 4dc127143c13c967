// The terms of the service: reading them, and accepting them.

import { updateResource } from "../../../intents/write/update.ts";
import { timeText } from "../../../kernel/clock.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FleetCaller } from "../identity.ts";
import { organisationsKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import { ensureMember, memberOfCaller } from "../organisations/ensure-member.ts";
import { readOrganisation } from "../organisations/organisation.ts";
import type { TermsAcceptance } from "../organisations/organisation.ts";
import { acceptanceOf } from "../terms.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { documentAnswer } from "./page-document.ts";
import { described, objectSchema } from "./schemas.ts";
import { organisationOf } from "./visible-instance.ts";
import { writeOptions } from "./writes.ts";

const text: JsonObject = { type: "string" };

const termsSchema = objectSchema(
  {
    kind: text,
    required: described({ type: "boolean" }, "Whether instances need the acceptance of terms."),
    version: text,
    url: text,
    accepted: { type: "boolean" },
    accepted_at: { type: "string", format: "date-time" },
  },
  ["kind", "required", "accepted"],
);

export function termsRoutes(ports: CustomerPorts, offering: Offering): readonly FleetRoute[] {
  const common = { path: "/terms", tag: "Terms", access: { kind: "member" } } as const;
  const answers = { 200: { description: "The terms.", schema: termsSchema } };
  return [
    {
      ...common,
      method: "GET",
      summary: "Read the terms of the service, and whether the user has accepted them.",
      answers,
      errors: [401, 403],
      handle: async ({ fleetCaller }) => documentAnswer(presentTerms(ports, offering, fleetCaller)),
    },
    {
      ...common,
      method: "POST",
      summary: "Accept the terms of the service.",
      body: objectSchema({ version: described(text, "The version that the user accepts.") }, [
        "version",
      ]),
      answers,
      errors: [400, 401, 403],
      handle: (request) => accept(ports, request),
    },
  ];
}

async function accept(
  ports: CustomerPorts,
  { offering, fleetCaller, caller, body }: FleetRequest,
): ReturnType<FleetRoute["handle"]> {
  const { user, organisation = "" } = fleetCaller;
  const version = textAt(body, "version");
  checkVersion(offering, version);
  await ensureMember(ports.ownIntents, memberOfCaller(fleetCaller), caller);
  const written = await updateResource(ports.ownIntents, {
    caller,
    target: organisationTarget(ports, organisation),
    options: writeOptions,
    optionsKind: "PatchOptions",
    change: (old) => ({
      wanted: withAcceptance(old, {
        user,
        offering: offering.name,
        version,
        at: timeText(ports.clock.nowMs()),
      }),
    }),
    allowsBlind: true,
  });
  // The answer means that a creation is accepted now, on this server.
  await ports.live.reached(written.revision);
  return documentAnswer(presentTerms(ports, offering, fleetCaller));
}

function checkVersion({ terms, displayName }: Offering, version: string): void {
  if (terms?.version === version) return;
  const problem =
    terms === undefined
      ? `${displayName} has no terms`
      : `${JSON.stringify(version.slice(0, 100))} is not the present version: ${terms.version}`;
  throw new SetpointError("fleet.field", `version: ${problem}`, {
    details: { field: "body.version" },
  });
}

function organisationTarget(
  { kinds }: CustomerPorts,
  name: string,
): Parameters<typeof updateResource>[1]["target"] {
  const served = kinds.byId(organisationsKind);
  if (served === undefined) {
    throw new SetpointError("module.unavailable", "the kind Organisation is not installed yet");
  }
  return { served, version: served.storage, namespace: "", name, subresource: "" };
}

/** One entry for each user and Offering: the newest. A repeated acceptance changes nothing. */
function withAcceptance(organisation: Resource, accepted: TermsAcceptance): Resource {
  const { termsAccepted: before } = readOrganisation(organisation);
  const name = accepted.offering;
  const known = acceptanceOf({ termsAccepted: before }, { name }, accepted.user);
  if (known?.version === accepted.version) return organisation;
  const others = objectsAt(organisation.spec, "termsAccepted").filter(
    (entry) => textAt(entry, "offering") !== name || textAt(entry, "user") !== accepted.user,
  );
  const termsAccepted = [...others, { ...accepted }];
  return { ...organisation, spec: { ...objectAt(organisation.spec), termsAccepted } };
}

function presentTerms(
  ports: CustomerPorts,
  offering: Offering,
  fleetCaller: FleetCaller,
): JsonObject {
  const { terms } = offering;
  if (terms === undefined) return { kind: "Terms", required: false, accepted: true };
  const organisation = organisationOf(ports, fleetCaller);
  const acceptance = acceptanceOf(organisation, offering, fleetCaller.user);
  const isAccepted = acceptance?.version === terms.version;
  return {
    kind: "Terms",
    required: true,
    version: terms.version,
    ...(terms.url === "" ? {} : { url: terms.url }),
    accepted: isAccepted,
    ...(isAccepted && acceptance.at !== "" ? { accepted_at: acceptance.at } : {}),
  };
}
