// What a type and its resources are called in a document.

import type { ArmFace, ArmVersion } from "../../../modules/resource-provider/faces/arm-face.ts";
import { capital } from "./swagger-schema.ts";

/** A type in one of its api-versions. */
export interface TypeInput {
  readonly face: ArmFace;
  readonly version: ArmVersion;
}

/** "shops/shelves" as "ShopsShelves". */
export function typeName({ type }: Pick<ArmFace, "type">): string {
  return type.split("/").map(capital).join("");
}

/** The parameter is named after one resource of the type, as far as the endings of English tell. */
export function nameParameter(type: string): string {
  const single = type.replace(/ies$/, "y").replace(/(?<=x|ss|sh|[^a]ch)es$|(?<!s)s$/, "");
  return `${single}Name`;
}
