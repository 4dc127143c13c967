// An Offering as the module reads it: the stored document with its defaults. Pure.

import type { JsonObject } from "../../kernel/json.ts";
import {
  isTrueAt,
  numberAt,
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
  textsAt,
  valueAt,
} from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { fleetLimits } from "./limits.ts";

export interface Offering {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly displayName: string;
  readonly instances: InstanceNames;
  readonly types: readonly InstanceType[];
  readonly providers: readonly Provider[];
  readonly requiresMultiAz: boolean;
  readonly terms: { readonly version: string; readonly url: string } | undefined;
  readonly access: Access;
  readonly quota: Quota;
  /** Undefined: no bound. */
  readonly maxInstances: number | undefined;
  readonly domain: string | undefined;
  readonly preparations: readonly Preparation[];
  readonly timeouts: Readonly<Record<"creation" | "placement" | "versions" | "preparation", Ms>>;
  readonly suspension: Suspension;
  readonly retentionMs: Ms;
  readonly agent: AgentSettings;
  readonly api: ApiSettings;
  /** Its own form is read by the metrics routes. */
  readonly metrics: JsonObject | undefined;
  readonly documentation: string;
}

export type Ms = number;

export interface InstanceNames {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string | undefined;
  readonly shortNames: readonly string[];
  readonly parameters: JsonObject | undefined;
}

export interface InstanceType {
  readonly name: string;
  /** "none": for callers without a quota of another type. */
  readonly quota: "required" | "none";
  readonly isEnabled: boolean;
  readonly isOnePerOwner: boolean;
  readonly lifespanMs: Ms | undefined;
  readonly units: number;
}

export interface Provider {
  readonly id: string;
  readonly displayName: string;
  readonly isDefault: boolean;
  readonly isEnabled: boolean;
  readonly regions: readonly Region[];
}

export interface Region {
  readonly id: string;
  readonly displayName: string;
  readonly isDefault: boolean;
  readonly isEnabled: boolean;
  readonly types: readonly { readonly name: string; readonly limit: number | undefined }[];
}

export interface Access {
  readonly isInMaintenance: boolean;
  readonly allowedOrganisations: readonly string[];
  readonly deniedUsers: readonly string[];
}

export interface Quota {
  readonly backend: "list" | "http";
  readonly http: JsonObject | undefined;
}

export interface Preparation {
  readonly name: string;
  readonly phase: "preparing" | "routes";
  readonly forEach: "instance" | "route";
  readonly template: JsonObject;
  readonly readyWhen: string | undefined;
}

export interface Suspension {
  readonly deniedGraceMs: Ms;
  readonly expiryGraceMs: Ms;
  /** Whether an instance expires while its owner has no quota for its type. */
  readonly expiresWithoutQuota: boolean;
  readonly maxRemovalsPerHour: number;
}

export interface AgentSettings {
  /** The kind of the object that the agent applies for each instance. */
  readonly applies: { readonly apiVersion: string; readonly kind: string };
  readonly pollSeconds: number;
  readonly resyncSeconds: number;
}

export interface ApiSettings {
  readonly claims: ClaimKeys;
  /** Undefined: every user that the server authenticates. */
  readonly publicIssuers: readonly string[] | undefined;
  readonly adminIssuers: readonly string[] | undefined;
  readonly agentIssuers: readonly string[] | undefined;
  readonly adminRoles: Readonly<Record<"read" | "write" | "full", readonly string[]>>;
  readonly agentRole: string;
  /** Of one organisation, in the public API. */
  readonly requestsPerSecond: number;
}

/** Keys of `UserInfo.extra`, by what the value means. */
export interface ClaimKeys {
  readonly user: string | undefined;
  /** The first that the user has. */
  readonly organisation: readonly string[];
  readonly account: string;
  readonly isOrganisationAdmin: string;
  readonly roles: string;
  readonly cluster: string;
}

const dayMs = 86_400_000;

/** The document has passed the schema and the admission of this module. */
export function readOffering({ metadata, spec }: Resource): Offering {
  const plural = textAt(spec, "instances", "plural");
  return {
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    displayName: textAt(spec, "displayName") || metadata.name,
    instances: instanceNames(objectAt(spec, "instances")),
    types: objectsAt(spec, "types").map(instanceType),
    providers: objectsAt(spec, "providers").map(provider),
    requiresMultiAz: isTrueAt(spec, "requiresMultiAz"),
    terms: terms(presentObjectAt(spec, "terms")),
    access: {
      isInMaintenance: isTrueAt(spec, "access", "isInMaintenance"),
      allowedOrganisations: textsAt(spec, "access", "allowedOrganisations"),
      deniedUsers: textsAt(spec, "access", "deniedUsers"),
    },
    quota: {
      backend: textAt(spec, "quota", "backend") === "http" ? "http" : "list",
      http: presentObjectAt(spec, "quota", "http"),
    },
    maxInstances: numberAt(spec, "maxInstances"),
    domain: optionalText(spec, "domain"),
    preparations: objectsAt(spec, "preparations").map(preparation),
    timeouts: {
      creation: ms(spec, ["timeouts", "creation"], 3_600_000),
      placement: ms(spec, ["timeouts", "placement"], 3_600_000),
      versions: ms(spec, ["timeouts", "versions"], 300_000),
      preparation: ms(spec, ["timeouts", "preparation"], 300_000),
    },
    suspension: {
      deniedGraceMs: ms(spec, ["suspension", "deniedGrace"], 14 * dayMs),
      expiryGraceMs: ms(spec, ["suspension", "expiryGrace"], 14 * dayMs),
      expiresWithoutQuota: isTrueAt(spec, "suspension", "expiresWithoutQuota"),
      maxRemovalsPerHour: numberAt(spec, "suspension", "maxRemovalsPerHour") ?? 20,
    },
    retentionMs: ms(spec, ["retention"], 7 * dayMs),
    agent: agentSettings(objectAt(spec, "agent"), objectAt(spec, "instances")),
    api: apiSettings(objectAt(spec, "api"), plural),
    metrics: presentObjectAt(spec, "metrics"),
    documentation: textAt(spec, "documentation"),
  };
}

function instanceNames(names: JsonObject): InstanceNames {
  return {
    group: textAt(names, "group"),
    kind: textAt(names, "kind"),
    plural: textAt(names, "plural"),
    singular: optionalText(names, "singular"),
    shortNames: textsAt(names, "shortNames"),
    parameters: presentObjectAt(names, "parameters"),
  };
}

function instanceType(type: JsonObject): InstanceType {
  const lifespan = numberAt(type, "lifespanSeconds");
  return {
    name: textAt(type, "name"),
    quota: textAt(type, "quota") === "required" ? "required" : "none",
    isEnabled: isEnabled(type),
    isOnePerOwner: isTrueAt(type, "onePerOwner"),
    lifespanMs: lifespan === undefined ? undefined : lifespan * 1_000,
    units: numberAt(type, "units") ?? 1,
  };
}

function provider(one: JsonObject): Provider {
  return {
    id: textAt(one, "id"),
    displayName: textAt(one, "displayName") || textAt(one, "id"),
    isDefault: isTrueAt(one, "isDefault"),
    isEnabled: isEnabled(one),
    regions: objectsAt(one, "regions").map((region) => ({
      id: textAt(region, "id"),
      displayName: textAt(region, "displayName") || textAt(region, "id"),
      isDefault: isTrueAt(region, "isDefault"),
      isEnabled: isEnabled(region),
      types: objectsAt(region, "types").map((type) => ({
        name: textAt(type, "name"),
        limit: numberAt(type, "limit"),
      })),
    })),
  };
}

function preparation(one: JsonObject): Preparation {
  return {
    name: textAt(one, "name"),
    phase: textAt(one, "phase") === "routes" ? "routes" : "preparing",
    forEach: textAt(one, "forEach") === "route" ? "route" : "instance",
    template: objectAt(one, "template"),
    readyWhen: optionalText(one, "readyWhen"),
  };
}

function terms(given: JsonObject | undefined): Offering["terms"] {
  if (given === undefined) return undefined;
  return { version: textAt(given, "version"), url: textAt(given, "url") };
}

function agentSettings(agent: JsonObject, names: JsonObject): AgentSettings {
  const group = textAt(names, "group");
  return {
    applies: {
      apiVersion: textAt(agent, "applies", "apiVersion") || `${group}/v1`,
      kind: textAt(agent, "applies", "kind") || `Managed${textAt(names, "kind")}`,
    },
    pollSeconds: numberAt(agent, "pollSeconds") ?? 15,
    resyncSeconds: numberAt(agent, "resyncSeconds") ?? 60,
  };
}

function apiSettings(api: JsonObject, plural: string): ApiSettings {
  const issuers = (part: string): readonly string[] | undefined =>
    valueAt(api, part, "issuers") === undefined ? undefined : textsAt(api, part, "issuers");
  const roles = (part: string): readonly string[] => {
    const given = textsAt(api, "admin", "roles", part);
    return given.length > 0 ? given : [`${plural}-admin-${part}`];
  };
  const organisation = textsAt(api, "claims", "organisation");
  return {
    claims: {
      user: optionalText(objectAt(api, "claims"), "user"),
      organisation: organisation.length > 0 ? organisation : ["org_id", "rh-org-id"],
      account: textAt(api, "claims", "account") || "account_id",
      isOrganisationAdmin: textAt(api, "claims", "isOrganisationAdmin") || "is_org_admin",
      roles: textAt(api, "claims", "roles") || "roles",
      cluster: textAt(api, "claims", "cluster") || "cluster_id",
    },
    publicIssuers: issuers("public"),
    adminIssuers: issuers("admin"),
    agentIssuers: issuers("agent"),
    adminRoles: { read: roles("read"), write: roles("write"), full: roles("full") },
    agentRole: textAt(api, "agent", "role") || "fleet-agent",
    requestsPerSecond:
      numberAt(api, "public", "requestsPerSecond") ?? fleetLimits.requestsPerSecond,
  };
}

/** By default: see kinds/offering-kind.ts. */
function isEnabled(value: JsonObject): boolean {
  return valueAt(value, "enabled") !== false;
}

function optionalText(value: unknown, key: string): string | undefined {
  const found = textAt(value as JsonObject, key);
  return found === "" ? undefined : found;
}

function ms(spec: unknown, path: readonly string[], fallback: Ms): Ms {
  const seconds = numberAt(spec as JsonObject, ...path);
  return seconds === undefined ? fallback : seconds * 1_000;
}
