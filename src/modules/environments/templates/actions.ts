// The actions of a template: what runs them, and when. An action without a document calls the URL
// of its application by an HttpCall. Pure.

import { appendAll } from "../../../kernel/append.ts";
import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { dynType } from "../../../kernel/cel/types.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, invalidField, requiredField } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
  textsAt,
  valueAt,
} from "../../../kernel/json-read.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { compileTemplate } from "../../../kernel/template/template.ts";
import type { Template } from "../../../kernel/template/template.ts";
import type { KindOf } from "./compile.ts";
import { documentVariables } from "./entry.ts";
import { referencesOfTexts } from "./references.ts";
import type { Known, Referred } from "./references.ts";
import { secretFlowErrors } from "./secret-flow.ts";
import { documentErrors } from "./target-types.ts";

export type ActionPoint = "Request" | "AfterDeploy" | "BeforeDestroy";

export interface Action {
  readonly name: string;
  readonly points: readonly ActionPoint[];
  readonly app: JsonObject;
  readonly document: Template;
  readonly apiVersion: string;
  readonly kind: string;
  readonly readyWhen: Program | undefined;
  readonly referred: Referred;
}

export interface CompiledActions {
  readonly actions: ReadonlyMap<string, Action>;
  readonly errors: readonly FieldError[];
}

export function* compileActions(
  spec: JsonObject,
  known: Known,
  kindOf: KindOf | undefined,
): Sliced<CompiledActions> {
  const actions = new Map<string, Action>();
  const errors: FieldError[] = [];
  for (const [at, json] of objectsAt(spec, "actions").entries()) {
    yield;
    const path = `spec.actions[${at}]`;
    const name = textAt(json, "name");
    if (actions.has(name)) errors.push(duplicateField(`${path}.name`, name));
    const action = compileAction(json, path, known, errors);
    if (action === undefined) continue;
    actions.set(name, action);
    if (kindOf === undefined) continue;
    const kind = kindOf(action.apiVersion, action.kind);
    if (kind === undefined) {
      const detail = `no kind ${action.kind} is served in ${action.apiVersion}`;
      errors.push(invalidField(`${path}.template.kind`, action.kind, detail));
      continue;
    }
    appendAll(errors, secretFlowErrors(action.document, known.secretParameters, kind.kind));
    const document = valueAt(json, "template");
    appendAll(errors, yield* documentErrors(document, kind, known, `${path}.template`));
  }
  return { actions, errors };
}

function compileAction(
  json: JsonObject,
  path: string,
  known: Known,
  errors: FieldError[],
): Action | undefined {
  const app = objectAt(json, "app");
  const given = presentObjectAt(json, "template");
  if (given === undefined && textAt(app, "url") === "") {
    errors.push(requiredField(`${path}.app.url`, "an action has an app with a URL or a template"));
    return undefined;
  }
  const source = given ?? callOf(app);
  const variables = [...documentVariables, "action"];
  const at = given === undefined ? `${path}.app` : `${path}.template`;
  const compiled = compileTemplate(source, variables, at);
  if (compiled.kind === "failed") {
    appendAll(errors, compiled.errors);
    return undefined;
  }
  const document = compiled.template;
  const referred = referencesOfTexts(document.texts, known);
  appendAll(errors, referred.errors);
  const points = textsAt(json, "on") as readonly ActionPoint[];
  return {
    name: textAt(json, "name"),
    points: points.length === 0 ? ["Request"] : points,
    app,
    document,
    apiVersion: textAt(source, "apiVersion"),
    kind: textAt(source, "kind"),
    readyWhen: readyWhenOf(json, path, errors),
    referred,
  };
}

/** The application of an action, as the executor for HTTP calls it. */
function callOf(app: JsonObject): JsonObject {
  return {
    apiVersion: "executors.setpoint.dev/v1",
    kind: "HttpCall",
    spec: app,
  };
}

function readyWhenOf(json: JsonObject, path: string, errors: FieldError[]): Program | undefined {
  const source = textAt(json, "readyWhen");
  if (source === "") return undefined;
  const compiled = compileExpression(source, { variables: { resource: dynType } });
  if (compiled.kind === "compiled") return compiled.program;
  errors.push(invalidField(`${path}.readyWhen`, source, compiled.message));
  return undefined;
}
