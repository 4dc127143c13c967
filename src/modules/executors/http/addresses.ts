// Which addresses an HttpCall may reach. Private, loopback, link-local and other special addresses
// are refused unless an ExecutorPolicy of the namespace allows them, because the server may reach
// services that a tenant must not. The address is judged after the name was resolved. Pure.

import { isAddressAllowed } from "../../../kernel/allowed-places.ts";
import type { AllowedPlaces } from "../../../kernel/allowed-places.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textsAt } from "../../../kernel/json-read.ts";

/** All that policies allow together. */
export function allowedPlaces(policies: readonly JsonObject[]): AllowedPlaces {
  return {
    cidrs: policies.flatMap((spec) => textsAt(spec, "http", "allowPrivate", "cidrs")),
    hosts: policies.flatMap((spec) => textsAt(spec, "http", "allowPrivate", "hosts")),
  };
}

/** Why an address must not be called; undefined to allow it. The text does not show the address. */
export function refusalOf(
  allowed: AllowedPlaces,
  address: string,
  host: string,
): string | undefined {
  if (isAddressAllowed(allowed, address, host)) return undefined;
  return (
    `the host ${host} has a private or special address: an administrator can allow it with ` +
    "spec.http.allowPrivate of an ExecutorPolicy"
  );
}
