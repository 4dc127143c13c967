// `properties` in one api-version, by its schema: what clients see, what they may write, and all
// that is wrong with what they wrote, at once. Whatever a client has read it may write back: read-
// only fields are ignored, and secrets, which it has never seen, are kept when it leaves them out.
// What actions are given is judged in the same way.

import { fieldRulesOf } from "../../../intents/kinds/definition-field-rules.ts";
import {
  hiddenPlaces,
  keepHidden,
  touchesHidden,
  withoutHidden,
} from "../../../intents/write/hidden-fields.ts";
import type { ArmVersion, StoredParts } from "./arm-face.ts";
import { appendAll } from "../../../kernel/append.ts";
import { blockedRules, compileValidator } from "../../../kernel/cel/validations.ts";
import type { Validator } from "../../../kernel/cel/validations.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { withoutHiddenValues } from "../../../kernel/hidden-values.ts";
import { checkFieldRules } from "../../../kernel/field-rules.ts";
import type { FieldViolation } from "../../../kernel/field-rules.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { equalJson, getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { CompiledFieldRule, FieldRule } from "../../../kernel/kind.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Tokens } from "../../../kernel/pointer.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { applyDefaults } from "../../../kernel/schema/defaults.ts";
import { listTypeProblems } from "../../../kernel/schema/list-types.ts";
import { prune } from "../../../kernel/schema/prune.ts";
import type { Schema } from "../../../kernel/schema/schema.ts";
import { validateValue } from "../../../kernel/schema/validate.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { plainWords, sentence } from "../../../kernel/field-error-words.ts";
import { withSurviving, withoutHollow } from "./surviving-fields.ts";

export interface BodyProblem {
  readonly code: string;
  /** A sentence. */
  readonly message: string;
  /** As in "properties.network.cidr". */
  readonly target: string;
}

export interface AcceptedBody {
  /** With defaults, with kept secrets, and without read-only and unknown fields. */
  readonly properties: JsonObject;
  /** What was left out because the version does not know it. */
  readonly unknown: readonly string[];
  readonly problems: readonly BodyProblem[];
}

export interface BodySchema {
  /** Some fields are never shown. */
  readonly hasHidden: boolean;
  /** What is stored, in the form of the version, secrets included. */
  read(stored: StoredParts): Promise<JsonObject>;
  /** What may be sent to a client. */
  show(properties: JsonObject): JsonObject;
  /**
   * The wanted properties as a whole: a patch has been merged into what `read` gave. `before` is
   * what `read` gives of what is stored, undefined for a creation. `sent` is what the client itself
   * wrote, in which null means that a secret shall go. `hidden` are rules besides the version's.
   */
  accept(
    wanted: Json | undefined,
    before: JsonObject | undefined,
    sent?: Json,
    hidden?: readonly CompiledFieldRule[],
  ): AcceptedBody;
  /**
   * Hidden fields that the client has taken away and that are there still in what is to be stored:
   * the functions of the version must leave them out, and nobody would see that they do not.
   */
  stillHidden(before: JsonObject, accepted: JsonObject, stored: StoredParts): Promise<Kept>;
  /**
   * The spec to store; fields of it that the version does not know survive, unless they are in
   * something in whose place the client has `sent` null.
   */
  store(properties: JsonObject, before: JsonObject | undefined, sent?: Json): Promise<JsonObject>;
}

/** As in "properties.password". */
type Kept = readonly string[];

/** Compiled once for each version of a face that is in use. */
export function bodySchema(version: ArmVersion): BodySchema {
  const known = compiled.get(version);
  if (known !== undefined) return known;
  const made = compile(version);
  compiled.set(version, made);
  return made;
}

const compiled = new WeakMap<ArmVersion, BodySchema>();

/** What an action is given, by its schema; fields that it does not know are left out. */
export function acceptInput(inputSchema: JsonObject, sent: JsonObject): AcceptedBody {
  const known = inputs.get(inputSchema);
  const parts = known ?? partsOf(inputSchema, "");
  if (known === undefined) inputs.set(inputSchema, parts);
  return accept(parts, sent, undefined, sent);
}

const inputs = new WeakMap<JsonObject, Parts>();

/** What an example of properties says that the schema does not; answers show read-only fields. */
export function exampleMisfits(schema: JsonObject, given: JsonObject): readonly string[] {
  const parts = partsOf(schema, "");
  const { value, unknown } = prune(parts.schema, given, { isRoot: false });
  const full = applyDefaults(parts.schema, value);
  return [
    ...unknown.map((field) => `The property '${field}' is not in the schema.`),
    ...schemaProblems(parts, full, undefined).map(({ message }) => message),
  ];
}

interface Parts {
  readonly schema: Schema;
  readonly rules: Ruled;
  readonly runRules: Validator | undefined;
  /** What clients call the whole; empty when it is the body itself. */
  readonly root: string;
}

function partsOf(given: JsonObject, root: string, hidden: readonly FieldRule[] = []): Parts {
  const schema = compileSchema(given);
  const all = [...fieldRulesOf(given), ...hidden];
  const fieldRules = all.map(({ path, rule }): CompiledFieldRule => ({
    path,
    rule,
    segments: parsePointer(path),
  }));
  return { schema, rules: { fieldRules }, runRules: compileValidator(schema), root };
}

interface Ruled {
  readonly fieldRules: readonly CompiledFieldRule[];
}

function compile(version: ArmVersion): BodySchema {
  const parts = partsOf(version.schema, "properties", version.hidden);
  const { schema, rules } = parts;
  const { fromStored = shownByDefault(rules.fieldRules), toStored } = version;
  const read = async (stored: StoredParts): Promise<JsonObject> => {
    const whole = await fromStored(stored);
    const { value, unknown } = prune(schema, whole, { isRoot: false });
    const isWhole = unknown.length === 0 || version.fromStored !== undefined;
    return applyDefaults(schema, isWhole ? value : withoutHollow(schema, value, whole));
  };
  return {
    hasHidden: hasHidden(parts),
    read,
    stillHidden: async (before, accepted, stored) => {
      const gone = hiddenPlaces(rules, before).filter(
        (place) => getAt(accepted, place) === undefined,
      );
      if (gone.length === 0) return [];
      const after = await read(stored);
      return gone
        .filter((place) => equalJson(getAt(after, place), getAt(before, place)))
        .map((place) => ["properties", ...place].join("."));
    },
    show: (properties) => withoutHidden(parts.rules, properties),
    accept: (wanted, before, sent = wanted, hidden = []) =>
      accept(withRules(parts, hidden), wanted, before, sent),
    store: async (properties, before, sent) => {
      if (toStored !== undefined) return withoutUndefined(await toStored(properties, before));
      return before === undefined ? properties : withSurviving(schema, properties, before, sent);
    },
  };
}

function withRules(parts: Parts, more: readonly CompiledFieldRule[]): Parts {
  if (more.length === 0) return parts;
  return { ...parts, rules: { fieldRules: [...parts.rules.fieldRules, ...more] } };
}

/** What a function leaves undefined is not there; nothing else of it is changed. */
function withoutUndefined(spec: JsonObject): JsonObject {
  return parseExact(JSON.stringify(spec)) as JsonObject;
}

function hasHidden({ rules }: Parts): boolean {
  return rules.fieldRules.some(({ rule }) => rule === "secret" || rule === "write-only");
}

/** The spec, and of the status what the schema says is only for reading. */
function shownByDefault(rules: readonly CompiledFieldRule[]): (stored: StoredParts) => JsonObject {
  const reported = rules.filter(({ rule }) => rule === "read-only");
  return ({ spec, status }) => {
    let shown: JsonObject = spec;
    for (const { segments } of reported) shown = laidOver(shown, status, segments);
    return shown;
  };
}

/** Copies what the path reaches in `from`; paths into lists and maps are not looked for. */
function laidOver(onto: JsonObject, from: JsonObject, [key = "", ...rest]: Tokens): JsonObject {
  const value = getOwn(from, key);
  if (value === undefined) return onto;
  const result: MutableJsonObject = { ...onto };
  if (rest.length === 0) setOwn(result, key, value);
  else if (isJsonObject(value)) {
    const inner = getOwn(onto, key);
    setOwn(result, key, laidOver(isJsonObject(inner) ? inner : {}, value, rest));
  }
  return result;
}

function accept(
  parts: Parts,
  wanted: Json | undefined,
  before: JsonObject | undefined,
  sent: Json | undefined,
): AcceptedBody {
  const { schema, rules } = parts;
  if (wanted !== undefined && wanted !== null && !isJsonObject(wanted)) {
    const problem = problemAt("InvalidRequestContent", parts.root, "must be an object");
    return { properties: {}, unknown: [], problems: [problem] };
  }
  // It is compared with the state by others, since it is no field of the kind.
  const isOfResource = parts.root !== "";
  const given = isOfResource ? withoutKey(wanted ?? {}, "provisioningState") : (wanted ?? {});
  const stored = before === undefined ? undefined : withoutReadOnly(rules, before);
  const pruned = prune(schema, withoutReadOnly(rules, given), { isRoot: false });
  const full = applyDefaults(schema, pruned.value);
  const properties =
    stored === undefined ? full : keepHidden(rules, full, stored, isJsonObject(sent) ? sent : full);
  const wrong = schemaProblems(parts, properties, stored);
  // Of what is left out and fixed it is enough to say that it is required.
  const changes = changeProblems(rules, stored, properties).filter(
    ({ target }) => !wrong.some((each) => each.code === codes.required && each.target === target),
  );
  const problems = [...wrong, ...changes];
  return { properties, unknown: pruned.unknown, problems };
}

function schemaProblems(
  { schema, rules, runRules, root }: Parts,
  properties: JsonObject,
  old: JsonObject | undefined,
): readonly BodyProblem[] {
  // A field that clients never write cannot be one that they must write.
  const reported = new Set(
    rules.fieldRules.flatMap(({ rule, segments }) =>
      rule === "read-only" ? segments.join(".") : [],
    ),
  );
  const errors = [
    ...validateValue(schema, properties, "", { old, isThorough: true }),
    ...listTypeProblems(schema, properties, "", { old }),
  ].filter(({ kind, path }) => kind !== "required" || !reported.has(path));
  if (runRules !== undefined && blockedRules(errors) === undefined) {
    appendAll(errors, runRules(properties, old));
  }
  return withoutHiddenValues(rules, errors).map((error) => fieldProblem(error, root));
}

const codes: Readonly<Partial<Record<FieldError["kind"], string>>> = {
  required: "MissingRequiredProperty",
  unsupported: "InvalidPropertyValue",
};

function fieldProblem(error: FieldError, root: string): BodyProblem {
  const { kind, path: field } = error;
  const isWhole = field === "" || field === "<nil>";
  const dot = root === "" || field.startsWith("[") ? "" : ".";
  const target = isWhole ? root || "body" : `${root}${dot}${field}`;
  return problemAt(codes[kind] ?? "InvalidParameter", target, plainWords(error));
}

function changeProblems(
  rules: Ruled,
  before: JsonObject | undefined,
  after: JsonObject,
): readonly BodyProblem[] {
  if (before === undefined) return [];
  return checkFieldRules(rules, before, after)
    .filter(({ rule }) => rule === "create-only")
    .map((violation) => changeProblem(rules, violation));
}

function changeProblem(rules: Ruled, violation: FieldViolation): BodyProblem {
  const tokens = parsePointer(violation.path);
  const target = ["properties", ...tokens].join(".").replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
  const isHidden = touchesHidden(rules, tokens);
  const show = (value: Json | undefined): string => {
    if (value === undefined) return "nothing";
    return isHidden ? "a hidden value" : `'${typeof value === "string" ? value : jsonText(value)}'`;
  };
  const words = `cannot be changed from ${show(violation.old)} to ${show(violation.new)}`;
  return problemAt("PropertyChangeNotAllowed", target, words);
}

function jsonText(value: Json): string {
  return JSON.stringify(value).replaceAll('"', "'");
}

function problemAt(code: string, target: string, words: string): BodyProblem {
  return { code, target, message: sentence(`The property '${target}' ${words}`) };
}

function withoutReadOnly(rules: Ruled, properties: JsonObject): JsonObject {
  let result: JsonObject = properties;
  for (const { rule, segments } of rules.fieldRules) {
    if (rule === "read-only") result = without(result, segments) as JsonObject;
  }
  return result;
}

function without(at: Json, [key = "", ...rest]: Tokens): Json {
  const isHere = (name: string): boolean => key === "*" || key === name;
  if (isJsonArray(at)) {
    if (rest.length === 0) return key === "*" ? [] : at;
    return at.map((item, index) => (isHere(String(index)) ? without(item, rest) : item));
  }
  if (!isJsonObject(at)) return at;
  const entries = Object.entries(at).flatMap(([name, value]): [string, Json][] => {
    if (!isHere(name)) return [[name, value]];
    return rest.length === 0 ? [] : [[name, without(value, rest)]];
  });
  return Object.fromEntries(entries);
}
