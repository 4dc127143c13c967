// The document of a target from an entry and the values that are known. A text that fills a secret
// field reads secrets; for every other text they do not exist, whatever the template says. A text
// that needs an output that is not known yet is left out, and is reported as deferred. Pure.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt } from "../../../kernel/json-read.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import type { Template, TemplateText, Variables } from "../../../kernel/template/template.ts";
import { isSecretPlace } from "./secret-flow.ts";
import type { SealingKind } from "./secret-flow.ts";

/** The values of one dependency: of an instance, or of all instances of an entry with a count. */
export type Outputs = JsonObject | readonly JsonObject[];

export interface RenderInput {
  readonly document: Template;
  /** `spec` of the EnvironmentResource. */
  readonly spec: Json | undefined;
  /** By key. Each has `outputs` and `secretOutputs`. */
  readonly resources: ReadonlyMap<string, Outputs>;
  readonly externals: ReadonlyMap<string, JsonObject>;
  readonly kind: SealingKind;
  readonly more?: Variables;
}

export function renderTarget(input: RenderInput): JsonObject {
  const { document, kind } = input;
  const shown = { values: variablesOf(input, false), hidden: false };
  const secret = { values: variablesOf(input, true), hidden: true };
  const rendered = document.renderPart(({ place }) => {
    return isSecretPlace(kind, place) ? secret : shown;
  });
  if (isJsonObject(rendered)) return rendered;
  throw new TemplateProblem("the template is not an object");
}

export interface PartlyRendered {
  readonly document: JsonObject;
  /** The texts that wait for outputs, and the resources that have them. */
  readonly deferred: readonly { readonly text: TemplateText; readonly on: readonly string[] }[];
}

/** `isKnown` says whether the outputs of a resource are known and will not change. */
export function renderPartly(
  input: RenderInput,
  isKnown: (key: string) => boolean,
): PartlyRendered {
  const { document, kind } = input;
  const shown = { values: variablesOf(input, false), hidden: false };
  const secret = { values: variablesOf(input, true), hidden: true };
  const deferred: { readonly text: TemplateText; readonly on: readonly string[] }[] = [];
  const rendered = document.renderPart((text) => {
    const keys = text.reads.flatMap(([root, key = ""]) => (root === "resources" ? [key] : []));
    const on = [...new Set(keys)].filter((key) => !isKnown(key));
    if (on.length > 0) {
      deferred.push({ text, on });
      return undefined;
    }
    return isSecretPlace(kind, text.place) ? secret : shown;
  });
  return { document: isJsonObject(rendered) ? rendered : {}, deferred };
}

function variablesOf(input: RenderInput, withSecrets: boolean): Variables {
  const { spec, resources, externals, more = {} } = input;
  const given = objectAt(spec, "input");
  const secrets = objectAt(given, "secrets");
  const parameters = objectAt(given, "parameters");
  const readable: MutableJsonObject = {};
  for (const [key, outputs] of resources) {
    setOwn(readable, key, withSecrets ? outputs : withoutSecrets(outputs));
  }
  const outer: MutableJsonObject = {};
  for (const [name, values] of externals) {
    setOwn(outer, name, withSecrets ? values : withoutSecrets(values));
  }
  return {
    parameters: withSecrets ? { ...parameters, ...objectAt(secrets, "parameters") } : parameters,
    environment: objectAt(given, "environment"),
    resources: readable,
    externals: outer,
    secrets: withSecrets ? objectAt(secrets, "secrets") : {},
    index: numberAt(spec, "index") ?? 0,
    count: numberAt(spec, "count") ?? 1,
    ...more,
  };
}

function withoutSecrets(outputs: Outputs): Json {
  if (isJsonArray(outputs)) {
    return outputs.map((each) => withoutSecrets(each));
  }
  return { outputs: getOwn(outputs, "outputs") ?? {} };
}
