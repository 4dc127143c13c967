// From a path to what it is about: the face, the api-version, the kind and where the resource is
// stored. Whatever does not fit is refused in the words that the Resource Manager uses for it.

import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { Target } from "../../../intents/request.ts";
import { armRefusal, armRefusals } from "../protocol/arm-error.ts";
import { isSameText, namesOf, namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import type { PlaceNames } from "../../../modules/resource-provider/arm-names.ts";
import { typeOfPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmRequest } from "./arm-request.ts";
import type { ArmSurface } from "./surface-state.ts";
import type { RequiredRight } from "./authorise.ts";
import type { ArmFace, ArmVersion } from "../../../modules/resource-provider/face.ts";
import { nameProblems } from "../protocol/name-rules.ts";

export interface Addressed {
  readonly place: ArmPlace;
  readonly names: PlaceNames;
  readonly face: ArmFace;
  readonly version: ArmVersion;
  readonly served: ServedKind;
  /** The resource; with no name for a collection. */
  readonly target: Target;
}

export function addressed(surface: ArmSurface, request: ArmRequest, place: ArmPlace): Addressed {
  const face = faceOf(surface, place);
  const problems = nameProblems(place);
  if (problems.length > 0) throw armRefusals(problems);
  const served = surface.intents.kinds.byId(face.kind);
  if (served === undefined) throw unknownType(place);
  const version = versionOf(face, request);
  const { parsedUrl } = request;
  const isParsed = parsedUrl.path === place;
  const names = (isParsed ? parsedUrl.names : undefined) ?? namesOf(place);
  const isResource = place.types.length === place.names.length;
  const target = {
    served,
    version: served.storage,
    namespace: namespaceOf(place.subscription),
    name: isResource ? names.stored : "",
    subresource: "",
  };
  return { place, names, face, version, served, target };
}

/** What is wrong with the api-version of a request is told without looking anything up. */
export function versionOf(face: ArmFace, request: ArmRequest): ArmVersion {
  const asked = requestedVersion(request);
  if (asked === "") {
    const message = "The api-version query parameter (?api-version=) is required for all requests.";
    throw armRefusal(400, { code: "MissingApiVersionParameter", message });
  }
  const found = face.versions.find(({ apiVersion }) => isSameText(apiVersion, asked));
  // Customers, who come through the resource manager, do not even learn that there are others.
  if (found !== undefined && !(found.isAdmin === true && request.isManager)) return found;
  throw unknownVersion(face, asked);
}

/** Versions for operators are not among those that are offered. */
export function unknownVersion(face: ArmFace, asked: string): Error {
  const offered = face.versions.filter(({ isAdmin }) => isAdmin !== true);
  const names = offered.map(({ apiVersion }) => apiVersion).join(", ");
  const message =
    `The api-version '${asked}' is invalid for the type '${face.provider}/${face.type}'; ` +
    `the supported versions are '${names}'.`;
  return armRefusal(400, { code: "InvalidApiVersionParameter", message });
}

/** The right that a request in an api-version requires. */
export function rightInVersion(
  request: Pick<ArmRequest, "query">,
  { face, version, target }: Pick<Addressed, "face" | "version" | "target">,
  verb: string,
): RequiredRight {
  const { namespace, name } = target;
  if (version.isAdmin !== true) return { verb, namespace, name };
  return { verb, namespace, name, hidden: () => unknownVersion(face, requestedVersion(request)) };
}

function requestedVersion({ query }: Pick<ArmRequest, "query">): string {
  return query.get("api-version") ?? "";
}

export function faceOf({ faces }: ArmSurface, place: ArmPlace): ArmFace {
  const face = faces.find(place.provider, typeOfPlace(place));
  if (face !== undefined) return face;
  if (faces.all().some(({ provider }) => isSameText(provider, place.provider))) {
    throw unknownType(place);
  }
  const message = `The resource namespace '${place.provider}' is invalid.`;
  throw armRefusal(404, { code: "InvalidResourceNamespace", message });
}

function unknownType(place: ArmPlace): Error {
  const type = typeOfPlace(place);
  const message = `The resource type '${type}' could not be found in '${place.provider}'.`;
  return armRefusal(404, { code: "InvalidResourceType", message });
}
