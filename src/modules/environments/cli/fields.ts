// The fields of an environment that `create` and `update` take as options.

import type { CommandCall } from "../../../contract/command.ts";
import { systemClock, timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { namedValues, parametersOf, secondsOf } from "./request.ts";

export function fieldsOf(call: CommandCall): JsonObject {
  const { options } = call;
  const tags = namedValues("--tag", options["tag"], (value) => value);
  return {
    ...given("displayName", options["name"]),
    ...given("description", options["description"]),
    ...given("serviceAccountName", options["serviceAccount"]),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...parametersOf(call),
    ...plannedDestruction(options["ttl"]),
  };
}

export function given(field: string, value: unknown): JsonObject {
  return typeof value === "string" ? { [field]: value } : {};
}

function plannedDestruction(ttl: unknown): JsonObject {
  if (typeof ttl !== "string") return {};
  const at = timeText(systemClock.nowMs() + secondsOf("--ttl", ttl) * 1_000);
  return { plannedDestruction: { at } };
}
