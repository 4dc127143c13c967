/**
 * One running server: the store, the control plane over it, and what answers for both. Started
 * whole or not at all, and stopped in the reverse order: not ready, watches ended, accepted work
 * answered, store closed.
 */
import { hostname } from "node:os";
import { createAuthentication } from "../intents/auth/authentication.ts";
import { serviceAccountTokenAuthenticator } from "../intents/auth/service-account-token.ts";
import { adminTokenAuthenticator } from "../intents/auth/static-tokens.ts";
import { extraSubresources } from "../intents/builtin/builtin-kinds.ts";
import { systemIds } from "../kernel/ids.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import { startHttpServer } from "../surfaces/http/server.ts";
import type { Exchange } from "../surfaces/http/exchange.ts";
import { kubeApi } from "../surfaces/kube/api.ts";
import type { KubeApi } from "../surfaces/kube/api.ts";
import { apiDocuments } from "../surfaces/kube/documents.ts";
import { reviewHandlers } from "../surfaces/kube/reviews.ts";
import { versionPath } from "../surfaces/kube/version.ts";
import type { Logger } from "../telemetry/log.ts";
import { storeLabel } from "./config.ts";
import type { ServeConfig } from "./config.ts";
import { openControlPlane } from "./control-plane.ts";
import type { ControlPlane } from "./control-plane.ts";
import { healthPaths, isHealthPath } from "./health.ts";
import { openStore } from "./open-store.ts";
import { openCredentials } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { peerCertificateOf } from "./tls/peer-certificate.ts";

export interface RunningServer {
  readonly url: string;
  readonly store: Store;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export async function startServer(config: ServeConfig, log: Logger): Promise<RunningServer> {
  await using undo = new AsyncDisposableStack();
  const store = await openStore(config, { access: "write" });
  undo.defer(() => store.close());
  const stopping = new AbortController();
  const plane = undo.use(await openControlPlane(store, log));
  const credentials = await openCredentials({
    folder: config.dataFolder,
    hosts: [config.listen.host, hostname()],
    intents: plane.intents,
  });
  let address = "";
  const handle = apiFor({ plane, credentials, log, stopping: stopping.signal, url: () => address });
  const { host, port } = config.listen;
  const http = await startHttpServer({
    host,
    port,
    tls: credentials.tls,
    certificateOf: peerCertificateOf,
    handle,
    timers: systemTimers,
  });
  address = addressUrl(http.address);
  const kubeconfig = credentials.writeKubeconfig(address);
  for (const hazard of await store.hazards()) log.warn({ hazard }, "durability at risk");
  log.info({ url: address, store: storeLabel(config.store) }, "server ready");
  const running = undo.move();
  return {
    url: address,
    store,
    kubeconfig,
    stop: async () => {
      stopping.abort();
      await http.stop();
      await running.disposeAsync();
      log.info({}, "server stopped");
    },
  };
}

interface ApiInput {
  readonly plane: ControlPlane;
  readonly credentials: Credentials;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly url: () => string;
}

function apiFor({ plane, credentials, log, stopping, url }: ApiInput): KubeApi {
  const { intents, feed, hub, rbac } = plane;
  const { signer, lookup, adminToken, apiAudiences } = credentials;
  const authentication = createAuthentication({
    tokens: [
      adminTokenAuthenticator({ token: adminToken, apiAudiences }),
      serviceAccountTokenAuthenticator({ signer, lookup, apiAudiences, clock: intents.clock }),
    ],
    apiAudiences,
    isAnonymousAllowed: true,
  });
  return kubeApi({
    surface: { intents, feed, hub, timers: systemTimers, stopping },
    authentication,
    authorizer: rbac,
    documents: apiDocuments({
      kinds: intents.kinds,
      subresources: extraSubresources,
      serverAddress: () => url().replace("https://", ""),
      serverVersion: "v1.34.0",
    }),
    paths: [healthPaths({ store: intents.store, timers: systemTimers, stopping }), versionPath],
    special: reviewHandlers({
      rbac,
      authentication,
      signer,
      lookup,
      apiAudiences,
      maxTokenSeconds: maxTokenSeconds,
    }),
    isOpen: isHealthPath,
    ids: systemIds,
    onError: (error, { method, url: target }: Exchange) =>
      log.error({ error, method, path: target.split("?", 1)[0] }, "request failed"),
  });
}

const maxTokenSeconds = 86_400 * 365;

function addressUrl({
  address,
  family,
  port,
}: {
  address: string;
  family: string;
  port: number;
}): string {
  return `https://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
