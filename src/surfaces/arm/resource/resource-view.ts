// A stored resource as the Resource Manager shows it: the envelope in the case of the last write,
// and `properties` in the shape of the api-version, with the state that is true at this moment.

import type { JsonObject } from "../../../kernel/json.ts";
import { readStored } from "../../../intents/write/stored.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { keyOf } from "../../../kernel/resource.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Addressed } from "../request/addressed.ts";
import { asItIs } from "../../../modules/resource-provider/operations/applied-spec.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { etagOf } from "../protocol/etags.ts";
import { idOfPlace, shortId } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import { shownProperties } from "../face/face-body.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import type { Provisioning } from "../../../modules/resource-provider/operations/provisioning.ts";

interface Stored {
  readonly revision: number;
  readonly body: Buffer;
  /** The body, where somebody had to look into it already. */
  readonly decoded?: Resource | undefined;
}

export interface Shown {
  readonly body: JsonObject;
  readonly etag: string;
  readonly provisioning: Provisioning;
  readonly envelope: ArmEnvelope;
}

export type Viewed = Pick<Addressed, "face" | "version" | "served">;

/** Undefined for a resource of the kind that was not made through this surface. */
export async function shownResource(
  surface: ArmSurface,
  viewed: Viewed,
  stored: Stored,
  convert: typeof shownProperties = shownProperties,
): Promise<Shown | undefined> {
  const { face, version, served } = viewed;
  const resource = await currentResource(served, stored);
  const envelope = envelopeOf(resource);
  if (envelope === undefined) return undefined;
  const provisioning = provisioningIn(surface, face, resource, envelope);
  const etag = etagOf(stored.revision);
  const real = await asItIs(surface, face, served, resource, provisioning);
  const properties = await convert(version, served, real);
  const { id, name, location, tags, systemData } = envelope;
  const body = {
    id,
    name,
    type: `${face.provider}/${face.type}`,
    ...(location === "" ? {} : { location }),
    tags: { ...tags },
    etag,
    ...(systemData === undefined ? {} : { systemData }),
    properties: { ...properties, provisioningState: provisioning.state },
  };
  return { body, etag, provisioning, envelope };
}

/** The same among others: one that its face cannot convert is shown without its own properties. */
export async function listedResource(
  surface: ArmSurface,
  viewed: Viewed,
  stored: Stored,
): Promise<Shown | undefined> {
  return await shownResource(surface, viewed, stored, async (version, served, resource) => {
    try {
      return await shownProperties(version, served, resource);
    } catch (error) {
      const { provider, type } = viewed.face;
      const { apiVersion } = version;
      const key = keyOf(served.id, resource);
      surface.onUnshown?.(error, { type: `${provider}/${type}`, apiVersion, key });
      return {};
    }
  });
}

export function resourceNotFound({ place, face }: Pick<Addressed, "place" | "face">): Error {
  const { group = "" } = place;
  const name = shortId(face, place);
  const message = `The Resource '${name}' under resource group '${group}' was not found.`;
  return armRefusal(404, { code: "ResourceNotFound", message });
}

export function envelopeFor(place: ArmPlace): { readonly id: string; readonly name: string } {
  return { id: idOfPlace(place), name: place.names.at(-1) ?? "" };
}

/** As it is stored. */
export function resourceOf({ decoded, body, revision }: Stored): Resource {
  return decoded ?? decodeDocument(body, revision);
}

/** In the storage version, by the schema of today. */
async function currentResource(served: Addressed["served"], stored: Stored): Promise<Resource> {
  const resource = resourceOf(stored);
  const { storage, cleanSince } = served;
  const isCurrent = resource.apiVersion === storage.apiVersion && stored.revision >= cleanSince;
  return isCurrent ? resource : await readStored(served, storage, stored);
}
