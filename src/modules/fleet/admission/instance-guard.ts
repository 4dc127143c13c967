// The rules for instances of every Offering, for every writer: REST, kubectl and this server.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Ids } from "../../../kernel/ids.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { equalJson } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { CounterUse, UniqueName } from "../../../store/port.ts";
import { checkServiceAccess } from "../access.ts";
import type { FleetState } from "../fleet-state.ts";
import { idName, onePerOwnerName, organisationKey, organisationOf } from "../names.ts";
import type { Offering } from "../offering.ts";
import { isEndingOffering } from "../offerings/offering-index.ts";
import { checkNamespace, namespaceKey } from "../organisations/organisation-namespace.ts";
import type { Organisation } from "../organisations/organisation.ts";
import type { CheckQuota } from "../quota-service/quota-check.ts";
import { specWithQuota } from "../quota-service/spec-with-quota.ts";
import { checkChange, checkMayChange, withServiceFields } from "./changed-instance.ts";
import { checkMetadata } from "./changed-metadata.ts";
import { instanceRefusal } from "./instance-refusal.ts";
import { instanceUses } from "./quota.ts";
import { isServerItself, writerOf } from "./writer.ts";

export interface InstanceGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly ids: Ids;
  readonly state: FleetState;
  readonly checkQuota: CheckQuota;
}

export function instanceGuard(ports: InstanceGuardPorts): AdmissionPlugin {
  const { state } = ports;
  const guarded = (request: AdmissionRequest): Offering | undefined =>
    request.target.subresource === ""
      ? state.offerings.byKind(request.target.served.id)
      : undefined;
  return {
    name: "FleetInstances",
    mutate: (request) => {
      const { object, old, operation } = request;
      const offering = guarded(request);
      if (offering === undefined || object === undefined) return object;
      const spec = objectAt(object, "spec");
      if (operation === "CREATE") {
        const whole = created(ports, offering, request, spec);
        if (!(whole instanceof Promise)) return { ...object, spec: whole };
        return whole.then((asked) => ({ ...object, spec: asked }));
      }
      const whole = withServiceFields(spec, objectAt(old, "spec"));
      return whole === spec ? object : { ...object, spec: whole };
    },
    validate: (request) => {
      const offering = guarded(request);
      if (offering === undefined) {
        checkStatus(state, request);
        return undefined;
      }
      return checkWrite(ports, offering, request);
    },
    names: (request) => {
      const offering = guarded(request);
      return offering === undefined || !isCounted(request) ? undefined : namesOf(offering, request);
    },
    countsUpdates: true,
    uses: (request) => {
      const offering = guarded(request);
      if (offering === undefined || !isCounted(request)) return undefined;
      return usesOf(ports, offering, request);
    },
    refusal: (request, fault) => {
      const offering = guarded(request);
      if (offering === undefined) return undefined;
      const spec = objectAt(request.object, "spec");
      const instance = {
        owner: textAt(spec, "owner"),
        organisation: organisationOf(request.target.namespace) ?? "",
        type: textAt(spec, "type"),
        region: textAt(spec, "region"),
      };
      return instanceRefusal(offering, instance, fault);
    },
  };
}

/** Names and counters depend on the owner and the type alone after the creation. */
function isCounted({ operation, object, old }: AdmissionRequest): boolean {
  if (object === undefined) return false;
  if (operation === "CREATE") return true;
  return ["owner", "type"].some((field) => textAt(object.spec, field) !== textAt(old?.spec, field));
}

/** A promise where a quota service decides about the type. */
function created(
  { state, ids, live, checkQuota }: InstanceGuardPorts,
  offering: Offering,
  { target, caller }: AdmissionRequest,
  spec: JsonObject,
): JsonObject | Promise<JsonObject> {
  const { namespace, name } = target;
  if (isEndingOffering(live, offering.name)) {
    const message = `the Offering ${offering.name} is being deleted`;
    throw new SetpointError("fleet.validation", message);
  }
  const organisation = organisationIn(state, namespace);
  if (organisation === undefined || organisation.isDeleting) {
    const id = organisationOf(namespace);
    const fix =
      id === undefined
        ? "use the namespace org-ID of an Organisation"
        : `create the Organisation ${id} first`;
    const message = `metadata.namespace: ${namespace} does not belong to an Organisation: ${fix}`;
    throw new SetpointError("fleet.field", message, { details: { field: "metadata.namespace" } });
  }
  const owner = live.get(organisationKey(organisation.id))?.resource;
  const own = live.get(namespaceKey(organisation.id))?.resource;
  if (owner !== undefined && own !== undefined) checkNamespace(own, owner);
  const writer = writerOf({ caller }, offering, state.directory);
  const newId = (): string => ids.uid().replaceAll("-", "").slice(0, idChars);
  const given = { name, spec, offering, organisation, writer, newId };
  return specWithQuota(checkQuota, given);
}

/** As long as the ids of existing fleet managers. */
const idChars = 20;

function checkWrite(
  { state }: InstanceGuardPorts,
  offering: Offering,
  request: AdmissionRequest,
): Promise<void> | undefined {
  const { object, old, operation, target, caller } = request;
  const organisation = organisationIn(state, target.namespace);
  const writer = writerOf(request, offering, state.directory);
  const spec = objectAt(object, "spec");
  const before = objectAt(old, "spec");
  // A creation is checked before its spec is completed. See new-instance.ts.
  const isMemberChange = operation !== "CREATE" && !writer.isAdministrator;
  if (isMemberChange) checkServiceAccess(offering, organisation, writer);
  if (operation === "DELETE") {
    checkMayChange(writer, organisation, textAt(before, "owner"));
    checkCascade(request.options);
    return undefined;
  }
  if (!isServerItself(caller)) checkMetadata(request, writer, organisation);
  if (operation === "UPDATE") {
    checkChange({ spec, old: before, offering, organisation, writer });
    if (equalJson(spec, before)) return undefined;
  }
  if (object === undefined) return undefined;
  return state.hooks.admit(offering.name, { instance: object, old, user: caller.user.name });
}

/** Its preparations would stay in external systems, and nothing would delete them. */
function checkCascade(options: Json): void {
  const isOrphan =
    textAt(options, "propagationPolicy") === "Orphan" || isTrueAt(options, "orphanDependents");
  if (!isOrphan) return;
  const message =
    "propagationPolicy: Orphan would leave what was prepared for the instance: use Background";
  throw new SetpointError("fleet.validation", message, {
    details: { field: "propagationPolicy" },
  });
}

/** The status belongs to the life cycle. */
function checkStatus({ offerings }: FleetState, { target, caller }: AdmissionRequest): void {
  if (target.subresource !== "status" || isServerItself(caller)) return;
  if (offerings.byKind(target.served.id) === undefined) return;
  throw forbidden(target.served.storedKind, target.name, "only this server writes the status");
}

function namesOf(offering: Offering, { object, target }: AdmissionRequest): readonly UniqueName[] {
  const spec = objectAt(object, "spec");
  const type = textAt(spec, "type");
  const id = idName(offering.name, textAt(spec, "id"));
  const isOnePerOwner = offering.types.find(({ name }) => name === type)?.isOnePerOwner === true;
  if (!isOnePerOwner || isTrueAt(spec, "isInternal")) return [id];
  const organisation = organisationOf(target.namespace) ?? "";
  const owner = textAt(spec, "owner");
  return [id, onePerOwnerName({ offering: offering.name, organisation, type, owner })];
}

/** Undefined leaves what the instance counts against. */
function usesOf(
  { state }: InstanceGuardPorts,
  offering: Offering,
  { object, target }: AdmissionRequest,
): readonly CounterUse[] | undefined {
  const organisation = organisationIn(state, target.namespace);
  if (organisation === undefined) return undefined;
  const spec = objectAt(object, "spec");
  return instanceUses(offering, organisation, {
    owner: textAt(spec, "owner"),
    provider: textAt(spec, "cloudProvider"),
    region: textAt(spec, "region"),
    type: textAt(spec, "type"),
    quotaBackend: textAt(spec, "quotaBackend"),
    isInternal: isTrueAt(spec, "isInternal"),
  });
}

function organisationIn(
  { organisations }: FleetState,
  namespace: string,
): Organisation | undefined {
  const id = organisationOf(namespace);
  return id === undefined ? undefined : organisations.get(id);
}
