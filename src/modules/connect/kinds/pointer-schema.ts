import type { JsonObject } from "../../../kernel/json.ts";

export const pointer: JsonObject = {
  type: "string",
  maxLength: 1_024,
  pattern: "^(/.*)?$",
  description: "JSON Pointer into the object of the service.",
};
