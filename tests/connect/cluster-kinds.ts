// Clusters of another Setpoint, as an import of the Swagger document that it serves describes them.
// Added by hand is when one can be used, and where the credentials are.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { importDocument } from "../../src/modules/connect/import/import-document.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { root } from "../../tools/stages.ts";

const group = "rp.tests.dev";
export const apiVersion = `${group}/v1`;
export const openShiftLike = join(root, "examples/openshift-like/openshift-like.ts");
export const documentPath = "/swagger/Example.OpenShift/2026-01-01.json";
const subscription = "11111111-2222-3333-4444-555555555555";
/** Has to be registered before anything is made in it. */
export const subscriptionPath = `/subscriptions/${subscription}?api-version=2.0`;

export const clusterPath = (name: string): string =>
  `/subscriptions/${subscription}/resourceGroups/shop/providers/Example.OpenShift` +
  `/clusters/${name}?api-version=2026-01-01`;

export interface ClusterOptions {
  /** Of the proxy before the other server. */
  readonly url: string;
  /** To be asked by, and to trust. */
  readonly other: { readonly token: string; readonly ca: string };
  /** What it serves at `documentPath`. */
  readonly document: string;
}

export async function clusterKinds(options: ClusterOptions): Promise<readonly JsonObject[]> {
  const { url, other, document } = options;
  const folder = await mkdtemp(join(tmpdir(), "setpoint-swagger-"));
  try {
    const file = join(folder, "openshift.json");
    await writeFile(file, document);
    const { kinds } = await importDocument({
      document: file,
      baseUrl: url,
      group,
      connection: "other",
      values: { subscriptionId: subscription },
      allowed: [],
      target: { kind: "none" },
      openHttp: httpWith(systemTimers),
    });
    const made = kinds.flatMap(({ definition, restKind }) => [definition, reviewed(restKind)]);
    return [...connection(url, other), ...made];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function connection(url: string, { token, ca }: ClusterOptions["other"]): readonly JsonObject[] {
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "other", namespace: "default" },
      stringData: { token, password: "not a real one" },
    },
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "other" },
      spec: {
        baseUrl: url,
        secretNamespace: "default",
        auth: { kind: "bearer", secret: "other" },
        tls: { ca },
        // One bad moment must not make the others wait.
        breaker: { failures: 1_000 },
      },
    },
  ];
}

function reviewed(restKind: JsonObject): JsonObject {
  const spec = restKind["spec"] as JsonObject;
  const ready = "observed.properties.provisioningState == 'Succeeded'";
  return { ...restKind, spec: { ...spec, ready, resyncSeconds: 3_600 } };
}

const secrets = [
  {
    field: "/properties/servicePrincipalProfile/clientSecret",
    secret: "other",
    key: "password",
  },
];

/** How a resource says where its cluster is, and where its secret is taken from. */
export const management = { parameters: { resourceGroupName: "shop" }, secrets };
/** The same without a secret, of which nobody can tell whether it is the one that is set there. */
export const withoutSecret = { parameters: { resourceGroupName: "shop" } };

export const cluster = (name: string, more: JsonObject = {}): JsonObject => ({
  location: "westeurope",
  properties: {
    domain: `${name}.example.com`,
    servicePrincipalProfile: { clientId: "installer" },
    ...more,
  },
});
