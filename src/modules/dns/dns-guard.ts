// What is refused when a user writes a DnsZone or a DnsRecord, and the unique names by which no two
// DnsRecords have the same record set. A CNAME record excludes all other types of its name, so it
// holds the names of all of them.

import type { AdmissionPlugin, AdmissionRequest } from "../../intents/admission/admission.ts";
import { findShared } from "../../intents/admission/shared-resource.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { checkReferences } from "../../intents/auth/secret-access.ts";
import type { SecretReference } from "../../intents/auth/secret-access.ts";
import type { LiveView } from "../../intents/live-view.ts";
import { invalid } from "../../intents/refusals.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { UniqueName } from "../../store/port.ts";
import { recordsKind } from "./kinds/record-kind.ts";
import { sharedZone, zonesKind } from "./kinds/zone-kind.ts";
import { recordErrors } from "./record-errors.ts";
import { recordTypes } from "./names/record-values.ts";
import { recordSetKey } from "./wanted-records.ts";
import { zoneErrors, zoneWarnings } from "./zone-errors.ts";

export interface DnsGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly authorizer: Authorizer;
}

export function dnsGuard({ live, authorizer }: DnsGuardPorts): AdmissionPlugin {
  const zoneNamed = (name: string): Resource | undefined =>
    live.get({ kind: zonesKind, namespace: "", name })?.resource;
  return {
    name: "Dns",
    validate: (request) => {
      const { target, object, caller } = request;
      if (object === undefined || !isSpecWritten(request)) return;
      if (target.served.id === zonesKind) {
        refuse(request, zoneErrors(object));
        const spec = objectAt(object, "spec");
        checkReferences(authorizer, caller.user, target, [keyReference(spec)]);
        for (const warning of zoneWarnings(spec)) caller.warn(warning);
        return;
      }
      const name = textAt(object, "spec", "zone");
      const reference = { ...sharedZone, field: "spec.zone", name, namespace: target.namespace };
      refuse(request, recordErrors(object, findShared(live, reference)));
    },
    names: ({ target, operation, object }) => {
      // The fields that the names consist of cannot be changed.
      const isCreated = operation === "CREATE" && target.served.id === recordsKind;
      if (!isCreated || object === undefined) return undefined;
      const zone = zoneNamed(textAt(object, "spec", "zone"));
      return zone === undefined ? undefined : heldNames(object, zone);
    },
  };
}

/** Writes of labels or the status are not checked: the DnsZone may have changed since. */
function isSpecWritten({ target, operation, object, old }: AdmissionRequest): boolean {
  const isOurs = [zonesKind, recordsKind].includes(target.served.id) && target.subresource === "";
  if (!isOurs || (operation !== "CREATE" && operation !== "UPDATE")) return false;
  return old === undefined || !equalJson(old.spec, object?.spec);
}

function refuse({ target }: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
}

function keyReference(spec: JsonObject): SecretReference {
  const secretRef = objectAt(spec, "powerdns", "apiKey", "secretRef");
  return {
    field: "spec.powerdns.apiKey.secretRef",
    namespace: textAt(secretRef, "namespace"),
    name: textAt(secretRef, "name"),
  };
}

function heldNames(record: Resource, zone: Resource): readonly UniqueName[] {
  const { name, type } = recordSetKey(record, zone);
  const types = type === "CNAME" ? recordTypes : [type];
  const scope = `the DnsZone ${zone.metadata.name}`;
  return types.map((each) => ({ scope, name: `${name} ${each}` }));
}
