// The formats of texts that are enforced: those that the Kubernetes API server enforces in
// custom resources, with its idea of each. All other formats are documentation. Dashes in the
// name of a format do not matter.

import { isCidr, isIpv4, isIpv6, isMac } from "./formats-network.ts";
import { isRequestUri, isEmail, isHostname } from "./formats-internet.ts";
import { isDate, isDateTime, isDuration } from "./formats-time.ts";

export type FormatCheck = (text: string) => boolean;

/** Undefined for a format that is not enforced. */
export function formatCheck(format: string): FormatCheck | undefined {
  return format === "" ? undefined : (checks.get(format) ?? checks.get(format.replaceAll("-", "")));
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const uuid5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const hexColor = /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const channel = "\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
const rgbColor = new RegExp(`^rgb\\(${channel},${channel},${channel}\\)$`);
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const ssn = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/;
const objectId = /^[0-9a-fA-F]{24}$/;
const cardNumber = new RegExp(
  "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}" +
    "|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$",
);

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", (text) => objectId.test(text)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", (text) => uuid.test(text)],
  ["uuid3", (text) => uuid3.test(text)],
  ["uuid4", (text) => uuid4.test(text)],
  ["uuid5", (text) => uuid5.test(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && ssn.test(text)],
  ["hexcolor", (text) => hexColor.test(text)],
  ["rgbcolor", (text) => rgbColor.test(text)],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
]);

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && base64.test(text);
}

function isIsbn10(text: string): boolean {
  const bare = text.replaceAll(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(bare)) return false;
  const digits = Array.from(bare).map((digit) => (digit === "X" ? 10 : Number(digit)));
  return digits.reduce((sum, digit, i) => sum + (i + 1) * digit, 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const bare = text.replaceAll(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(bare)) return false;
  const sum = Array.from(bare).reduce(
    (total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return sum % 10 === 0;
}

/** The number has a valid shape and a valid check digit (Luhn). */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled >= 10 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
