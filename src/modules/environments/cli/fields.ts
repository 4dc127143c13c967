// The fields of an environment that `create` and `update` take as options.

import type { CommandCall } from "../../../contract/command.ts";
import { systemClock, timeText } from "../../../kernel/clock.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textsAt } from "../../../kernel/json-read.ts";
import { namedValues, parametersOf, secondsOf } from "./request.ts";
import type { Session } from "./request.ts";

export async function fieldsOf(
  call: CommandCall,
  session: Session,
  templates: readonly string[],
): Promise<JsonObject> {
  const { options } = call;
  const tags = namedValues("--tag", options["tag"], (value) => value);
  return {
    ...given("displayName", options["name"]),
    ...given("description", options["description"]),
    ...given("serviceAccountName", options["serviceAccount"]),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(await parametersOf(call, session, templates)),
    ...plannedDestruction(options["ttl"]),
  };
}

/** Those of --template, or those of the environment. */
export function templatesOf({ options }: CommandCall, environment: Json): readonly string[] {
  const { template } = options;
  return Array.isArray(template) ? template.map(String) : textsAt(environment, "spec", "templates");
}

export function given(field: string, value: unknown): JsonObject {
  return typeof value === "string" ? { [field]: value } : {};
}

function plannedDestruction(ttl: unknown): JsonObject {
  if (typeof ttl !== "string") return {};
  const at = timeText(systemClock.nowMs() + secondsOf("--ttl", ttl) * 1_000);
  return { plannedDestruction: { at } };
}
