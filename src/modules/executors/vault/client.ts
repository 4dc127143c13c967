// The HTTP API of Vault: health, logins, and the secrets engine KV version 2. A compare-and-set
// that loses is data, not an error: Vault answers 400 with a fixed text. A secret whose newest
// version is deleted answers 404 with a body, so presence is read from the metadata. No text
// contains a value.

import type { CallJson } from "../../../adapters/http/port.ts";
import { callService, invalidAnswer, refusedCall } from "../../../engine/external/call-service.ts";
import type { ServiceAnswer } from "../../../engine/external/call-service.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { hider } from "../../../kernel/hider.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { executorLimits } from "../limits.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface VaultServerAccess {
  /** Of the VaultServer. */
  readonly resourceName: string;
  readonly url: string;
  /** Of Vault Enterprise; empty for none. */
  readonly vaultNamespace: string;
  readonly ca: string | undefined;
}

export interface SecretPlace {
  readonly mount: string;
  readonly path: string;
}

export interface VaultVersion {
  readonly version: number;
  /** Empty while it is not deleted. May be in the future. */
  readonly deletionTime: string;
  readonly isDestroyed: boolean;
}

export interface VaultMetadata {
  /** 0 when no version was written. Counts on after deletions. */
  readonly currentVersion: number;
  readonly versions: readonly VaultVersion[];
  readonly custom: Readonly<Record<string, string>>;
}

export type WriteResult =
  | { readonly kind: "written"; readonly version: number }
  | { readonly kind: "conflict" };

export interface VaultLogin {
  readonly token: string;
  /** 0: it does not expire. */
  readonly leaseSeconds: number;
  readonly isRenewable: boolean;
}

/** Calls without a token. */
export interface VaultDoor {
  /** The status code of /v1/sys/health. */
  health(): Promise<number>;
  /** `path` is below /v1/auth, such as "approle/login". */
  login(path: string, body: JsonObject): Promise<VaultLogin>;
  with(token: string, secrets: readonly string[]): VaultClient;
}

/** Calls with a token. */
export interface VaultClient {
  renew(): Promise<VaultLogin>;
  /** Undefined when there is no secret at the path. */
  metadata(place: SecretPlace): Promise<VaultMetadata | undefined>;
  /** Undefined when the version is deleted or does not exist. */
  read(place: SecretPlace, version: number): Promise<JsonObject | undefined>;
  /** `cas` 0: only if no version was ever written. */
  write(place: SecretPlace, data: JsonObject, cas: number): Promise<WriteResult>;
  /** Replaces the custom metadata. */
  mark(place: SecretPlace, custom: Readonly<Record<string, string>>): Promise<void>;
  /** Deletes versions; they can be restored in Vault. */
  softDelete(place: SecretPlace, versions: readonly number[]): Promise<void>;
  /** Destroys the data of all versions, and deletes the metadata. */
  destroy(place: SecretPlace, versions: readonly number[]): Promise<void>;
}

export type OpenVault = (access: VaultServerAccess, context: VaultContext) => VaultDoor;
export type VaultContext = Pick<Context, "outside" | "clock">;

/** For people. */
export function serviceOf(resourceName: string): string {
  return `the server of the VaultServer ${resourceName}`;
}

const casLost = "check-and-set parameter did not match the current version";

export function vaultWith(callJson: CallJson): OpenVault {
  return (access, context) => {
    const service = serviceOf(access.resourceName);
    const call = async (request: Request): Promise<ServiceAnswer> =>
      await callService(context, {
        system: `vault/${access.resourceName}`,
        service,
        send: (signal) => callJson(requestOf(access, request, signal)),
      });
    return {
      health: async () => await healthOf(access, context, callJson),
      login: async (path, body) => {
        const answer = await call({ method: "POST", path: `/v1/auth/${path}`, body });
        // Vault answers 400 to a role or secret that it does not know.
        if (answer.status !== 200) throw refusedCall(service, 403, "the login failed");
        return loginIn(service, answer);
      },
      with: (token, secrets) => clientWith({ service, call, token, secrets }),
    };
  };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly token?: string;
}

interface ClientInput {
  readonly service: string;
  readonly call: (request: Request) => Promise<ServiceAnswer>;
  readonly token: string;
  readonly secrets: readonly string[];
}

function clientWith({ service, call, token, secrets }: ClientInput): VaultClient {
  const hide = hider([token, ...secrets]);
  const send = async (method: string, path: string, body?: Json): Promise<ServiceAnswer> =>
    await call({ method, path, token, ...(body === undefined ? {} : { body }) });
  const expect = (answer: ServiceAnswer): ServiceAnswer => {
    if (answer.status === 200 || answer.status === 204) return answer;
    throw refusedCall(service, answer.status, hide(textsAt(answer.json, "errors").join("; ")));
  };
  const at = ({ mount, path }: SecretPlace, area: string): string =>
    `/v1/${encodedPath(mount)}/${area}/${encodedPath(path)}`;
  return {
    renew: async () =>
      loginIn(service, expect(await send("POST", "/v1/auth/token/renew-self", {}))),
    metadata: async (place) => {
      const answer = await send("GET", at(place, "metadata"));
      if (answer.status === 404) return undefined;
      return metadataIn(service, expect(answer));
    },
    read: async (place, version) => {
      const answer = await send("GET", `${at(place, "data")}?version=${version}`);
      if (answer.status === 404) return undefined;
      return objectAt(expect(answer).json, "data", "data");
    },
    write: async (place, data, cas) => {
      const answer = await send("POST", at(place, "data"), { data, options: { cas } });
      const isLost = textsAt(answer.json, "errors").some((each) => each.includes(casLost));
      if (answer.status === 400 && isLost) return { kind: "conflict" };
      const version = numberAt(expect(answer).json, "data", "version");
      if (version === undefined) throw invalidAnswer(service, "the version of the secret");
      return { kind: "written", version };
    },
    mark: async (place, custom) => {
      expect(await send("POST", at(place, "metadata"), { custom_metadata: { ...custom } }));
    },
    softDelete: async (place, versions) => {
      expect(await send("POST", at(place, "delete"), { versions: [...versions] }));
    },
    destroy: async (place, versions) => {
      expect(await send("PUT", at(place, "destroy"), { versions: [...versions] }));
      expect(await send("DELETE", at(place, "metadata")));
    },
  };
}

function requestOf(
  { url, vaultNamespace, ca }: VaultServerAccess,
  { method, path, body, token = "" }: Request,
  signal: AbortSignal,
): Parameters<CallJson>[0] {
  return {
    method,
    url: new URL(`${withoutTrailing(url, "/")}${path}`),
    headers: {
      "x-vault-request": "true",
      ...(token === "" ? {} : { "x-vault-token": token }),
      ...(vaultNamespace === "" ? {} : { "x-vault-namespace": vaultNamespace }),
    },
    ...(body === undefined ? {} : { body }),
    ca,
    timeoutMs: executorLimits.callTimeoutMs,
    maxBytes: executorLimits.maxAnswerBytes,
    signal,
  };
}

/** Every status is an answer: a sealed server answers 503. */
async function healthOf(
  access: VaultServerAccess,
  context: VaultContext,
  callJson: CallJson,
): Promise<number> {
  const path = "/v1/sys/health";
  let status = 0;
  await callService(context, {
    system: `vault/${access.resourceName}`,
    service: serviceOf(access.resourceName),
    send: async (signal) => {
      const answer = await callJson(requestOf(access, { method: "GET", path }, signal));
      if (answer.kind === "failure") return answer;
      ({ status } = answer);
      return { ...answer, status: 200 };
    },
  });
  return status;
}

function loginIn(service: string, { json }: ServiceAnswer): VaultLogin {
  const token = textAt(json, "auth", "client_token");
  if (token === "") throw invalidAnswer(service, "a token");
  return {
    token,
    leaseSeconds: numberAt(json, "auth", "lease_duration") ?? 0,
    isRenewable: isTrueAt(json, "auth", "renewable"),
  };
}

function metadataIn(service: string, { json }: ServiceAnswer): VaultMetadata {
  const data = objectAt(json, "data");
  const currentVersion = numberAt(data, "current_version");
  if (currentVersion === undefined) throw invalidAnswer(service, "the version of the secret");
  const versions = Object.entries(objectAt(data, "versions")).map(([version, facts]) => ({
    version: Number(version),
    deletionTime: textAt(facts, "deletion_time"),
    isDestroyed: isTrueAt(facts, "destroyed"),
  }));
  const custom = Object.entries(objectAt(data, "custom_metadata")).flatMap(([key, value]) => {
    return typeof value === "string" ? [[key, value] as const] : [];
  });
  return { currentVersion, versions, custom: Object.fromEntries(custom) };
}

/** Slashes separate parts of a path. */
function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
