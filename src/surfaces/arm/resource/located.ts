// Where the resource of a path is stored. Its name is made of the path it was created under and
// stays for good, also when it is moved, so that nothing that was made for it is made again. Each
// resource holds its path as a unique name: by that it is found after a move, and no two can ever
// have the same path. Who was never moved is found without asking for it.

import { hash } from "node:crypto";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord, UniqueName } from "../../../store/port.ts";
import type { Addressed } from "../request/addressed.ts";
import { namesOf, namespaceOf, saltedName } from "../../../modules/resource-provider/arm-names.ts";
import type { PlaceNames } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { resourceOf } from "./resource-view.ts";

/** `target` names what is stored there, or what may be created there. */
export interface Located extends Addressed {
  readonly record: SeenRecord | undefined;
  /** Nobody was asked whether one that was moved holds the path; the commit will tell. */
  readonly isAssumed?: boolean;
}

/** One that was found by what is in it need not be decoded again. */
type SeenRecord = StoredRecord & { readonly decoded?: Resource };

export async function located(surface: ArmSurface, found: Addressed): Promise<Located> {
  const { face, place, names } = found;
  const { name, record } = await storedAt(surface, face.kind, place, names);
  return locatedAt(found, name, record);
}

/** For those who create what is not there, and so learn in their commit who holds the path. */
export async function assumed(surface: ArmSurface, found: Addressed): Promise<Located> {
  const { face, place, names } = found;
  const usual = await usualAt(surface, face.kind, place, names);
  if (usual.record === undefined) return { ...locatedAt(found, names.stored), isAssumed: true };
  if (usual.isThere) return locatedAt(found, names.stored, usual.record);
  return await located(surface, found);
}

function locatedAt(found: Addressed, name: string, record?: SeenRecord): Located {
  const { target } = found;
  return { ...found, target: name === target.name ? target : { ...target, name }, record };
}

export interface StoredAt {
  /** Of what is there, or of what may be created there. */
  readonly name: string;
  readonly record: SeenRecord | undefined;
}

export async function storedAt(
  surface: ArmSurface,
  kind: string,
  place: ArmPlace,
  names = namesOf(place),
): Promise<StoredAt> {
  const { intents } = surface;
  const { record: usual, isThere, isForeign } = await usualAt(surface, kind, place, names);
  if (isThere) return { name: names.stored, record: usual };
  const holder = await intents.store.nameHolder(uniquePlace(kind, place, names));
  const record = holder && (await intents.store.get(holder));
  if (holder !== undefined && record !== undefined) return { name: holder.name, record };
  // What was not made through this surface is where its name says, unless another has come there.
  if (usual === undefined || isForeign) return { name: names.stored, record: usual };
  // What has the usual name was moved away, and keeps it.
  return { name: saltedName(place, intents.ids.uid()), record: undefined };
}

interface UsualAt {
  readonly record: SeenRecord | undefined;
  /** Not moved away. */
  readonly isThere: boolean;
  /** It was made by other means, and holds no path. */
  readonly isForeign: boolean;
}

/** What has the name that is made of the path. */
async function usualAt(
  { intents, shown }: ArmSurface,
  kind: string,
  place: ArmPlace,
  { id, stored: name }: PlaceNames,
): Promise<UsualAt> {
  const namespace = namespaceOf(place.subscription);
  const record = await intents.store.get({ kind, namespace, name });
  if (record === undefined) return { record, isThere: false, isForeign: false };
  if (shown.isOf(record.revision, id)) return { record, isThere: true, isForeign: false };
  const decoded = resourceOf(record);
  const envelope = envelopeOf(decoded);
  const isThere = envelope?.id.toLowerCase() === id;
  return { record: { ...record, decoded }, isThere, isForeign: envelope === undefined };
}

/** Held by the resource of the kind that has the path; at home is who was created there. */
export function uniquePlace(
  kind: string,
  place: ArmPlace,
  { id, stored: name } = namesOf(place),
): UniqueName {
  const home = { kind, namespace: namespaceOf(place.subscription), name };
  return { scope: "arm.setpoint.dev/path", name: hash("sha256", id, "hex"), home };
}
