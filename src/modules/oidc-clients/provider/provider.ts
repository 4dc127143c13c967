// The protocols of an OpenID provider that clients need: discovery, dynamic client registration
// (RFC 7591) and its management (RFC 7592).

import type { CallJson } from "../../../adapters/http/port.ts";
import { invalidAnswer } from "../../../engine/external/call-service.ts";
import type { ServiceAnswer } from "../../../engine/external/call-service.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { callProvider, serviceOf } from "./provider-call.ts";
import type { IssuerAccess, ProviderPorts } from "./provider-call.ts";
import { isOfIssuer, unusableField } from "./registration.ts";
import type { Registration } from "./registration.ts";

/** Calls of one provider by one run. */
export interface ProviderClient {
  /** Returns the registration endpoint. */
  discover(): Promise<string>;
  /** The answer can be used as a registration. */
  register(request: RegisterRequest): Promise<JsonObject>;
  /** "lost": the provider does not have the client, or does not accept its token any more. */
  read(registration: Registration): Promise<JsonObject | "lost">;
  update(registration: Registration, metadata: JsonObject): Promise<JsonObject | "lost">;
  /** Also succeeds for a client that is lost. */
  remove(registration: Registration): Promise<void>;
}

export interface RegisterRequest {
  readonly endpoint: string;
  /** Undefined where registration needs none. */
  readonly initialAccessToken: string | undefined;
  readonly metadata: JsonObject;
}

export type OpenProvider = (
  access: IssuerAccess,
  context: ProviderPorts["context"],
) => ProviderClient;

export function openProviderWith(callJson: CallJson): OpenProvider {
  return (access, context) => {
    const ports = { callJson, context, access };
    return {
      discover: async () => {
        const url = `${access.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
        return endpointIn(await callProvider(ports, { method: "GET", url }), access);
      },
      register: async ({ endpoint: url, initialAccessToken: token, metadata: body }) => {
        const answer = await callProvider(ports, { method: "POST", url, token, body });
        return registeredIn(answer, access);
      },
      read: (registration) => manage(ports, registration, { method: "GET" }),
      update: (registration, metadata) => {
        const { clientId, clientSecret } = registration;
        const body = { ...metadata, client_id: clientId, client_secret: clientSecret };
        return manage(ports, registration, { method: "PUT", body });
      },
      remove: async (registration) => {
        const request = managementOf(registration, { method: "DELETE" });
        await callProvider(ports, request, lostStatuses);
      },
    };
  };
}

/** RFC 7592 has 401 for a client that does not exist; some providers answer 404. */
const lostStatuses = [401, 404];

interface Management {
  readonly method: string;
  readonly body?: Json;
}

function managementOf(
  { uri: url, accessToken: token, clientSecret }: Registration,
  management: Management,
): Parameters<typeof callProvider>[1] {
  return { ...management, url, token, secrets: [clientSecret] };
}

async function manage(
  ports: ProviderPorts,
  registration: Registration,
  management: Management,
): Promise<JsonObject | "lost"> {
  const request = managementOf(registration, management);
  const { status, json } = await callProvider(ports, request, lostStatuses);
  if (lostStatuses.includes(status)) return "lost";
  const isClient = isJsonObject(json) && textAt(json, "client_id") === registration.clientId;
  if (isClient) return json;
  throw invalidAnswer(serviceOf(ports.access.resourceName), "the client");
}

function endpointIn({ json }: ServiceAnswer, { issuer, resourceName }: IssuerAccess): string {
  const endpoint = textAt(json, "registration_endpoint");
  const problem = endpointProblem(textAt(json, "issuer"), endpoint, issuer);
  if (problem === undefined) return endpoint;
  const message = `${serviceOf(resourceName)} ${problem}`;
  const ready = { status: "False", reason: "DiscoveryInvalid", message } as const;
  throw new ReconcileFailure(failed("DiscoveryInvalid", message, { retry: "slow", ready }));
}

function endpointProblem(stated: string, endpoint: string, issuer: string): string | undefined {
  if (stated !== issuer) {
    return "states another issuer: spec.issuer must be exactly the issuer of the provider";
  }
  if (endpoint === "") return "has no registration_endpoint: enable dynamic client registration";
  if (isOfIssuer(endpoint, issuer)) return undefined;
  return "has a registration_endpoint with another origin than the issuer";
}

/**
 * A client that cannot be managed could never be deleted, so no other one is registered until a
 * person has changed something.
 */
function registeredIn({ json }: ServiceAnswer, { issuer, resourceName }: IssuerAccess): JsonObject {
  const service = serviceOf(resourceName);
  if (!isJsonObject(json)) throw invalidAnswer(service, "a client");
  const field = unusableField(json, issuer);
  if (field === undefined) return json;
  const which = field === "client_id" ? "a client" : `the client ${textAt(json, "client_id")}`;
  const message =
    `${service} registered ${which.slice(0, 100)} without a usable ${field}: it must support ` +
    "RFC 7592; delete the client at the provider";
  throw new ReconcileFailure(failed("ManagementUnsupported", message, { retry: "never" }));
}
