/** The addresses on which a server listens: with TLS, and for the console of `dev` without it. */
import type { AddressInfo } from "node:net";
import { isSetpointError } from "../kernel/errors.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Exchange } from "../surfaces/http/exchange.ts";
import { startLoopbackServer } from "../surfaces/http/loopback-server.ts";
import { startHttpServer } from "../surfaces/http/server.ts";
import type { HttpServer, ListenerInput } from "../surfaces/http/server.ts";
import type { ServeConfig } from "./config.ts";
import type { ConsoleConfig } from "./console/console-config.ts";
import type { Credentials } from "./credentials.ts";
import { peerCertificateOf } from "./tls/peer-certificate.ts";

export interface ListenersInput extends Pick<
  ListenerInput,
  "handle" | "onError" | "writeStallMs" | "bodyPaceMs"
> {
  readonly config: Pick<ServeConfig, "listen" | "console">;
  readonly credentials: Pick<Credentials, "tls">;
}

export interface Listeners {
  readonly url: string;
  /** Undefined without such a listener. */
  readonly loopbackOrigin: string | undefined;
  /** For connections with TLS from now on. */
  readonly useCertificate: (certificate: { readonly key: string; readonly cert: string }) => void;
  stop(): Promise<void>;
}

export async function startListeners(input: ListenersInput): Promise<Listeners> {
  const { config, credentials, ...rest } = input;
  const shared = { ...rest, timers: systemTimers };
  const { tls } = credentials;
  const main = await startHttpServer({
    ...shared,
    ...config.listen,
    tls,
    certificateOf: peerCertificateOf,
  });
  try {
    const loopback = await startLoopback(shared, config.console);
    return {
      url: addressUrl("https", main.address),
      useCertificate: main.useCertificate,
      loopbackOrigin: loopback && addressUrl("http", loopback.address),
      stop: async () => void (await Promise.all([main.stop(), loopback?.stop()])),
    };
  } catch (error) {
    await main.stop();
    throw error;
  }
}

async function startLoopback(
  shared: Omit<ListenerInput, "host" | "port">,
  { isServed, listen }: ConsoleConfig,
): Promise<HttpServer | undefined> {
  if (!isServed || listen === undefined) return undefined;
  const { host, port, isDefault = false } = listen;
  const input = { ...shared, handle: toConsole(shared.handle), host };
  try {
    return await startLoopbackServer({ ...input, port });
  } catch (error) {
    // Another server of this user may have it; no user has chosen this port.
    if (!isDefault || !isSetpointError(error, "address.in_use")) throw error;
    return await startLoopbackServer({ ...input, port: 0 });
  }
}

/** A browser that opens the bare address is led to the console. */
function toConsole(handle: ListenerInput["handle"]): ListenerInput["handle"] {
  return async (exchange: Exchange) => {
    const isBare = exchange.url === "/" && exchange.method === "GET";
    if (isBare) exchange.send(303, { location: "/console/", "cache-control": "no-store" });
    else await handle(exchange);
  };
}

/** A server that listens on all addresses is reached on this machine by the local one. */
function addressUrl(scheme: "http" | "https", { address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `${scheme}://127.0.0.1:${port}`;
  return `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
