// A real OpenID provider (npm oidc-provider) on the loopback address, in the test process. Clients
// and people have the claims that a test chooses; access tokens are signed JWTs. It serves the
// client-credentials grant, the device grant with refresh tokens, and dynamic registration
// (RFC 7591) with management (RFC 7592). Its keys can be rotated while it runs. Several can run at
// the same time, one issuer each.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { CryptoKey, JWK, JWTHeaderParameters, JWTPayload } from "jose";
import { Provider } from "oidc-provider";
import type { ClientMetadata, Configuration, KoaContextWithOIDC } from "oidc-provider";
import type { JsonObject } from "../../src/kernel/json.ts";
import { OidcBrowser } from "./oidc-browser.ts";
import { oidcStorage } from "./oidc-storage.ts";

export interface OidcProviderOptions {
  /** Where clients reach it, if that is not its own address, such as the URL of a proxy. */
  readonly issuer?: string;
  readonly algorithm?: "RS256" | "ES256";
  /** The claim "aud" of every access token, unless the client asks for a resource. */
  readonly audience?: string;
  readonly tokenTtlSeconds?: number;
  readonly idTokenTtlSeconds?: number;
  readonly clients?: readonly OidcClient[];
  /** The claims of people by their login. The login is the claim "sub". */
  readonly people?: Readonly<Record<string, Claims>>;
  /** PEM of a certificate for 127.0.0.1 and of its key; http when left out. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whether each update of a client (RFC 7592) gets a new registration token. */
  readonly rotatesRegistrationTokens?: boolean;
  /** Whether registrations with the same software_id have the same client_id. */
  readonly hasIdsOfSoftware?: boolean;
}

export interface OidcClient {
  readonly id: string;
  /** A client without a secret is public: it can use the device grant only. */
  readonly secret?: string;
  /** Of its own access tokens. */
  readonly claims?: Claims;
  /** Where people return after they have signed in with the code flow. */
  readonly redirectUris?: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK & { readonly kid: string };
}

/** Resources are URIs for the provider; this one is used when a client names none. */
const usualResource = "urn:setpoint:api";
const otherTtlSeconds = {
  DeviceCode: 600,
  Grant: 3_600,
  IdToken: 300,
  Interaction: 600,
  RefreshToken: 3_600,
  Session: 3_600,
};
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export async function startOidcProvider(options: OidcProviderOptions = {}): Promise<OidcPeer> {
  const server = options.tls === undefined ? createServer() : createSecureServer(options.tls);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const peer = new OidcPeer(server, options);
  await peer.rotateKeys();
  return peer;
}

export class OidcPeer implements AsyncDisposable {
  /** Its own address. */
  readonly url: string;
  readonly issuer: string;
  /** What dynamic registration wants as its bearer token. */
  readonly initialAccessToken = "only-for-tests";
  /** Every request so far, such as "GET /jwks". */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #options: OidcProviderOptions;
  readonly #storage = oidcStorage();
  readonly #claims = new Map<string, Claims>();
  #keys: readonly SigningKey[] = [];
  #handle: ReturnType<Provider["callback"]> | undefined;
  #isDown = false;

  constructor(server: Server, options: OidcProviderOptions) {
    const scheme = options.tls === undefined ? "http" : "https";
    this.url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.issuer = options.issuer ?? this.url;
    this.#server = server;
    this.#options = options;
    for (const { id, claims = {} } of options.clients ?? []) this.setClaims(id, claims);
    for (const [login, claims] of Object.entries(options.people ?? {})) {
      this.setClaims(login, claims);
    }
    server.on("request", (request, response) => {
      this.requests.push(`${request.method} ${new URL(request.url ?? "", this.issuer).pathname}`);
      if (this.#isDown) response.writeHead(503).end();
      else void this.#handle?.(request, response);
    });
  }

  get registrationUrl(): string {
    return `${this.issuer}/reg`;
  }

  get devicePage(): string {
    return `${this.issuer}/device`;
  }

  /** The key that signs. */
  get key(): SigningKey {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("the provider has no key before its start");
    return key;
  }

  /** The claims of the later access tokens of a client or of a person. */
  setClaims(subject: string, claims: Claims): void {
    this.#claims.set(subject, claims);
  }

  /** Answers every request with 503 until it is up again. */
  setDown(isDown: boolean): void {
    this.#isDown = isDown;
  }

  /** A new key signs; earlier keys are published only if they are kept. */
  async rotateKeys({ keepsOld = false }: { readonly keepsOld?: boolean } = {}): Promise<void> {
    const made = await makeKey(this.#options.algorithm ?? "RS256");
    this.#keys = [made, ...(keepsOld ? this.#keys : [])];
    const provider = new Provider(this.issuer, this.#configuration());
    this.#handle = provider.callback();
  }

  /** An access token by the client-credentials grant. */
  async token(
    clientId: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const secret = this.#options.clients?.find(({ id }) => id === clientId)?.secret ?? "";
    return await this.tokenWith({ clientId, secret, parameters });
  }

  /** The same for a client that registered itself. */
  async tokenWith(given: {
    readonly clientId: string;
    readonly secret: string;
    readonly parameters?: Readonly<Record<string, string>>;
  }): Promise<string> {
    const { clientId, secret, parameters = {} } = given;
    const basic = Buffer.from(`${clientId}:${secret}`).toString("base64");
    const response = await fetch(`${this.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials", ...parameters }),
    });
    const answer = (await response.json()) as { readonly access_token?: string };
    if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`);
    return answer.access_token;
  }

  /** A token with exactly these claims, signed by the provider's own key. */
  async sign(claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const { jwk, privateKey } = this.key;
    const alg = this.#options.algorithm ?? "RS256";
    return await new SignJWT(claims)
      .setProtectedHeader({ alg, kid: jwk.kid, ...header })
      .sign(privateKey);
  }

  /** The ids of the clients that registered themselves and are not deleted. */
  registeredClients(): readonly string[] {
    return this.#storage.ids("Client");
  }

  /** The metadata of a registered client; undefined when it does not exist. */
  registeredClient(id: string): JsonObject | undefined {
    return this.#storage.row("Client", id);
  }

  /** Changes a registered client, or deletes it, as an administrator of the provider does. */
  changeClient(id: string, change: JsonObject | "delete"): void {
    this.#storage.change("Client", id, change);
  }

  /** A person enters the code of a device, logs in and consents. */
  async approve(userCode: string, login: string): Promise<void> {
    await new OidcBrowser().approve(this.devicePage, userCode, login);
  }

  async refuse(userCode: string): Promise<void> {
    await new OidcBrowser().refuse(this.devicePage, userCode);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #configuration(): Configuration {
    const { algorithm: alg = "RS256", clients = [], tokenTtlSeconds = 300 } = this.#options;
    const { audience = "setpoint", rotatesRegistrationTokens = true } = this.#options;
    const { hasIdsOfSoftware = false } = this.#options;
    return {
      adapter: this.#storage.adapter,
      clients: clients.map((client) => metadataOf(client, alg)),
      clientDefaults: { id_token_signed_response_alg: alg },
      jwks: { keys: this.#keys.map(({ jwk }) => jwk) },
      cookies: { keys: ["only-for-tests"] },
      ttl: {
        ...otherTtlSeconds,
        IdToken: this.#options.idTokenTtlSeconds ?? otherTtlSeconds.IdToken,
        AccessToken: tokenTtlSeconds,
        ClientCredentials: tokenTtlSeconds,
      },
      enabledJWA: { idTokenSigningAlgValues: [alg] },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      extraTokenClaims: (_context, token) => {
        const account = "accountId" in token ? token.accountId : undefined;
        return { ...this.#claims.get(account ?? token.clientId ?? "") };
      },
      features: {
        clientCredentials: { enabled: true },
        deviceFlow: { enabled: true },
        devInteractions: { enabled: true },
        registration: {
          enabled: true,
          initialAccessToken: this.initialAccessToken,
          ...(hasIdsOfSoftware ? { idFactory: idOfSoftware } : {}),
        },
        registrationManagement: {
          enabled: true,
          rotateRegistrationAccessToken: rotatesRegistrationTokens,
        },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => usualResource,
          useGrantedResource: () => true,
          getResourceServerInfo: (_context, resource) => ({
            scope: "api",
            audience: resource === usualResource ? audience : resource,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg } },
          }),
        },
      },
    };
  }
}

/** The client_id does not show the software_id, with which the client could be replaced. */
function idOfSoftware(context: KoaContextWithOIDC): string {
  const { software_id: softwareId } = (context.oidc.body ?? {}) as JsonObject;
  if (typeof softwareId !== "string") return crypto.randomUUID();
  return createHash("sha256").update(softwareId).digest("base64url");
}

function metadataOf(
  { id, secret, redirectUris = [] }: OidcClient,
  alg: "RS256" | "ES256",
): ClientMetadata {
  const hasCodes = redirectUris.length > 0;
  const common = {
    client_id: id,
    redirect_uris: [...redirectUris],
    response_types: hasCodes ? (["code"] as const).slice() : [],
    id_token_signed_response_alg: alg,
  };
  const people = [deviceGrant, "refresh_token", ...(hasCodes ? ["authorization_code"] : [])];
  return secret === undefined
    ? { ...common, token_endpoint_auth_method: "none", grant_types: people }
    : { ...common, client_secret: secret, grant_types: ["client_credentials", ...people] };
}

async function makeKey(algorithm: "RS256" | "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = crypto.randomUUID();
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: algorithm, use: "sig" };
  return { privateKey, publicKey, jwk };
}
