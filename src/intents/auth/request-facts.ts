// What authentication may look at of a request, and nothing else of it.

export interface RequestFacts {
  readonly headers: RequestHeaders;
  /** GET when left out. */
  readonly method?: string | undefined;
  /** Whether the request came over TLS; true when left out. */
  readonly isSecure?: boolean | undefined;
  /** Only when TLS has verified it against our own authority. */
  readonly peerCertificate?: PeerCertificate | undefined;
}

/** By lower-case name. A header that came several times has all its values. */
export interface RequestHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Of the whole certificate, in lower-case hexadecimal. */
  readonly sha256: string;
}

export function headerValues(headers: RequestHeaders, name: string): readonly string[] {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
