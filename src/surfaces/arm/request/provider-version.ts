// The api-version of requests that are about no single type: any that the provider offers for one
// of its types. What the Resource Manager asks of every provider alike (preflight and moves) has
// versions of its own, which no face declares: there the version need only look like one.

import { armRefusal } from "../protocol/arm-error.ts";
import { isSameText } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmRequest } from "./arm-request.ts";
import type { ArmSurface } from "./surface-state.ts";
import { apiVersionPattern } from "../../../modules/resource-provider/faces/face-check.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import { sentence } from "../../../kernel/field-error-words.ts";
import type { FaceIndex } from "../../../modules/resource-provider/provider-state.ts";

/** Throws unless the version is one of the provider's; a provider that nobody knows has none. */
export function checkProviderVersion(
  { faces }: Pick<ArmSurface, "faces">,
  request: ArmRequest,
  provider: string,
): void {
  const asked = requiredVersion(request);
  if (isOffered(faces, request, provider, asked)) return;
  if (facesOfProvider(faces, provider).length === 0) {
    const message = `The resource namespace '${provider}' is invalid.`;
    throw armRefusal(404, { code: "InvalidResourceNamespace", message });
  }
  throw versionNotOffered(faces, provider, asked);
}

/** The Resource Manager's own: its versions are no matter of the providers. */
export function checkManagerVersion(request: ArmRequest): void {
  const asked = requiredVersion(request);
  if (apiVersionPattern.test(asked)) return;
  const message = `The api-version '${asked}' is invalid: it must be a date, as in '2026-01-01'`;
  throw armRefusal(400, { code: "InvalidApiVersionParameter", message: sentence(message) });
}

/** As it was sent; throws where there is none. */
export function requiredVersion({ query }: Pick<ArmRequest, "query">): string {
  const asked = query.get("api-version") ?? "";
  if (asked !== "") return asked;
  const message = "The api-version query parameter (?api-version=) is required for all requests.";
  throw armRefusal(400, { code: "MissingApiVersionParameter", message });
}

/** Customers, who come through the resource manager, know of no versions for operators. */
export function isOffered(
  faces: FaceIndex,
  { isManager }: Pick<ArmRequest, "isManager">,
  provider: string,
  asked: string,
): boolean {
  return facesOfProvider(faces, provider).some(({ versions }) =>
    versions.some(
      ({ apiVersion, isAdmin }) =>
        isSameText(apiVersion, asked) && !(isAdmin === true && isManager),
    ),
  );
}

export function versionNotOffered(faces: FaceIndex, provider: string, asked: string): Error {
  const offered = facesOfProvider(faces, provider).flatMap(({ versions }) =>
    versions.filter(({ isAdmin }) => isAdmin !== true).map(({ apiVersion }) => apiVersion),
  );
  const names = [...new Set(offered)].join(", ");
  const message =
    `The api-version '${asked}' is invalid for '${provider}'; ` +
    `the supported versions are '${names}'`;
  return armRefusal(400, { code: "InvalidApiVersionParameter", message: sentence(message) });
}

export function facesOfProvider(faces: FaceIndex, provider: string): readonly ArmFace[] {
  return faces.all().filter((face) => isSameText(face.provider, provider));
}
