/**
 * One running server: the store, the control plane over it, and what answers for both. Started
 * whole or not at all, and stopped in the reverse order: not ready, watches ended, accepted work
 * answered, store closed.
 */
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { forgetHistory } from "../intents/housekeeping/history.ts";
import type { WatchHub } from "../intents/watch/watch-hub.ts";
import { systemClock } from "../kernel/clock.ts";
import { every, systemTimers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import { startHttpServer } from "../surfaces/http/server.ts";
import type { Logger } from "../telemetry/log.ts";
import { openAuditLog } from "./audit-log.ts";
import type { AuditLog } from "./audit-log.ts";
import { openAuthentication } from "./authenticators.ts";
import { storeLabel } from "./config.ts";
import type { ServeConfig } from "./config.ts";
import { openControlPlane } from "./control-plane.ts";
import { openCredentials } from "./credentials.ts";
import { kubeSurface } from "./kube-surface.ts";
import { openStore } from "./open-store.ts";
import { peerCertificateOf } from "./tls/peer-certificate.ts";

export interface RunningServer {
  readonly url: string;
  readonly store: Store;
  /** Where the file is that kubectl needs. */
  readonly kubeconfig: string;
  /** Where the certificate is that clients check the server by. */
  readonly authorityFile: string;
  /** Who watches: the count goes back to zero when clients have left. */
  readonly hub: WatchHub;
  stop(): Promise<void>;
}

const historySweepMs = 3_600_000;

export async function startServer(config: ServeConfig, log: Logger): Promise<RunningServer> {
  await using undo = new AsyncDisposableStack();
  const store = await openStore(config, { access: "write" });
  undo.defer(() => store.close());
  const stopping = new AbortController();
  const plane = undo.use(await openControlPlane(store, log));
  const credentials = await openCredentials({
    folder: config.dataFolder,
    hosts: [config.listen.host, hostname(), ...config.hosts],
    intents: plane.intents,
  });
  const authentication = openAuthentication(config, credentials, systemClock);
  const audit = await openAudit(config, log);
  if (audit !== undefined) undo.use(audit);
  let url = "";
  const http = await startHttpServer({
    ...config.listen,
    tls: credentials.tls,
    certificateOf: peerCertificateOf,
    handle: kubeSurface({
      plane,
      credentials,
      authentication,
      log,
      stopping: stopping.signal,
      audit,
      url: () => url,
    }),
    timers: systemTimers,
  });
  url = addressUrl(http.address);
  const kubeconfig = credentials.writeKubeconfig(url);
  for (const hazard of await store.hazards()) log.warn({ hazard }, "durability at risk");
  undo.defer(startForgetting(config, store, log));
  log.info({ url, store: storeLabel(config.store) }, "server ready");
  const running = undo.move();
  return {
    url,
    store,
    hub: plane.hub,
    kubeconfig,
    authorityFile: credentials.authorityFile,
    stop: async () => {
      stopping.abort();
      await http.stop();
      await running.disposeAsync();
      log.info({}, "server stopped");
    },
  };
}

async function openAudit({ audit }: ServeConfig, log: Logger): Promise<AuditLog | undefined> {
  if (audit === undefined) return undefined;
  return await openAuditLog({ policy: audit.policyFile, path: audit.logFile, log });
}

/** Keeps history within its time; the returned function ends it. */
function startForgetting(
  { historyMs: keepMs }: ServeConfig,
  store: Store,
  log: Logger,
): () => Promise<void> {
  if (keepMs === undefined) return () => Promise.resolve();
  const stop = new AbortController();
  const forget = async (): Promise<void> => {
    try {
      await forgetHistory(store, { nowMs: systemClock.nowMs(), keepMs }, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ error }, "history not compacted");
    }
  };
  const sweeping = every(systemTimers, Math.min(historySweepMs, keepMs), forget, stop.signal);
  return async () => {
    stop.abort();
    await sweeping;
  };
}

/** Who listens on all addresses is reached on this machine by the local one. */
function addressUrl({ address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `https://127.0.0.1:${port}`;
  return `https://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
