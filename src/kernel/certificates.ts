// Certificates as PEM, checked before they are used. No error quotes what it was given.

import { X509Certificate } from "node:crypto";

/** What is wrong with a text that should contain certificates as PEM; undefined: nothing. */
export function certificatesProblem(text: string): string | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return "does not contain a certificate (PEM)";
  const isWrong = blocks.some((block) => certificateIn(block) === undefined);
  return isWrong ? "contains a certificate that cannot be parsed" : undefined;
}

/** Undefined when the text is not a certificate. */
export function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
