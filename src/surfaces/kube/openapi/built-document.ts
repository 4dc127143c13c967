// Builds one OpenAPI document from the resources that it shows. Bytes in and bytes out, so that a
// thread can do it.

import type { HeavyFunctions, HeavyResult } from "../../../kernel/heavy-work.ts";
import { parseExact } from "../../../kernel/int64.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { encodedBytes, encodedJson } from "../discovery/encoded-document.ts";
import type { ServedResource, ServedVersion } from "../discovery/served-groups.ts";
import { gnosticDocument, gnosticType } from "./gnostic.ts";
import { v2Document } from "./v2-document.ts";
import { v3Document } from "./v3-document.ts";

export type DocumentForm = "v2-json" | "v2-protobuf" | "v3";

export function documentType(form: DocumentForm): string {
  return form === "v2-protobuf" ? gnosticType : "application/json";
}

/** The bytes are a list of [group, version, resource]. */
export function builtDocument(bytes: Buffer, options: JsonObject): HeavyResult {
  const all = parseExact(bytes.toString("utf8")) as [string, string, ServedResource][];
  const { form, info } = options as { readonly form: DocumentForm; readonly info: JsonObject };
  const { bytes: built, etag } = encodedOf(form, versionsIn(all), info);
  return { bytes: built, facts: { etag } };
}

function encodedOf(form: DocumentForm, versions: readonly ServedVersion[], info: JsonObject) {
  switch (form) {
    case "v2-json":
      return encodedJson(v2Document(versions, info));
    case "v2-protobuf":
      return encodedBytes(gnosticDocument(v2Document(versions, info)), gnosticType);
    case "v3": {
      const [version = { group: "", name: "", resources: [] }] = versions;
      return encodedJson(v3Document(version, info));
    }
    default:
      return form satisfies never;
  }
}

/** In the order in which they are listed. */
function versionsIn(all: readonly [string, string, ServedResource][]): readonly ServedVersion[] {
  const versions: { group: string; name: string; resources: ServedResource[] }[] = [];
  for (const [group, name, resource] of all) {
    const last = versions.at(-1);
    if (last?.group === group && last.name === name) last.resources.push(resource);
    else versions.push({ group, name, resources: [resource] });
  }
  return versions;
}

export const openApiFunctions: HeavyFunctions = { openapi: builtDocument };
