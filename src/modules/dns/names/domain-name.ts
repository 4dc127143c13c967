// Names of zones and records. A canonical name is in lower case and ends with a dot, so that two
// names are the same exactly when their texts are.

import { dnsLimits } from "../limits.ts";

/** What a record has as its name to have the name of the zone. */
export const apex = "@";

const label = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/** Undefined for a text that is not a name. */
export function canonicalName(text: string): string | undefined {
  const whole = text.toLowerCase().replace(/\.$/, "");
  if (whole.length > dnsLimits.maxNameChars) return undefined;
  const areLabels = whole
    .split(".")
    .every((each) => each.length <= dnsLimits.maxLabelChars && label.test(each));
  return areLabels ? `${whole}.` : undefined;
}

/** For the errors about names. */
export const nameRule =
  `must be a domain name of up to ${dnsLimits.maxNameChars} characters, in labels of letters, ` +
  `digits, "-" and "_" with up to ${dnsLimits.maxLabelChars} characters; use the form xn--... ` +
  "for other letters";

/**
 * The canonical name of a name within a zone. A name that ends with the name of the zone is fully
 * qualified, with or without its last dot. Undefined for a text that is not a name.
 */
export function qualifiedName(text: string, zone: string): string | undefined {
  if (text === apex) return zone;
  const name = canonicalName(text);
  if (name === undefined) return undefined;
  const isQualified = text.endsWith(".") || isWithin(name, zone);
  return isQualified ? name : canonicalName(`${name}${zone}`);
}

/** Whether a canonical name is that of the zone or below it. */
export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}
