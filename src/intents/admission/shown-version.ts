// The documents of a request in the version that a webhook or a policy asked for, and back.

import type { Resource } from "../../kernel/resource.ts";
import type { Found } from "../kinds/registry.ts";
import type { AdmissionRequest } from "./admission.ts";
import { internalError } from "./attributes.ts";

export interface ShownDocuments {
  readonly object: Resource | undefined;
  readonly old: Resource | undefined;
}

export async function documentsIn(
  { object, old }: Pick<AdmissionRequest, "object" | "old">,
  found: Found,
): Promise<ShownDocuments> {
  return { object: await inVersion(object, found), old: await inVersion(old, found) };
}

export async function inVersion<T extends Resource | undefined>(
  document: T,
  { served, version }: Found,
): Promise<T> {
  if (document === undefined || document.apiVersion === version.apiVersion) return document;
  try {
    const [converted] = await served.convert([document], version);
    if (converted === undefined) throw new Error("a conversion answers each document");
    return converted as T;
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error), error);
  }
}
