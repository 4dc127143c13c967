// How connections are opened: with the trust of the client, to the address that was judged.

import { lookup } from "node:dns";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { rootCertificates } from "node:tls";
import { AddressRefused } from "./failures.ts";
import type { HttpClientOptions, TlsMaterial } from "./port.ts";

export interface TlsOptions {
  readonly ca?: string[];
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

export function tlsOptions(tls: TlsMaterial = {}): TlsOptions {
  const { ca, isPublicTrusted = false, certificate, key, isUnverified = false } = tls;
  return {
    ...(ca === undefined ? {} : { ca: isPublicTrusted ? [...rootCertificates, ca] : [ca] }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(isUnverified ? { rejectUnauthorized: false } : {}),
  };
}

type Refuse = NonNullable<HttpClientOptions["refuseAddress"]>;

/** Throws if the host is an address that is refused; names are judged once they are resolved. */
export function refuseLiteral(refuse: Refuse | undefined, host: string): void {
  const why = isIP(host) === 0 ? undefined : refuse?.(host, host);
  if (why !== undefined) throw new AddressRefused(why);
}

/** Resolves names as Node does, and fails if any of the addresses is refused. */
export function judgingLookup(refuse: Refuse): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const whys = (addresses ?? []).map(({ address }) => refuse(address, host));
      const why = whys.find((each) => each !== undefined);
      const refusal = why === undefined ? error : new AddressRefused(why);
      if (refusal !== null) callback(refusal, "", 4);
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 4);
    });
  };
}

/** Without the brackets of an IPv6 address. */
export function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
