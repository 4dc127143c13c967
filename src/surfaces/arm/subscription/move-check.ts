// What a move is about and whether it can be done: the resources that are named and all that is
// inside of them, each with the place it comes to. Nothing is written here.

import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { readStored } from "../../../intents/write/stored.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { listAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Position, StoredRecord } from "../../../store/port.ts";
import { faceOf } from "../request/addressed.ts";
import { armRefusal, armRefusals } from "../protocol/arm-error.ts";
import { isSameText, namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import { placeOfId } from "../protocol/arm-path.ts";
import { idOfPlace, parentOf } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPath } from "../protocol/arm-path.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import type { ArmEnvelope, ArmFace } from "../../../modules/resource-provider/face.ts";
import { storedAt } from "../resource/located.ts";
import type { StoredAt } from "../resource/located.ts";
import { innerOf } from "../../../modules/resource-provider/faces/inner-types.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";
import { nameProblems } from "../protocol/name-rules.ts";

export type MovePath = Extract<ArmPath, { readonly kind: "move" }>;

export interface WantedMove {
  readonly body: JsonObject;
  readonly resources: readonly WantedResource[];
}

interface WantedResource {
  readonly face: ArmFace;
  readonly from: ArmPlace;
  readonly to: ArmPlace;
}

/** A stored resource, and where it shall be. */
export interface Moving {
  readonly face: ArmFace;
  readonly served: ServedKind;
  readonly record: StoredRecord;
  readonly old: Resource;
  readonly envelope: ArmEnvelope;
  readonly to: ArmPlace;
  /** Whether there is a type that can be inside of it. */
  readonly hasInside: boolean;
}

const maxResources = 800;

/** What the body asks for, as far as that can be judged without looking anything up. */
export function readMove(
  surface: ArmSurface,
  { subscription, group }: MovePath,
  body: JsonObject,
): WantedMove {
  const target = targetOf(textAt(body, "targetResourceGroup"), subscription);
  if (isSameText(target, group)) {
    throw wrong(`The resources are already in the group '${group}'.`, "targetResourceGroup");
  }
  const given = listAt(body, "resources");
  if (given.length === 0 || given.length > maxResources) {
    throw wrong(`A request can move from 1 to ${maxResources} resources.`, "resources");
  }
  const places = new Map<string, ArmPlace>();
  for (const each of given) {
    const id = typeof each === "string" ? each : JSON.stringify(each);
    const place = placeOfId(id);
    const isHere =
      place !== undefined &&
      isSameText(place.subscription, subscription) &&
      isSameText(place.group ?? "", group);
    if (!isHere) {
      throw wrong(`The id '${id}' is not the id of a resource in '${group}'.`, "resources");
    }
    places.set(idOfPlace(place).toLowerCase(), place);
  }
  const resources = [...places.values()].map((from) => {
    const around = outermost(from);
    if (!places.has(idOfPlace(around).toLowerCase())) {
      const text = `The Resource '${idOfPlace(from)}' can be moved only together with its parent.`;
      throw wrong(text, "resources");
    }
    return { face: faceOf(surface, from), from, to: { ...from, group: target } };
  });
  return { body, resources };
}

/** Throws when the caller may not change what has the name in the store, or would have it. */
export type MayMove = (kind: string, name: string) => void;

/**
 * Refuses what cannot be moved; everything that moves, what is inside of others among it. What is
 * there, and in which state, is told to nobody who may not change it.
 */
export async function checkMove(
  surface: ArmSurface,
  { resources }: WantedMove,
  mayMove: MayMove,
): Promise<readonly Moving[]> {
  const moving: Moving[] = [];
  const named: StoredAt[] = [];
  for (const { face, from } of resources) {
    const stored = await storedAt(surface, face.kind, from);
    mayMove(face.kind, stored.name);
    named.push(stored);
  }
  for (const [index, { face, from, to }] of resources.entries()) {
    const record = named[index]?.record;
    const found = record && (await movingOf(surface, face, record, to));
    if (found === undefined) {
      const message = `The Resource '${idOfPlace(from)}' was not found.`;
      throw armRefusal(404, { code: "ResourceNotFound", message });
    }
    if (parentOf(from) === undefined) moving.push(found, ...(await allInside(surface, found)));
  }
  for (const { record } of moving) mayMove(record.key.kind, record.key.name);
  for (const each of moving) await checkOne(surface, each);
  return moving;
}

async function checkOne(surface: ArmSurface, { face, old, envelope, to }: Moving): Promise<void> {
  const { id } = envelope;
  if (face.isMovable === false) {
    const type = `${face.provider}/${face.type}`;
    const message = `The resource '${id}' cannot be moved: the type '${type}' does not support it.`;
    throw armRefusal(409, { code: "ResourceMoveNotSupported", message, target: "resources" });
  }
  const { state } = provisioningIn(surface, face, old);
  if (!isTerminal(state) || old.metadata.deletionTimestamp !== undefined) {
    const message = `Another operation is in progress on '${id}'. Its state is ${state}.`;
    throw armRefusal(409, { code: "AnotherOperationInProgress", message, target: "resources" });
  }
  const { record } = await storedAt(surface, face.kind, to);
  if (record === undefined) return;
  const message = `The resource '${idOfPlace(to)}' already exists.`;
  throw armRefusal(409, { code: "ResourceAlreadyExists", message, target: "resources" });
}

/** Undefined for what was not made through this surface. */
async function movingOf(
  surface: ArmSurface,
  face: ArmFace,
  record: StoredRecord,
  to: ArmPlace,
): Promise<Moving | undefined> {
  const served = surface.intents.kinds.byId(face.kind);
  const old = served && (await readStored(served, served.storage, record));
  const envelope = old && envelopeOf(old);
  if (served === undefined || old === undefined || envelope === undefined) return undefined;
  const hasInside = innerOf(surface, face).length > 0;
  return { face, served, record, old, envelope, to, hasInside };
}

async function allInside(surface: ArmSurface, around: Moving): Promise<readonly Moving[]> {
  const { face, to } = around;
  const found: Moving[] = [];
  for (const { inner, type } of innerOf(surface, face)) {
    for (const record of await owned(surface, inner.kind, around)) {
      const bare = { ...to, types: [...to.types, type], names: [...to.names, ""] };
      const child = await movingOf(surface, inner, record, bare);
      if (child === undefined) continue;
      const names = [...to.names, child.envelope.name];
      const placed = { ...child, to: { ...bare, names } };
      found.push(placed, ...(await allInside(surface, placed)));
    }
  }
  return found;
}

async function owned(
  { intents: { store } }: ArmSurface,
  kind: string,
  { record: { uid }, to }: Moving,
): Promise<readonly StoredRecord[]> {
  const query = { kind, namespace: namespaceOf(to.subscription), owner: uid };
  const records: StoredRecord[] = [];
  let from: Position | undefined;
  do {
    const page = await store.list(from === undefined ? query : { ...query, from });
    records.push(...page.records);
    from = page.next;
  } while (from !== undefined);
  return records;
}

function outermost(place: ArmPlace): ArmPlace {
  const parent = parentOf(place);
  return parent === undefined ? place : outermost(parent);
}

/** The name of a group of the same subscription. */
function targetOf(id: string, subscription: string): string {
  const field = "targetResourceGroup";
  if (id === "") throw wrong(`The property '${field}' is required.`, field);
  const [, other = "", group = ""] =
    /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/?$/i.exec(id) ?? [];
  if (group === "") throw wrong(`The id '${id}' is not the id of a resource group.`, field);
  const [problem] = nameProblems({
    subscription: other,
    group,
    provider: "",
    types: [],
    names: [],
  });
  if (problem !== undefined) throw armRefusals([{ ...problem, target: field }]);
  if (isSameText(other, subscription)) return group;
  const message = "Resources of this provider cannot be moved to another subscription.";
  throw armRefusal(409, { code: "ResourceMoveNotSupported", message, target: field });
}

function wrong(message: string, target: string): Error {
  return armRefusal(400, { code: "InvalidRequestContent", message, target });
}
