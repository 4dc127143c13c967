// Where the resource of a path is stored. Its name is made of the path it was created under and
// stays for good, also when it is moved, so that nothing that was made for it is made again. Each
// resource holds its path as a unique name: by that it is found after a move, and no two can ever
// have the same path. Who was never moved is found without asking for it.

import { hash } from "node:crypto";
import type { Resource } from "../../kernel/resource.ts";
import type { StoredRecord, UniqueName } from "../../store/port.ts";
import type { Addressed } from "./addressed.ts";
import { namesOf, namespaceOf, saltedName } from "./arm-names.ts";
import { idOfPlace } from "./arm-path.ts";
import type { ArmPlace } from "./arm-path.ts";
import type { ArmSurface } from "./arm-request.ts";
import { envelopeOf } from "./envelope.ts";
import { resourceOf } from "./resource-view.ts";

/** `target` names what is stored there, or what may be created there. */
export interface Located extends Addressed {
  readonly record: SeenRecord | undefined;
}

/** One that was found by what is in it need not be decoded again. */
type SeenRecord = StoredRecord & { readonly decoded?: Resource };

export async function located(surface: ArmSurface, found: Addressed): Promise<Located> {
  const { target, face, place, names } = found;
  const { name, record } = await storedAt(surface, face.kind, place, names);
  return { ...found, target: name === target.name ? target : { ...target, name }, record };
}

export interface StoredAt {
  /** Of what is there, or of what may be created there. */
  readonly name: string;
  readonly record: SeenRecord | undefined;
}

export async function storedAt(
  { intents, shown }: ArmSurface,
  kind: string,
  place: ArmPlace,
  { id, stored: name } = namesOf(place),
): Promise<StoredAt> {
  const namespace = namespaceOf(place.subscription);
  const usual = await intents.store.get({ kind, namespace, name });
  if (usual !== undefined && shown.isOf(usual.revision, id)) return { name, record: usual };
  const decoded = usual && resourceOf(usual);
  if (usual !== undefined && decoded !== undefined && isAt(decoded, id)) {
    return { name, record: { ...usual, decoded } };
  }
  const holder = await intents.store.nameHolder(uniquePlace(place));
  const record = holder && (await intents.store.get(holder));
  if (holder !== undefined && record !== undefined) return { name: holder.name, record };
  if (usual === undefined) return { name, record: undefined };
  // What has the usual name was moved away, and keeps it.
  return { name: saltedName(place, intents.ids.uid()), record: undefined };
}

/** Held by the resource that has the path. */
export function uniquePlace(place: ArmPlace): UniqueName {
  const digest = hash("sha256", idOfPlace(place).toLowerCase(), "hex");
  return { scope: "arm.setpoint.dev/path", name: digest };
}

/** What was not made through this surface is where its name says. */
function isAt(resource: Resource, id: string): boolean {
  const envelope = envelopeOf(resource);
  return envelope === undefined || envelope.id.toLowerCase() === id;
}
