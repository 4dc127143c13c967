// Reserves and releases the quota of one instance, in its runs. Both are durable steps: a result is
// stored before the run continues, and a run after a crash repeats a request with the same key,
// which the service answers as the first one. A refusal is a result as well. See protocol.ts.

import type { CallJson } from "../../../adapters/http/port.ts";
import { callService, refusedCall } from "../../../engine/external/call-service.ts";
import type { ServiceAnswer } from "../../../engine/external/call-service.ts";
import { secretKey } from "../../../engine/external/secret-key.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { organisationOf } from "../names.ts";
import type { Offering } from "../offering.ts";
import { isReleased, readReservation, releaseCall, reserveCall } from "./protocol.ts";
import type { QuotaCall, QuotaRefusal, Reservation } from "./protocol.ts";
import { sendQuotaCall } from "./send.ts";
import { quotaServiceOf } from "./settings.ts";

export interface InstanceQuotaInput {
  readonly callJson: CallJson;
  readonly offering: Offering;
  readonly instance: Resource;
  readonly context: Context;
}

export type InstanceQuota =
  | { readonly kind: "notNeeded" }
  | { readonly kind: "reserved"; readonly subscription: string }
  | QuotaRefusal;

/** Whether a quota service must be asked for the instance. Instances of probes need no quota. */
export function needsReservation(offering: Offering, { spec }: Resource): boolean {
  if (textAt(spec, "quotaBackend") !== "http" || isTrueAt(spec, "isInternal")) return false;
  const type = offering.types.find(({ name }) => name === textAt(spec, "type"));
  // A type that the Offering does not have any more may have been one with a quota.
  return type === undefined || type.quota === "required";
}

/** Throws the outcome of the run while the service cannot be asked. */
export async function reserveQuota(input: InstanceQuotaInput): Promise<InstanceQuota> {
  const { offering, instance, context } = input;
  if (!needsReservation(offering, instance)) return { kind: "notNeeded" };
  const { reserve } = await context.perform({
    name: "quota",
    about: instance.metadata.uid,
    steps: [
      {
        name: "reserve",
        run: async () => ({ ...(await reserved(input)) }),
        undo: async (result) => {
          if (textAt(result, "kind") === "reserved") await released(input);
        },
      },
    ],
  });
  const kind = textAt(reserve, "kind");
  if (kind === "reserved") return { kind, subscription: textAt(reserve, "subscription") };
  const code = textAt(reserve, "code") === "exceeded" ? "exceeded" : "insufficient";
  return { kind: "refused", code, message: textAt(reserve, "message") };
}

/**
 * Releases what the instance reserved, or may have reserved: a run may have ended between the
 * request and its answer. Throws the outcome of the run until the service has released it.
 */
export async function releaseQuota(input: InstanceQuotaInput): Promise<void> {
  const { offering, instance, context } = input;
  if (!needsReservation(offering, instance)) return;
  await context.perform({
    name: "quota-release",
    about: instance.metadata.uid,
    steps: [{ name: "release", run: async () => await released(input) }],
  });
}

async function reserved(input: InstanceQuotaInput): Promise<InstanceQuota> {
  const answer = await call(input, reserveCall(reservationOf(input)));
  const read = readReservation(answer);
  if (read === undefined) throw refusedCall(serviceName(input), answer.status, "");
  if (read.kind !== "released") return read;
  const message = "the quota service has released the reservation of this instance";
  return { kind: "refused", code: "insufficient", message };
}

async function released(input: InstanceQuotaInput): Promise<void> {
  const answer = await call(input, releaseCall(input.instance.metadata.uid));
  if (!isReleased(answer)) throw refusedCall(serviceName(input), answer.status, "");
}

function reservationOf({ offering, instance }: InstanceQuotaInput): Reservation {
  const { metadata, spec } = instance;
  const type = textAt(spec, "type");
  return {
    key: metadata.uid,
    offering: offering.name,
    organisation: organisationOf(metadata.namespace ?? "") ?? "",
    user: textAt(spec, "owner"),
    account: textAt(spec, "account"),
    type,
    units: offering.types.find(({ name }) => name === type)?.units ?? 1,
    instance: instanceFacts(instance),
  };
}

function instanceFacts({ metadata, spec }: Resource): JsonObject {
  return {
    name: metadata.name,
    id: textAt(spec, "id"),
    cloudProvider: textAt(spec, "cloudProvider"),
    region: textAt(spec, "region"),
  };
}

async function call(input: InstanceQuotaInput, request: QuotaCall): Promise<ServiceAnswer> {
  const { callJson, context, offering } = input;
  const service = quotaServiceOf(offering);
  if (service === undefined) {
    const message =
      `the Offering ${offering.name} has no quota service: set spec.quota.http as it was when ` +
      "the instance was created";
    throw new ReconcileFailure(failed("QuotaServiceMissing", message, { retry: "slow" }));
  }
  const token = service.token === undefined ? undefined : await secretKey(context, service.token);
  return await callService(context, {
    system: `fleet-quota/${offering.name}`,
    service: serviceName(input),
    send: (signal) => sendQuotaCall(callJson, request, { service, token, signal }),
  });
}

function serviceName({ offering }: InstanceQuotaInput): string {
  return `the quota service of ${offering.displayName}`;
}
