// What the writes of the APIs have in common.

import type { WriteOptions, Written } from "../../../intents/request.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { FleetQuery } from "./fleet-route.ts";

export const writeOptions: WriteOptions = {
  isDryRun: false,
  fieldManager: "setpoint-fleet",
  fieldValidation: "Strict",
};

/** Throws fleet.async_required. */
export function checkAsync(query: FleetQuery): void {
  if (query.get("async") === "true") return;
  const message = "Synchronous action is not supported, use async=true parameter";
  throw new SetpointError("fleet.async_required", message, { details: { field: "query.async" } });
}

/** What `at_least` of a list takes, to see this write on every server. */
export function resourceVersionHeader({ revision }: Pick<Written, "revision">): {
  readonly "x-resource-version": string;
} {
  return { "x-resource-version": String(revision) };
}
