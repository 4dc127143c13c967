// Whether a caBundle holds certificates: base64 of PEM in which at least one certificate can be
// read. Blocks of other types are passed over, as TLS clients do.

import { X509Certificate } from "node:crypto";

const pemBlock = /-----BEGIN ([^-\n]*)-----\r?\n([\s\S]*?)-----END \1-----/g;
const failure = "unable to load root certificates";

/** What is wrong, in the words of Kubernetes; an empty bundle means the system's certificates. */
export function caBundleProblem(bundle: string): string | undefined {
  if (bundle === "") return undefined;
  const text = Buffer.from(bundle, "base64").toString("latin1");
  const blocks = [...text.matchAll(pemBlock)];
  const certificates = blocks.filter(([, type, body = ""]) => {
    return type === "CERTIFICATE" && !body.includes(":");
  });
  if (certificates.some(([block]) => isCertificate(block))) return undefined;
  if (certificates.length > 0) {
    return `${failure}: failed to parse certificate: x509: malformed certificate`;
  }
  const rest = text.slice((blocks.at(-1)?.index ?? 0) + (blocks.at(-1)?.[0].length ?? 0));
  if (blocks.length > 0 && rest.trim() === "") {
    return `${failure}: no valid certificate authority data seen`;
  }
  return `${failure}: unable to parse bytes as PEM block`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
