// The part of a body around `properties`: it must fit the URL, the face and the limits of the
// Resource Manager. All problems are found, so that a client need not send it again for each.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { ArmProblem } from "../protocol/arm-error.ts";
import { isSameText, plainLocation } from "../../../modules/resource-provider/arm-names.ts";
import { idOfPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmEnvelope, ArmFace } from "../../../modules/resource-provider/face.ts";
import { sentence } from "../../../kernel/field-error-words.ts";
import type { Provisioning } from "../../../modules/resource-provider/operations/provisioning.ts";

export interface SentEnvelope {
  readonly location: string | undefined;
  /** Absent: the body says nothing about them. */
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly properties: JsonObject;
}

export interface SentFacts {
  readonly place: ArmPlace;
  readonly face: ArmFace;
  /** What is stored, when anything is. */
  readonly before: ArmEnvelope | undefined;
  readonly state: Provisioning["state"] | undefined;
  readonly isPatch: boolean;
}

export type Checked = SentEnvelope & { readonly problems: readonly ArmProblem[] };

export function checkSent(body: JsonObject, facts: SentFacts): Checked {
  const problems: ArmProblem[] = [...identityProblems(body, facts), ...unofferedProblems(body)];
  const location = textField(body, "location", problems);
  problems.push(...locationProblems(location, facts));
  const tags = readTags(getOwn(body, "tags"), problems);
  const given = getOwn(body, "properties");
  if (given !== undefined && given !== null && !isJsonObject(given)) {
    problems.push(
      problem("InvalidRequestContent", "properties", "The property 'properties' must be an object"),
    );
  }
  const properties = isJsonObject(given) ? given : {};
  problems.push(...stateProblems(properties, facts));
  return { location, tags, properties, problems };
}

const maxTags = 15;
const maxTagName = 512;
const maxTagValue = 256;

function identityProblems(body: JsonObject, { place, face }: SentFacts): readonly ArmProblem[] {
  const expected = {
    id: idOfPlace(place),
    name: place.names.at(-1) ?? "",
    type: `${face.provider}/${face.type}`,
  };
  const codes = {
    id: "MismatchingResourceID",
    name: "MismatchingResourceName",
    type: "MismatchingResourceType",
  };
  return (["id", "name", "type"] as const).flatMap((key) => {
    const given = getOwn(body, key);
    if (given === undefined || given === null) return [];
    if (typeof given === "string" && isSameText(given, expected[key])) return [];
    const shown = typeof given === "string" ? given : JSON.stringify(given);
    const text = `The ${key} '${shown}' does not match that of the URL, '${expected[key]}'`;
    return [problem(codes[key], key, text)];
  });
}

/** What Azure has beside `properties` and no face can offer: a wish that nobody can fulfil. */
const unoffered = ["sku", "identity", "plan", "kind", "zones", "managedBy", "extendedLocation"];

function unofferedProblems(body: JsonObject): readonly ArmProblem[] {
  return unoffered.flatMap((key) => {
    const given = getOwn(body, key);
    if (given === undefined || given === null || isNothing(given)) return [];
    const text = `The property '${key}' is not supported by this provider`;
    return [problem("InvalidRequestContent", key, text)];
  });
}

/** As clients write that they want none: empty, or an identity of the type None. */
function isNothing(given: Json): boolean {
  if (given === "" || (isJsonArray(given) && given.length === 0)) return true;
  if (!isJsonObject(given)) return false;
  return Object.entries(given).every(([key, value]) => key === "type" && value === "None");
}

function locationProblems(
  location: string | undefined,
  { face, before, isPatch }: SentFacts,
): readonly ArmProblem[] {
  const isTracked = !face.type.includes("/");
  if (location === undefined) {
    if (before !== undefined || isPatch || !isTracked) return [];
    return [problem("LocationRequired", "location", "The property 'location' is required")];
  }
  const wanted = plainLocation(location);
  if (before !== undefined) {
    if (plainLocation(before.location) === wanted) return [];
    const where = `The resource is in the location '${before.location}'`;
    const text = `${where}, which cannot be changed to '${location}'`;
    return [problem("InvalidResourceLocation", "location", text)];
  }
  return unavailableLocation(location, face);
}

/** What is wrong with a location for what is not there yet. */
export function unavailableLocation(location: string, face: ArmFace): readonly ArmProblem[] {
  const wanted = plainLocation(location);
  if (face.locations.some((each) => plainLocation(each) === wanted)) return [];
  const available = face.locations.map(plainLocation).join(", ");
  const text =
    `The location '${location}' is not available for resources of the type ` +
    `'${face.provider}/${face.type}'; available are: ${available}`;
  return [problem("LocationNotAvailableForResourceType", "location", text)];
}

function readTags(
  given: Json | undefined,
  problems: ArmProblem[],
): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return undefined;
  if (given === null) return {};
  if (!isJsonObject(given)) {
    problems.push(
      problem(
        "InvalidTags",
        "tags",
        "The property 'tags' must be an object whose values are strings",
      ),
    );
    return undefined;
  }
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  if (entries.length > maxTags) {
    const text = `There are ${entries.length} tags and at most ${maxTags} are allowed`;
    problems.push(problem("InvalidTags", "tags", text));
  }
  const tags: MutableJsonObject = {};
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    problems.push(...tagProblems(name, value));
    if (seen.has(name.toLowerCase())) {
      const text = `The tag '${name}' is a duplicate: tag names are not case-sensitive`;
      problems.push(problem("InvalidTags", `tags.${name}`, text));
    }
    seen.add(name.toLowerCase());
    if (typeof value === "string") setOwn(tags, name, value);
  }
  return tags as Readonly<Record<string, string>>;
}

function tagProblems(name: string, value: Json): readonly ArmProblem[] {
  const target = `tags.${name}`;
  const problems: ArmProblem[] = [];
  if (name.trim() === "" || /[<>%&\\?/\p{Cc}]/u.test(name)) {
    const text = String.raw`A tag name may not be empty, nor have control characters or <>%&\?/`;
    problems.push(problem("InvalidTagNameCharacters", target, text));
  }
  if (name.length > maxTagName) {
    const text = `A tag name may have at most ${maxTagName} characters`;
    problems.push(problem("InvalidTagNameLength", target, text));
  }
  if (typeof value !== "string") {
    problems.push(problem("InvalidTags", target, "The value of a tag must be a string"));
  } else if (value.length > maxTagValue) {
    const text = `The value of a tag may have at most ${maxTagValue} characters`;
    problems.push(problem("InvalidTagValueLength", target, text));
  }
  return problems;
}

/** Clients send back what they read; anything else is a wish that nobody can fulfil. */
function stateProblems(properties: JsonObject, { state }: SentFacts): readonly ArmProblem[] {
  const given = getOwn(properties, "provisioningState");
  if (given === undefined || given === null || given === state) return [];
  if (state === undefined && (given === "Creating" || given === "Succeeded")) return [];
  const shown = typeof given === "string" ? given : JSON.stringify(given);
  const text = `The property 'provisioningState' is read-only and cannot be set to '${shown}'`;
  return [problem("InvalidParameter", "properties.provisioningState", text)];
}

function textField(body: JsonObject, key: string, problems: ArmProblem[]): string | undefined {
  const value = getOwn(body, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  problems.push(problem("InvalidRequestContent", key, `The property '${key}' must be a string`));
  return undefined;
}

function problem(code: string, target: string, text: string): ArmProblem {
  return { code, message: sentence(text), target };
}
