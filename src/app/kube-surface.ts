/** The Kubernetes surface of a control plane, with everything it needs from this process. */
import type { Authentication } from "../intents/auth/authentication.ts";
import {
  openidConfiguration,
  openidConfigurationPath,
  openidConfigurationType,
  openidKeys,
  openidKeysPath,
  openidKeysType,
  openidMaxAgeSeconds,
} from "../intents/auth/openid-discovery.ts";
import { extraSubresources } from "../intents/builtin/builtin-kinds.ts";
import { openLives } from "../intents/read/lives.ts";
import { systemIds } from "../kernel/ids.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { kubeApi } from "../surfaces/kube/api.ts";
import type { PathHandler } from "../surfaces/kube/api.ts";
import { apiDocuments } from "../surfaces/kube/documents.ts";
import { reviewHandlers } from "../surfaces/kube/reviews.ts";
import { subresourceHandlers } from "../surfaces/kube/subresources.ts";
import { gitVersion, versionPath } from "../surfaces/kube/version.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Credentials } from "./credentials.ts";
import { healthPaths, isHealthPath } from "./health.ts";
import type { HealthOptions } from "./health.ts";
import type { Worker } from "./reconciling.ts";
import type { ObservedRequests } from "./observe-requests.ts";
import { operationsPath } from "./operations/operations-path.ts";
import { whyHandler, whySubresource } from "./operations/why-handler.ts";
import type { UserModules } from "./user-modules.ts";

export interface KubeSurfaceInput {
  readonly plane: ControlPlane;
  readonly modules: Pick<UserModules, "broken">;
  /** The workers of this process, where it has any. */
  readonly worker: Worker | undefined;
  /** Whether no other process has the store. */
  readonly isAlone: boolean;
  readonly credentials: Credentials;
  readonly authentication: Authentication;
  readonly stopping: AbortSignal;
  readonly observed: Pick<ObservedRequests, "path">;
  readonly health: HealthOptions;
  /** Known once the server listens. */
  readonly url: () => string;
}

const maxTokenSeconds = 86_400 * 365;

export function kubeSurface(input: KubeSurfaceInput): HttpSurface {
  const { plane, modules, worker, isAlone, credentials, authentication } = input;
  const { stopping, url, observed, health } = input;
  const { intents, feed, hub, rbac, heavy } = plane;
  const { signer, lookup, apiAudiences } = credentials;
  const reviews = { rbac, authentication, signer, lookup, apiAudiences, maxTokenSeconds };
  const { store, live } = intents;
  const lives = openLives({ store, live, authorizer: rbac });
  return kubeApi({
    surface: { intents, feed, hub, lives, timers: systemTimers, heavy, stopping },
    authorizer: rbac,
    documents: apiDocuments({
      kinds: intents.kinds,
      subresources: extraSubresources,
      serverAddress: () => url().replace("https://", ""),
      serverVersion: gitVersion,
    }),
    paths: [
      healthPaths(health),
      versionPath,
      observed.path,
      openidPaths(credentials, url),
      operationsPath({ ...plane, isAlone, broken: () => modules.broken() }, worker),
    ],
    special: new Map([
      ...reviewHandlers(reviews),
      [whySubresource, whyHandler({ ...plane, worker, isAlone, broken: () => modules.broken() })],
      ...subresourceHandlers(plane.modules.subresources),
    ]),
    isOpen: (path) => isHealthPath(path, health.checks),
    ids: systemIds,
  });
}

/** Others may check our tokens by these documents, as they would those of any provider. */
function openidPaths({ signer }: Credentials, url: () => string): PathHandler {
  const { issuer, keys } = signer;
  return (exchange, { path }) => {
    const isKeys = path === openidKeysPath;
    if (!isKeys && path !== openidConfigurationPath) return false;
    const keysUrl = `${url()}${openidKeysPath}`;
    const document = isKeys ? openidKeys(keys) : openidConfiguration({ issuer, keysUrl, keys });
    const headers = {
      "content-type": isKeys ? openidKeysType : openidConfigurationType,
      "cache-control": `public, max-age=${openidMaxAgeSeconds}`,
    };
    exchange.send(200, headers, JSON.stringify(document));
    return true;
  };
}
