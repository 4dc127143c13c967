// What is refused when an administrator writes or deletes an Offering.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { definitionsKind } from "../../../intents/kinds/definition-kinds.ts";
import { schemaChange } from "../../../intents/kinds/schema-change.ts";
import { checkStored } from "../../../intents/kinds/stored-check.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { conflict, invalid } from "../../../intents/refusals.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { CounterBound, Store } from "../../../store/port.ts";
import { instanceKindOf } from "../kinds/instance-kind.ts";
import { instanceCount } from "../lifecycle/instance-count.ts";
import { fleetLimits } from "../limits.ts";
import { offeringCounter, offeringsKind, pluralName, removalsCounter } from "../names.ts";
import { readOffering } from "../offering.ts";
import type { Offering } from "../offering.ts";
import { checkSecretUse } from "../secret-use.ts";
import { offeringErrors } from "./offering-check.ts";
import { instanceKindId } from "./offering-index.ts";

export interface OfferingGuardPorts {
  readonly authorizer: Authorizer;
  readonly store: Pick<Store, "list">;
  readonly live: LiveView;
  readonly kinds: Pick<KindRegistry, "byId" | "all">;
}

export function offeringGuard(ports: OfferingGuardPorts): AdmissionPlugin {
  return {
    name: "FleetOfferings",
    validate: (request) => {
      if (!isOfferingWrite(request)) return undefined;
      return request.operation === "DELETE"
        ? checkUnused(ports, request)
        : checkOffering(ports, request);
    },
    names: (request) => {
      const isNew = isOfferingWrite(request) && request.operation === "CREATE";
      if (!isNew || request.object === undefined) return undefined;
      return [pluralName(readOffering(request.object).instances.plural)];
    },
    bounds: (request) => {
      if (!isOfferingWrite(request) || request.object === undefined) return undefined;
      return boundsOf(readOffering(request.object));
    },
    refusal: ({ target, object }, fault) => {
      if (!("scope" in fault) || fault.scope !== pluralName("").scope) return undefined;
      const why = `the Offering ${fault.holder?.name ?? ""} has this plural: choose another one`;
      const error = invalidField("spec.instances.plural", fault.name, why);
      return invalid(target.served.storedKind, object?.metadata.name ?? "", [error]);
    },
  };
}

/** The name of the module on the definition of the instance kind. */
export function definitionOwner(offering: string): string {
  return `fleet-offering-${offering}`;
}

function isOfferingWrite({ target }: AdmissionRequest): boolean {
  return target.served.id === offeringsKind && target.subresource === "";
}

function boundsOf({ name, maxInstances, suspension }: Offering): readonly CounterBound[] {
  const removals = { counter: removalsCounter(name), max: suspension.maxRemovalsPerHour };
  if (maxInstances === undefined) return [removals];
  return [removals, { counter: offeringCounter(name), max: maxInstances }];
}

async function checkOffering(ports: OfferingGuardPorts, request: AdmissionRequest): Promise<void> {
  const { object, old, operation, target } = request;
  if (object === undefined || equalJson(object.spec ?? null, old?.spec ?? null)) return;
  const offering = readOffering(object);
  const errors = [...offeringErrors(object, offering)];
  if (operation === "CREATE") errors.push(...limitErrors(ports));
  if (errors.length === 0) errors.push(...namesTaken(ports, offering));
  if (errors.length === 0) errors.push(...(await storedErrors(ports, offering)));
  if (errors.length > 0) throw invalid(target.served.storedKind, object.metadata.name, errors);
  for (const path of secretPaths) checkSecretUse(ports.authorizer, request, path);
}

const secretPaths = [
  ["spec", "quota", "http", "token"],
  ["spec", "metrics", "prometheus", "token"],
];

function limitErrors({ live }: OfferingGuardPorts): readonly FieldError[] {
  const count = [...live.all(offeringsKind)].length;
  if (count < fleetLimits.maxOfferings) return [];
  return [forbiddenField("<nil>", `there are ${count} Offerings, and more are not served`)];
}

/** Names of the instance kind that belong to another kind. */
function namesTaken(
  { live, kinds }: OfferingGuardPorts,
  offering: Offering,
): readonly FieldError[] {
  const { instances } = offering;
  const id = instanceKindId(offering);
  const definition = live.get({ kind: definitionsKind, namespace: "", name: id });
  const owner = definition?.resource.metadata.annotations?.[annotations.module];
  const isOwn = owner === definitionOwner(offering.name);
  if (!isOwn && (definition !== undefined || kinds.byId(id) !== undefined)) {
    const why = `the kind ${id} exists and does not belong to this Offering`;
    return [invalidField("spec.instances.plural", instances.plural, why)];
  }
  return kinds.all().flatMap((served) => {
    const { group, names } = served.kind;
    if (group !== instances.group || served.id === id) return [];
    const words = new Set([names.plural, names.singular, ...names.shortNames]);
    const wrong: FieldError[] = instances.shortNames.flatMap((name, at) =>
      words.has(name) ? [taken(`shortNames[${at}]`, name, served.id)] : [],
    );
    const { singular = instances.kind.toLowerCase() } = instances;
    if (words.has(singular)) wrong.push(taken("singular", singular, served.id));
    if (names.kind === instances.kind) wrong.push(taken("kind", instances.kind, served.id));
    return wrong;
  });
}

function taken(field: string, name: string, holder: string): FieldError {
  return invalidField(`spec.instances.${field}`, name, `the kind ${holder} has this name`);
}

/** A changed schema must accept the parameters of every instance. */
async function storedErrors(
  { store, live, kinds }: OfferingGuardPorts,
  offering: Offering,
): Promise<readonly FieldError[]> {
  const id = instanceKindId(offering);
  const definition = live.get({ kind: definitionsKind, namespace: "", name: id });
  const change = definition && schemaChange(definition.resource, instanceKindOf(offering));
  if (change === undefined) return [];
  try {
    await checkStored(store, change, kinds.byId(id)?.storedKind.indexTerms);
    return [];
  } catch (error) {
    if (!isSetpointError(error, "kind.incompatible")) throw error;
    const why = `${error.message}: change these instances first, or accept their values`;
    return [forbiddenField("spec.instances.parameters", why)];
  }
}

async function checkUnused(
  { store }: OfferingGuardPorts,
  request: AdmissionRequest,
): Promise<void> {
  const { old, target } = request;
  if (old === undefined || old.metadata.deletionTimestamp !== undefined) return;
  const offering = readOffering(old);
  const { plural, group } = offering.instances;
  const count = await instanceCount(store, [offering]);
  if (count.instances === 0) return;
  const list = `kubectl get ${plural}.${group} --all-namespaces`;
  const why = `it has ${count.text}: delete them first (${list})`;
  throw conflict(target.served.kind, offering.name, why);
}
