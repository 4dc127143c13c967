// A refusal, as data.

import type { ManifestError, RenderRefusal, RenderRefused } from "./renderer.ts";

export function refused(
  reason: RenderRefusal,
  message: string,
  errors: readonly ManifestError[] = [],
): RenderRefused {
  return { kind: "refused", reason, message, errors };
}

export function refusedManifests(errors: readonly ManifestError[]): RenderRefused {
  const [first] = errors;
  const place = first === undefined ? "" : `${placeText(first)}: `;
  const rest = errors.length > 1 ? `, and ${errors.length - 1} further errors` : "";
  return refused("ManifestInvalid", `${place}${first?.message ?? ""}${rest}`, errors);
}

function placeText({ file, line }: ManifestError): string {
  return line === undefined ? file : `${file} line ${line}`;
}
