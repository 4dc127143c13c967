// The fields that a face, its versions and its actions have. One under a name that nobody reads
// would be a rule that nobody keeps, so it is told, with the name that was probably meant.

import type { ArmAction, ArmFace, ArmVersion } from "./arm-face.ts";
import { nearestName } from "../../../kernel/nearest-name.ts";

type Part = "face" | "version" | "action";
/** What nobody declares, because it is found out when a face is served. */
type Found = "hidden";
const found: Found = "hidden";

/** `prefix` is what stands before a field of the part, such as "versions[0].". */
export function strangeFields(
  part: Part,
  given: Readonly<Record<string, unknown>>,
  prefix = "",
): readonly string[] {
  // An object of a class may have more to it than is declared.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(given) as object | null)) return [];
  const known = Object.keys(fields[part]);
  return Object.keys(given).flatMap((name) => {
    if (known.includes(name) || (part === "version" && name === found)) return [];
    const meant = nearestName(name, known);
    const hint =
      meant === undefined ? `known fields: ${known.join(", ")}` : `did you mean ${meant}?`;
    return [`${prefix}${name}: is not a known field of ${titles[part]}; ${hint}`];
  });
}

const titles: Readonly<Record<Part, string>> = {
  face: "a face",
  version: "an api-version",
  action: "an action",
};

const faceFields: Readonly<Record<keyof ArmFace, true>> = {
  kind: true,
  provider: true,
  type: true,
  locations: true,
  versions: true,
  actions: true,
  isMovable: true,
  afterFailedUpdate: true,
  awaitEndMs: true,
  operationTimeoutMs: true,
  operationRetentionMs: true,
};

const versionFields: Readonly<Record<Exclude<keyof ArmVersion, Found>, true>> = {
  apiVersion: true,
  schema: true,
  fromStored: true,
  toStored: true,
  isAdmin: true,
  examples: true,
};

const actionFields: Readonly<Record<keyof ArmAction, true>> = {
  name: true,
  description: true,
  change: true,
  perform: true,
  inputSchema: true,
  outputSchema: true,
};

const fields: Readonly<Record<Part, Readonly<Record<string, true>>>> = {
  face: faceFields,
  version: versionFields,
  action: actionFields,
};
