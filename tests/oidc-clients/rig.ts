// A real server and a real OpenID provider behind a proxy that can fail. Every rig has one issuer,
// which two namespaces may use. The credentials in a Secret are proven by a token of the provider.
import type { JsonObject } from "../../src/kernel/json.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";
import { Resources, applyToServer } from "../peers/resources.ts";
import type { Reconciled } from "../peers/resources.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";

export const apiVersion = "oidc.setpoint.dev/v1";

export interface OidcClient extends Reconciled {
  readonly status?: Reconciled["status"] & {
    readonly clientId?: string;
    readonly secretName?: string;
    readonly registrations?: Readonly<Record<string, JsonObject>>;
    readonly pending?: JsonObject;
    readonly unconfirmed?: number;
  };
}

export interface Credentials {
  readonly clientId: string;
  readonly secret: string;
  readonly issuer: string;
}

export interface OidcRig extends AsyncDisposable {
  readonly server: Setpoint;
  readonly provider: OidcPeer;
  /** Between the two. */
  readonly proxy: FaultProxy;
  readonly issuers: Resources;
  readonly clients: Resources<OidcClient>;
  clientsIn(namespace: string): Resources<OidcClient>;
  /** Stores the initial access token. */
  setToken(token: string): Promise<void>;
  /** What a Secret has; undefined when it does not exist. */
  credentials(secretName: string): Promise<Credentials | undefined>;
  /** The same, after the provider has issued a token for them. */
  working(secretName: string): Promise<Credentials>;
}

export interface OidcRigOptions {
  readonly setpoint?: SetpointOptions;
  /** Whether the provider derives the client_id from the software_id. */
  readonly isIdentified?: boolean;
}

export async function startOidcRig(options: OidcRigOptions = {}): Promise<OidcRig> {
  const { setpoint = {}, isIdentified = true } = options;
  await using stack = new AsyncDisposableStack();
  let target = "";
  const proxy = stack.use(await startFaultProxy({ target: () => target }));
  const provider = stack.use(
    await startOidcProvider({ issuer: proxy.url, hasIdsOfSoftware: isIdentified }),
  );
  target = provider.url;
  const server = stack.use(await startSetpoint(setpoint));
  const setToken = async (token: string): Promise<void> => {
    const metadata = { name: "registration", namespace: "default" };
    const stringData = { token };
    await applyToServer(server, { apiVersion: "v1", kind: "Secret", metadata, stringData });
  };
  await setToken(provider.initialAccessToken);
  for (const name of ["friends", "strangers"]) {
    await applyToServer(server, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const issuers = new Resources(() => server, { apiVersion, kind: "OidcIssuer", namespace: "" });
  await issuers.create("company", issuerSpec(proxy.url, isIdentified));
  await issuers.ready("company");
  const clientsIn = (namespace: string): Resources<OidcClient> =>
    new Resources<OidcClient>(() => server, { apiVersion, kind: "OidcClient", namespace });
  const credentials = (name: string): Promise<Credentials | undefined> => secretOf(server, name);
  const owned = stack.move();
  return {
    server,
    provider,
    proxy,
    issuers,
    clients: clientsIn("default"),
    clientsIn,
    setToken,
    credentials,
    working: async (name) => {
      const found = await credentials(name);
      if (found === undefined) throw new Error(`there is no Secret ${name}`);
      await provider.tokenWith(found);
      return found;
    },
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

export function issuerSpec(
  issuer: string,
  isIdentified: boolean,
  more: JsonObject = {},
): JsonObject {
  const secretRef = { namespace: "default", name: "registration", key: "token" };
  const softwareId = isIdentified ? "Identifies" : "Ignored";
  return {
    issuer,
    registration: { initialAccessToken: { secretRef }, softwareId },
    allow: { namespaces: { names: ["default", "friends"] } },
    ...more,
  };
}

/** A client that gets tokens for itself. */
export function clientSpec(secretName: string, more: JsonObject = {}): JsonObject {
  return {
    issuer: "company",
    clientName: "Dinosaurs",
    grantTypes: ["client_credentials"],
    secretName,
    ...more,
  };
}

async function secretOf(server: Setpoint, name: string): Promise<Credentials | undefined> {
  const { status, body } = await server.ask(`/api/v1/namespaces/default/secrets/${name}`);
  if (status === 404) return undefined;
  const { data = {} } = JSON.parse(body.toString()) as { data?: Readonly<Record<string, string>> };
  const at = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  return { clientId: at("client_id"), secret: at("client_secret"), issuer: at("issuer") };
}
