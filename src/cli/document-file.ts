// The resources in a file, as kubectl takes them: YAML or JSON, several parted by lines of three
// dashes, or the items of a List. Keys given twice are refused here: nobody after can see them.
import { readFileSync } from "node:fs";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";
import { parseYaml } from "../kernel/yaml.ts";

/** Of a file, or of standard input for "-"; at least one. */
export function documentsIn(file: string): readonly JsonObject[] {
  const documents = documentsOf(textOf(file), file);
  if (documents.length > 0) return documents;
  throw new SetpointError("config.invalid", `${file} does not contain a resource`, { suggestion });
}

const suggestion = "write resources as for kubectl apply";

export function documentsOf(text: string, file: string): readonly JsonObject[] {
  // What stands behind the dashes belongs to what begins there.
  return text.split(/^---(?=[ \t\r]|$)/m).flatMap((part) => resourcesIn(part, file));
}

function resourcesIn(text: string, file: string): readonly JsonObject[] {
  const value = valueOf(text, file);
  if (value === null) return [];
  if (!isJsonObject(value)) {
    throw new SetpointError("config.invalid", `${file} does not contain a resource`, {
      suggestion,
    });
  }
  return textAt(value, "kind") === "List" ? objectsAt(value, "items") : [value];
}

function valueOf(text: string, file: string): Json {
  try {
    const { value, duplicates } = parseYaml(text);
    if (duplicates.length === 0) return value;
    throw new SetpointError("config.invalid", `${file}: ${duplicates.join(", ")}`, { suggestion });
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    throw new SetpointError("config.invalid", `${file}: ${error.message}`, { suggestion });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new SetpointError("config.invalid", `${file} cannot be read: ${why}`, {
      suggestion: "name a file with resources, or - for standard input",
    });
  }
}
