// The places that the response to a creation names, where the RestKind itself implies an id: a
// Location that is a path of the kind is believed. Other ids in the response may belong to another
// object, so they count once a read shows the object there. A credential is never such an id: the
// path is stored where every reader of the resource sees it.

import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { escapeToken, getAt, parsePointer } from "../../../kernel/pointer.ts";
import { isSecretName } from "../fields/secret-name.ts";
import type { Answer } from "../http/answer.ts";
import type { ClientRequest } from "../http/client.ts";
import { expandPath, parametersIn, pathText } from "../plan/requests.ts";
import type { Parameters } from "../plan/requests.ts";
import { parametersOf } from "./observing.ts";
import type { Session } from "./session.ts";

export interface NamedPlace {
  readonly id: string;
  readonly path: string;
  /** Where the response has the id: a pointer, or "Location". */
  readonly from: string;
}

export interface NamedPlaces {
  readonly sure: NamedPlace | undefined;
  readonly maybe: readonly NamedPlace[];
}

const none: NamedPlaces = { sure: undefined, maybe: [] };
const mostPlaces = 4;

export function placesInAnswer(
  session: Session,
  answer: Answer,
  request: ClientRequest,
): NamedPlaces {
  const { identity, operations } = session.compiled.binding;
  if (identity.kind === "singleton" || answer.status === 202) return none;
  const object = getAt(answer.json ?? null, parsePointer(operations.create?.answer ?? "")) ?? null;
  const secrets = secretTexts(session, object);
  const isNew = ({ id, path }: NamedPlace): boolean =>
    path !== session.book.pages.path && !secrets.has(id) && session.hide(path) === path;
  const located = identity.kind === "server" ? undefined : inLocation(session, answer, request);
  if (located !== undefined && isNew(located)) return { sure: located, maybe: [] };
  const maybe = isJsonObject(object) ? inBody(session, object) : [];
  return { sure: undefined, maybe: distinct(maybe.filter(isNew)).slice(0, mostPlaces) };
}

function inLocation(
  session: Session,
  { headers }: Answer,
  request: ClientRequest,
): NamedPlace | undefined {
  const path = locatedPath(session, headers["location"], request);
  const found = path === undefined ? undefined : parametersIn(session.compiled.binding.item, path);
  if (path === undefined || found === undefined) return undefined;
  const names = namesOf(session);
  const ours = parametersOf(session);
  // The path of another parent is not a place of this object.
  const isOurs = Object.keys(found).every((name) => {
    return names.includes(name) || found[name] === ours[name];
  });
  if (!isOurs || names.some((name) => (found[name] ?? "") === "")) return undefined;
  return placeAt(session, found, "Location");
}

/** Below the base URL; undefined for another origin. */
export function locatedPath(
  session: Session,
  location: string | undefined,
  request: ClientRequest,
): string | undefined {
  if (location === undefined) return undefined;
  const { client } = session;
  const from = client.targetOf(request.path);
  const resolved = client.resolve(location, from);
  const prefix = client.targetOf("");
  if (resolved.kind !== "target" || !resolved.target.startsWith(prefix)) return undefined;
  return resolved.target.split("?", 1)[0]?.slice(prefix.length);
}

/** Names under which services return the id of an object. */
const idNames = ["id", "Id", "ID", "_id", "uuid", "uid", "guid", "key", "slug", "code", "name"];

function inBody(session: Session, object: JsonObject): readonly NamedPlace[] {
  const { identity } = session.compiled.binding;
  if (identity.kind === "singleton") return [];
  if (identity.kind === "composite") {
    const parts = Object.entries(identity.fields).map(([name, field]) => {
      return [name, pathText(getAt(object, parsePointer(field)))] as const;
    });
    if (parts.some(([, value]) => value === undefined)) return [];
    const fields = Object.values(identity.fields).join(", ");
    return places(session, Object.fromEntries(parts) as Parameters, fields);
  }
  const { parameter, field } = identity;
  const pointers = [
    ...(field === undefined ? [] : [field]),
    ...[parameter, ...idNames].map((name) => `/${escapeToken(name)}`),
  ];
  return pointers.flatMap((pointer) => {
    const id = pathText(getAt(object, parsePointer(pointer)));
    return id === undefined ? [] : places(session, { [parameter]: id }, pointer);
  });
}

function places(session: Session, own: Parameters, from: string): readonly NamedPlace[] {
  const place = placeAt(session, own, from);
  return place === undefined ? [] : [place];
}

function placeAt(session: Session, own: Parameters, from: string): NamedPlace | undefined {
  const names = namesOf(session);
  const id = names.map((name) => own[name] ?? "").join("/");
  try {
    const path = expandPath(session.compiled.binding.item, { ...parametersOf(session), ...own });
    return { id, path, from };
  } catch {
    // A value that cannot be in a path is not an id.
    return undefined;
  }
}

/** The parameters that identify the object. */
function namesOf({ compiled }: Session): readonly string[] {
  const { identity } = compiled.binding;
  if (identity.kind === "composite") return Object.keys(identity.fields);
  return "parameter" in identity ? [identity.parameter] : [];
}

/** Values of the response that are credentials, by the class of the field or by its name. */
function secretTexts({ fields }: Session, object: Json): ReadonlySet<string> {
  if (!isJsonObject(object)) return new Set();
  const found = Object.entries(object).flatMap(([key, value]) => {
    const isSecret = fields.child(key).rule.isSecret || isSecretName(key);
    return isSecret ? (pathText(value) ?? []) : [];
  });
  return new Set(found);
}

function distinct(all: readonly NamedPlace[]): readonly NamedPlace[] {
  return all.filter(({ path }, at) => all.findIndex((each) => equalJson(each.path, path)) === at);
}
