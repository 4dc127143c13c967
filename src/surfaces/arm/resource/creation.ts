// The document of a resource that a PUT asks for and that is not there yet. It is made in one place
// for those who create it and for those who only want to know whether they could.

import { annotations } from "../../../kernel/annotations.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { parseTraceparent } from "../../../kernel/trace-context.ts";
import type { Write } from "../../../store/port.ts";
import { traceparentOf } from "../../http/trace.ts";
import { newMark } from "../operation/new-mark.ts";
import type { Addressed } from "../request/addressed.ts";
import { armRefusals } from "../protocol/arm-error.ts";
import { groupDigest } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeText } from "../../../modules/resource-provider/envelope.ts";
import { wantedSpec } from "../face/face-body.ts";
import { envelopeAnnotation, groupLabel } from "../../../modules/resource-provider/face.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import { storable } from "../face/lost-values.ts";
import { aroundOf, fenceOf } from "./nesting.ts";
import { envelopeFor } from "./resource-view.ts";
import { checkSent } from "../face/sent-envelope.ts";
import { systemDataOf } from "../request/system-data.ts";

export interface CreationInput {
  readonly request: ArmRequest;
  readonly found: Addressed;
  readonly body: JsonObject;
  /** False where the resource around it need not be there yet. */
  readonly isNested?: boolean;
}

export interface Creation {
  readonly document: JsonObject;
  readonly envelope: ArmEnvelope;
  /** Committed with it: refused when the resource around it has changed meanwhile. */
  readonly fence: readonly Write[];
}

/** Refuses with everything that is wrong with the body. */
export async function draftCreation(surface: ArmSurface, input: CreationInput): Promise<Creation> {
  const { request, found, body, isNested = true } = input;
  const { face, place, target, served, version } = found;
  const facts = { place, face, before: undefined, state: undefined, isPatch: false };
  const sent = checkSent(body, facts);
  const { properties } = sent;
  const wanted = await wantedSpec({ version, served, properties, old: undefined, isPatch: false });
  const problems = [...sent.problems, ...wanted.problems];
  if (problems.length > 0) throw armRefusals(problems);
  const envelope: ArmEnvelope = {
    ...envelopeFor(place),
    location: sent.location ?? "",
    tags: sent.tags ?? {},
    systemData: systemDataOf(request, undefined, surface.intents.clock.nowMs()),
    operation: newMark(surface, "create", target.served.isReconciled),
  };
  const around = isNested ? await aroundOf(surface, place) : undefined;
  const document = {
    apiVersion: target.version.apiVersion,
    kind: target.served.kind.names.kind,
    metadata: {
      name: target.name,
      namespace: target.namespace,
      labels: { [groupLabel]: groupDigest(place.group ?? "") },
      annotations: annotationsWith({}, envelope, request),
      ...(around === undefined ? {} : { ownerReferences: [around.owner] }),
    },
    spec: wanted.spec,
  };
  // Whoever creates it prunes it, too: what is lost by that is told here alone, and only a function
  // can make what its kind does not have.
  if (found.version.toStored !== undefined) {
    storable(surface, found, { wanted: document as unknown as Resource });
  }
  return { document, envelope, fence: await fenceOf(surface, around) };
}

/** What is done about a request is found in the log by the trace of the request. */
export function annotationsWith(
  before: Readonly<Record<string, string>>,
  envelope: ArmEnvelope,
  { exchange, ids: { trace } }: ArmRequest,
): Readonly<Record<string, string>> {
  const given = traceparentOf(exchange.headers);
  return {
    ...before,
    [envelopeAnnotation]: envelopeText(envelope),
    [annotations.traceparent]:
      given !== undefined && parseTraceparent(given) !== undefined
        ? given
        : `00-${trace}-${trace.slice(0, 16)}-01`,
  };
}
