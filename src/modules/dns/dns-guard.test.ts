import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionRequest } from "../../intents/admission/admission.ts";
import { defineKind } from "../../kernel/kind.ts";
import type { KindInput } from "../../kernel/kind.ts";
import { kindId } from "../../kernel/kind.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { dnsGuard } from "./dns-guard.ts";
import { recordDefinition } from "./kinds/record-kind.ts";
import { zoneDefinition } from "./kinds/zone-kind.ts";

const secretRef = { namespace: "ops", name: "dns", key: "key" };
const powerdns = { url: "http://127.0.0.1:8081", apiKey: { secretRef } };
const allow = { namespaces: { names: ["team"] }, suffixes: ["apps", "web.dinosaurs.example."] };
const zoneSpec = { zone: "dinosaurs.example", powerdns, allow };

interface World {
  readonly zone?: JsonObject;
  readonly isDeleting?: boolean;
  readonly maySeeSecrets?: boolean;
}

function guardIn({ zone = zoneSpec, isDeleting = false, maySeeSecrets = true }: World = {}) {
  const resources: Readonly<Record<string, Resource>> = {
    public: resource("DnsZone", zone, isDeleting),
    team: resource("Namespace", {}),
    strangers: resource("Namespace", {}),
  };
  const find = (name: string): Resource | undefined => {
    const found = resources[name];
    return found === undefined ? undefined : { ...found, metadata: { ...found.metadata, name } };
  };
  return dnsGuard({
    live: {
      get: (key) => {
        const found = find(key.name);
        return found === undefined ? undefined : { key, revision: 1, resource: found };
      },
    },
    authorizer: { authorize: () => ({ allowed: maySeeSecrets, reason: "" }) },
  });
}

function resource(kind: string, spec: JsonObject, isDeleting = false, namespace = ""): Resource {
  const metadata = {
    name: "one",
    uid: "uid-1",
    ...(namespace === "" ? {} : { namespace }),
    ...(isDeleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  };
  return { apiVersion: "dns.setpoint.dev/v1", kind, metadata, spec } as unknown as Resource;
}

function requestFor(
  definition: KindInput,
  spec: JsonObject,
  more: Partial<AdmissionRequest> & { readonly namespace?: string } = {},
): AdmissionRequest {
  const kind = defineKind(definition);
  const served = { id: kindId(kind), kind, storedKind: kind };
  const { namespace = "team", ...rest } = more;
  return {
    caller: { user: { name: "ann" }, warn: () => undefined },
    operation: "CREATE",
    target: { served, namespace, name: "one", subresource: "" },
    object: resource(kind.names.kind, spec, false, namespace),
    old: undefined,
    isDryRun: false,
    options: {},
    ...rest,
  } as unknown as AdmissionRequest;
}

const recordSpec = { zone: "public", name: "www.apps", type: "A", values: ["192.0.2.1"] };

function refusal(spec: JsonObject, world?: World, namespace?: string): string {
  const request = requestFor(recordDefinition, spec, namespace === undefined ? {} : { namespace });
  return refusedWith(request, world);
}

function refusedWith(request: AdmissionRequest, world?: World): string {
  try {
    void guardIn(world).validate?.(request);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test("a record with a name and values of its zone is accepted", () => {
  for (const name of ["www.apps", "apps", "www.apps.dinosaurs.example.", "a.b.web"]) {
    assert.equal(refusal({ ...recordSpec, name }), "", name);
  }
});

test("a zone that does not exist and one that does not allow the namespace look the same", () => {
  const forbidden = refusal(recordSpec, {}, "strangers");
  assert.match(forbidden, /spec\.zone: .*no DnsZone of this name allows the namespace strangers/);
  const missing = refusal({ ...recordSpec, zone: "private" }, {}, "strangers");
  assert.equal(missing, forbidden.replaceAll("public", "private"));
  const none = refusal(recordSpec, { zone: { zone: "dinosaurs.example.", powerdns } });
  assert.match(none, /no DnsZone of this name allows the namespace team/);
});

test("a name outside of the zone or of its suffixes is refused with the fix", () => {
  const outside = refusal({ ...recordSpec, name: "www.other.example." });
  assert.match(outside, /spec\.name: .*must be within the zone dinosaurs\.example\./);
  const suffix = refusal({ ...recordSpec, name: "www" });
  assert.match(suffix, /allows only these names and names below them: apps, web\.dinosaurs/);
  assert.match(refusal({ ...recordSpec, name: "*.apps" }), /must be a domain name/);
});

test("values must fit their type, and each value is there once", () => {
  const values = ["192.0.2.1", "::1", "192.0.2.1"];
  const message = refusal({ ...recordSpec, values });
  assert.match(message, /spec\.values\[1\]: .*must be an IPv4 address/);
  assert.match(message, /spec\.values\[2\]: Duplicate value/);
  const cname = { ...recordSpec, type: "CNAME", values: ["a.example", "b.example"] };
  assert.match(refusal(cname), /spec\.values: .*a CNAME record has one value/);
});

test("the zone itself cannot be an alias", () => {
  const zone = { ...zoneSpec, allow: { namespaces: { names: ["team"] } } };
  const spec = { ...recordSpec, name: "@", type: "CNAME", values: ["a.example"] };
  assert.match(refusal(spec, { zone }), /the zone itself cannot have a CNAME record/);
  assert.equal(refusal({ ...recordSpec, name: "@" }, { zone }), "");
});

test("a record can take over a record set only where the zone allows it", () => {
  const spec = { ...recordSpec, takeOver: true };
  assert.match(refusal(spec), /spec\.takeOver: .*does not have spec\.allow\.takeOver/);
  const zone = { ...zoneSpec, allow: { ...allow, takeOver: true } };
  assert.equal(refusal(spec, { zone }), "");
});

test("no record is created in a zone that is being deleted", () => {
  assert.match(refusal(recordSpec, { isDeleting: true }), /the DnsZone is being deleted/);
});

test("an update of other fields is not refused because of the zone", () => {
  const request = requestFor(recordDefinition, recordSpec, { namespace: "strangers" });
  const { object } = request;
  const update = { ...request, operation: "UPDATE", old: object } as const;
  assert.equal(refusedWith(update), "");
});

test("a record holds the name of its record set, and an alias the names of all types", () => {
  const names = (spec: JsonObject): readonly string[] | undefined =>
    guardIn()
      .names?.(requestFor(recordDefinition, spec))
      ?.map(({ scope, name }) => `${scope}: ${name}`);
  assert.deepEqual(names({ ...recordSpec, name: "WWW.apps" }), [
    "the DnsZone public: www.apps.dinosaurs.example. A",
  ]);
  const alias = names({ ...recordSpec, type: "CNAME", values: ["a.example"] });
  assert.equal(alias?.length, 4);
  const update = requestFor(recordDefinition, recordSpec, { operation: "UPDATE" });
  assert.equal(guardIn().names?.(update), undefined);
});

test("a zone is refused with the field that is wrong", () => {
  const wrong = (spec: JsonObject): string => refusedWith(requestFor(zoneDefinition, spec));
  assert.equal(wrong(zoneSpec), "");
  assert.match(wrong({ ...zoneSpec, zone: "a b" }), /spec\.zone: .*must be a domain name/);
  const urls = { "http://a:b@c": "password", "http://a/?b": "query", "http://": "valid URL" };
  for (const [url, why] of Object.entries(urls)) {
    const message = wrong({ ...zoneSpec, powerdns: { ...powerdns, url } });
    assert.match(message, new RegExp(`spec\\.powerdns\\.url: .*${why}`));
    assert.doesNotMatch(message, /a:b/);
  }
  const ca = wrong({ ...zoneSpec, powerdns: { ...powerdns, ca: "not PEM" } });
  assert.match(ca, /spec\.powerdns\.ca: .*does not contain a certificate/);
  const suffixes = wrong({ ...zoneSpec, allow: { suffixes: ["x.other.example."] } });
  assert.match(suffixes, /spec\.allow\.suffixes\[0\]: .*within the zone/);
});

test("a zone may name only a Secret that its author may get", () => {
  const request = requestFor(zoneDefinition, zoneSpec);
  const message = refusedWith(request, { maySeeSecrets: false });
  assert.match(
    message,
    /spec\.powerdns\.apiKey\.secretRef: User "ann" cannot get the Secret "dns"/,
  );
});

test("an API key that leaves the machine without encryption is a warning", () => {
  const warnings: string[] = [];
  const caller = { user: { name: "ann" }, warn: (text: string) => warnings.push(text) };
  for (const url of ["http://dns.example:8081", "https://dns.example", "http://localhost:8081"]) {
    const spec = { ...zoneSpec, powerdns: { ...powerdns, url } };
    const request = requestFor(zoneDefinition, spec);
    void guardIn().validate?.({ ...request, caller: caller as unknown as typeof request.caller });
  }
  assert.equal(warnings.length, 1);
});
