// Why there is no Template of a name. An id without a version, or with a version that does not
// exist, means the newest version. Pure.

import { nearestName } from "../../../kernel/nearest-name.ts";
import { shortText } from "../../../kernel/short-text.ts";

export function missingTemplate(name: string, names: readonly string[]): string {
  const shown = JSON.stringify(shortText(name, 100));
  const detail = `there is no Template ${shown} in the namespace`;
  const [id = ""] = name.split(".v");
  const versions = names.filter((each) => each.startsWith(`${id}.v`)).toSorted(byVersion);
  const meant = versions.at(-1) ?? nearestName(name, names);
  return meant === undefined ? detail : `${detail}; did you mean ${meant}?`;
}

function byVersion(one: string, other: string): number {
  return versionIn(one) - versionIn(other);
}

function versionIn(name: string): number {
  return Number(name.slice(name.lastIndexOf(".v") + 2));
}
