// The built-in kinds as they are served, each with its rules. Events are one store with two faces:
// they are stored as events of the core group, and those of events.k8s.io are translated.

import type { IndexTerms } from "../../kernel/draft.ts";
import { kindId } from "../../kernel/kind.ts";
import { builtinKinds, reviewKinds } from "../builtin/builtin-kinds.ts";
import { toCoreEvent, toNewEvent } from "../builtin/event-shapes.ts";
import { builtinRules } from "../builtin/rules.ts";
import { definitionsKind } from "./definition-kinds.ts";
import { definitionRules } from "./definition-rules.ts";
import type { DefinitionRulesInput } from "./definition-rules.ts";
import { servedKind, usualVerbs } from "./served-kind.ts";
import type { Converter, ServedKind } from "./served-kind.ts";

const newEvents = "events.events.k8s.io";

export interface BuiltinServedInput extends DefinitionRulesInput {
  /** Additional terms of the documents of every kind. */
  readonly indexTerms?: IndexTerms | undefined;
}

export function builtinServedKinds(input: BuiltinServedInput): readonly ServedKind[] {
  const { indexTerms } = input;
  const own = definitionRules(input);
  const plain = builtinKinds
    .filter((kind) => kindId(kind) !== newEvents)
    .map((kind) => {
      const id = kindId(kind);
      const rules = id === definitionsKind ? own : builtinRules.get(id);
      const verbs = id === "namespaces" ? namespaceVerbs : usualVerbs;
      const isDueAfter = reconciledByServer[id];
      return servedKind({ kind, rules, verbs, convert: convertEvents, indexTerms, isDueAfter });
    });
  const coreEvents = plain.find(({ id }) => id === "events");
  const faces = builtinKinds
    .filter((kind) => kindId(kind) === newEvents && coreEvents !== undefined)
    .map((kind) =>
      servedKind({
        kind,
        rules: builtinRules.get(newEvents),
        ...(coreEvents === undefined ? {} : { storedAs: coreEvents }),
        storedField: coreEventField,
        convert: convertEvents,
      }),
    );
  const reviews = reviewKinds.map((kind) => servedKind({ kind, verbs: ["create"] }));
  return [...plain, ...faces, ...reviews];
}

/**
 * The kinds that every server reconciles, whatever modules it has: see ADR 13. A write that needs
 * no work does not make its resource due.
 */
const reconciledByServer: Readonly<Record<string, ServedKind["isDueAfter"]>> = {
  namespaces: ({ isNew, isDeleting }) => isNew || isDeleting,
  [definitionsKind]: ({ isDeleting }) => isDeleting,
  "validatingadmissionpolicies.admissionregistration.k8s.io": ({ isDeleting }) => !isDeleting,
};

/** Nobody deletes all namespaces with one request. */
const namespaceVerbs = usualVerbs.filter((verb) => verb !== "deletecollection");

/** No other built-in kind has two versions. */
const convertEvents: Converter = (documents, to) =>
  Promise.resolve(
    documents.map((document) => {
      const convert = to.apiVersion === "v1" ? toCoreEvent : toNewEvent;
      return document.apiVersion === to.apiVersion ? document : convert(document);
    }),
  );

function coreEventField(path: string): string {
  if (path.startsWith(".regarding.")) return `.involvedObject.${path.slice(".regarding.".length)}`;
  return path === ".reportingController" ? ".reportingComponent" : path;
}
